using BenchmarkDotNet.Attributes;
using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.DataSet;

namespace BulkLoad.Benchmarks;

/// <summary>From bytes to records, and on to rows of canonical values.</summary>
[MemoryDiagnoser]
public class ReadBenchmarks
{
    private readonly BenchTable _table = new();

    [Params(DataFormat.Csv, DataFormat.Mysql, DataFormat.Jsonl)]
    public DataFormat Format { get; set; }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public long Read()
    {
        using var reader = _table.Open(Format);
        long bytes = 0;
        while (reader.Read())
        {
            for (var i = 0; i < reader.FieldCount; i++)
            {
                reader.GetField(i, out var value);
                bytes += value.Length;
            }
        }

        return bytes;
    }

    [Benchmark(OperationsPerInvoke = BenchTable.Rows)]
    public int ReadAndMap()
    {
        using var reader = _table.Open(Format);
        var mapper = new RowMapper(_table.Mapping, new ValueOptions(), new ValueZone("UTC", TimeZoneInfo.Utc));
        var block = new RowBlock(_table.Mapping.Columns.Count, 1 << 20);
        var rows = 0;
        while (reader.Read())
        {
            if (block.RowCount == 1000)
            {
                block.Clear();
            }

            if (mapper.Add(reader, reader.ByteOffset, block) is { } fault)
            {
                throw new InvalidOperationException(fault.Message);
            }

            rows++;
        }

        return rows;
    }
}
