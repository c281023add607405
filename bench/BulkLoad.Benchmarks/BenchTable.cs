using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.DataSet;

namespace BulkLoad.Benchmarks;

/// <summary>100,000 rows of the data set in memory, and its table as the catalogue would describe it.</summary>
internal sealed class BenchTable
{
    public const int Rows = 100_000;

    private readonly Dictionary<DataFormat, byte[]> _bytes = [];

    public BenchTable()
    {
        Mapping = ColumnMapping.Create(
            "bench", Table.Columns.Select(column => column.Name).ToArray(), Table.Columns.Count, Table,
            new LoadRequest { Files = ["bench.csv"], Connection = new ConnectionOptions() }, null);
    }

    public TableFacts Table { get; } = new()
    {
        Database = "bench",
        Name = "bench_users",
        Engine = "InnoDB",
        IsTransactional = true,
        InsertTriggers = [],
        Columns =
        [
            Column("id", ColumnKind.Integer) with { IntegerBytes = 8, Default = ColumnDefault.AutoIncrement, IsNullable = false },
            Column("name", ColumnKind.Varchar) with { MaxCharacters = 64, Charset = "utf8mb4", IsNullable = false },
            Column("age", ColumnKind.Integer) with { IntegerBytes = 4 },
            Column("email", ColumnKind.Varchar) with { MaxCharacters = 128, Charset = "utf8mb4" },
            Column("score", ColumnKind.Double),
            Column("created", ColumnKind.DateTime),
        ],
    };

    public ColumnMapping Mapping { get; }

    /// <summary>A reader that stands before the first record.</summary>
    public IRecordReader Open(DataFormat format)
    {
        if (!_bytes.TryGetValue(format, out var bytes))
        {
            using var stream = new MemoryStream();
            new UserDataSet(Rows, 20261).Write(stream, format);
            _bytes[format] = bytes = stream.ToArray();
        }

        var options = new SourceOptions { Format = Enum.Parse<InputFormat>(format.ToString()) };
        var input = InputFile.Open(new MemoryStream(bytes), "bench", options);
        return SourceProbe.Look(input, options).CreateReader(input, options);
    }

    /// <summary>All rows in blocks of so many rows.</summary>
    public List<RowBlock> Fill(int rowsPerBlock)
    {
        using var reader = Open(DataFormat.Csv);
        var mapper = new RowMapper(Mapping, new ValueOptions(), new ValueZone("UTC", TimeZoneInfo.Utc));
        var blocks = new List<RowBlock> { new(Mapping.Columns.Count, 1 << 20) };
        while (reader.Read())
        {
            if (blocks[^1].RowCount == rowsPerBlock)
            {
                blocks.Add(new RowBlock(Mapping.Columns.Count, 1 << 20));
            }

            if (mapper.Add(reader, reader.ByteOffset, blocks[^1]) is { } fault)
            {
                throw new InvalidOperationException(fault.Message);
            }
        }

        return blocks;
    }

    private static TableColumn Column(string name, ColumnKind kind) => new()
    {
        Name = name,
        TypeText = kind.ToString(),
        Kind = kind,
        IsNullable = true,
        Default = ColumnDefault.Null,
    };
}
