using System.IO.Compression;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

/// <summary>Several readers give the same as one.</summary>
public sealed class PieceReadingTests : IDisposable
{
    private static readonly TableColumn[] Three =
    [
        Columns.Integer("id").Required(),
        Columns.Varchar("name", 30),
        Columns.Decimal(10, 2) with { Name = "price", IsNullable = false, Default = ColumnDefault.Expression },
    ];

    private static readonly BatchSizes Sizes = new(1000, 64 * 1024, 5000, 200 * 1024);

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task However_many_read_the_same_comes(int seed)
    {
        var read = 0;
        for (var i = 0; i < 20; i++)
        {
            var input = new NastyInput((seed * 1000) + i);
            var names = input.Files.Select((_, file) => $"{i}-{file}.csv{(input.IsPacked ? ".gz" : "")}").ToArray();
            foreach (var (name, bytes) in names.Zip(input.Files))
            {
                await File.WriteAllBytesAsync(Path.Join(_folder, name), bytes, TestContext.Current.CancellationToken);
            }

            if (Prepare(names, input.Targets, input.Request) is not { } prepared)
            {
                continue;
            }

            read++;
            var (facts, sources) = prepared;
            var sort = i % 4 == 0 && input.Targets.Length > 1 ? new SortPlan([0], "(id)", "") : null;
            var one = await BlockText.ReadAsync(sources, facts, input.Sizes, new PieceSizes(1), sort);
            foreach (var (readers, bytes, first, alone) in new[] { (2, 300, 0, 1), (4, 1500, 400, 1000), (3, 8000, 0, 100) })
            {
                var pieces = new PieceSizes(readers)
                {
                    Bytes = bytes,
                    MinInput = 0,
                    ReadFirst = first,
                    ReadAlone = alone,
                };
                Assert.Equal(one, await BlockText.ReadAsync(sources, facts, input.Sizes, pieces, sort));
            }
        }

        Assert.InRange(read, 10, 20);
    }

    public static TheoryData<int> Seeds => [.. Enumerable.Range(0, 20)];

    /// <summary>All but what is read first, and the last line without an end.</summary>
    [Theory]
    [InlineData("{0},n{0},{0}.5\n")]
    [InlineData("{0},\"n\"\"{0}\"\"\",\r\n")]
    [InlineData("{0},\"a\n,b\r\n\",\"{0}\"\r\n")]
    public async Task Pieces_hold_all_where_it_is_clean(string record)
    {
        var text = string.Concat(Enumerable.Range(0, 2000).Select(i => string.Format(CultureInfo.InvariantCulture, record, i))) + "1,,";
        await File.WriteAllTextAsync(Path.Join(_folder, "a.csv"), text, TestContext.Current.CancellationToken);
        var request = TestFacts.Request with { Source = new SourceOptions { Format = InputFormat.Csv, HasHeader = false } };
        var (facts, sources) = Prepare(["a.csv"], Three, request)!.Value;
        using var input = sources[0].Open(request.Source, CancellationToken.None);
        using var reader = (DelimitedReader)sources[0].CreateReader(input, request.Source);
        var sizes = new PieceSizes(2) { Bytes = 1000, ReadFirst = 0 };
        await using var pieces = new PieceQueue(
            input, reader, () => sources[0].CreateMapper(request.Values, facts.Server.Zone), Three.Length, request.Source.Dirt, sizes);
        Assert.True(reader.Read());
        Assert.True(pieces.MayBegin(reader.ByteOffset));
        pieces.Begin();
        var count = 0;
        while (await pieces.NextAsync() is { } piece)
        {
            Assert.InRange(piece.Bytes.Length, 1, 1000);
            count++;
            pieces.Take(piece, piece.Rows.RecordCount);
        }

        Assert.InRange(count, text.Length / 1000, (text.Length / 900) + 1);
        await pieces.EndAsync();
        Assert.Equal(2000, reader.RecordNumber);
        Assert.True(reader.Read());
        Assert.Equal((2001, text.Length - 3, "1,,"), (reader.RecordNumber, reader.ByteOffset, Encoding.UTF8.GetString(reader.RawRecord)));
        Assert.Equal(text.Count(one => one == '\n') + 1, reader.LineNumber);
        Assert.False(reader.Read());
    }

    /// <param name="dirt">every so many records are malformed</param>
    [Theory]
    [InlineData(1, 1_000_000)]
    [InlineData(2, 1_000_000)]
    [InlineData(4, 1_000_000)]
    [InlineData(2, 20)]
    [InlineData(4, 71)]
    [InlineData(4, 103)]
    public async Task A_stream_that_breaks_gives_what_is_before_it(int readers, int dirt)
    {
        var text = string.Concat(Enumerable.Range(1, 50_000).Select(i => $"{i},{(i % dirt == 0 ? "\"" : "")}{i * 7919 % 100_003},1\n"));
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            await gzip.WriteAsync(Encoding.UTF8.GetBytes(text), TestContext.Current.CancellationToken);
        }

        await File.WriteAllBytesAsync(
            Path.Join(_folder, "a.csv.gz"), packed.ToArray()[..(int)(packed.Length / 2)], TestContext.Current.CancellationToken);
        var request = TestFacts.Request with
        {
            Source = new SourceOptions
            {
                Format = InputFormat.Csv,
                Delimiter = ',',
                HasHeader = false,
                MaxQuotedLines = 3,
            },
            MaxRejects = RejectLimit.OfRecords(1_000_000),
        };
        var (facts, sources) = Prepare(["a.csv.gz"], Three, request)!.Value;
        var pieces = new PieceSizes(readers)
        {
            Bytes = 10_000,
            MinInput = 0,
            ReadFirst = 0,
            ReadAlone = 5000,
        };
        var given = await BlockText.ReadAsync(sources, facts, Sizes, pieces);
        Assert.Contains("InputException", given);
        Assert.Equal(await BlockText.ReadAsync(sources, facts, Sizes, new PieceSizes(1)), given);
    }

    [Fact]
    public async Task A_pass_can_end_early()
    {
        var text = string.Concat(Enumerable.Range(0, 100_000).Select(i => $"{i},n,1\n"));
        await File.WriteAllTextAsync(Path.Join(_folder, "a.csv"), text, TestContext.Current.CancellationToken);
        var request = TestFacts.Request with { Source = new SourceOptions { Format = InputFormat.Csv, HasHeader = false } };
        var (facts, sources) = Prepare(["a.csv"], Three, request)!.Value;
        var reading = new InputReader(sources, facts, Sizes) { Pieces = new PieceSizes(4) { Bytes = 1000, MinInput = 0, ReadFirst = 0 } };
        await foreach (var block in reading.ReadAsync(TestContext.Current.CancellationToken))
        {
            if (block.Record(0) > 10_000)
            {
                break;
            }
        }

        Assert.InRange(reading.Read.Records, 10_000, 99_999);
    }

    private (LoadFacts Facts, List<LoadSource> Sources)? Prepare(
        IEnumerable<string> names, TableColumn[] columns, LoadRequest request)
    {
        var table = Columns.Table(columns);
        var sources = new List<LoadSource>();
        foreach (var name in names)
        {
            if (FileSources.Find(Path.Join(_folder, name), table, request) is not { } source)
            {
                return null;
            }

            sources.Add(source);
        }

        return (TestFacts.Of(TestFacts.MariaDb, columns) with { Table = table, Request = request }, sources);
    }
}

/// <summary>Files that are clean, dirty or both, as a seed says.</summary>
internal sealed class NastyInput
{
    private static readonly TableColumn[] One = [Columns.Varchar("name", 30)];

    private readonly Random _random;
    private readonly string _newline;
    private readonly bool _hasHeader;
    private readonly int _rarity;
    private readonly int[] _kinds;

    public NastyInput(int seed)
    {
        _random = new Random(seed);
        _newline = Of("\n", "\n", "\n", "\r\n", "\r\n", "\r");
        _hasHeader = _random.Next(2) == 0;
        _rarity = Of(5, 30, 150, 1000);
        _kinds = [.. Enumerable.Range(0, 4).Select(_ => _random.Next(16))];
        var isOne = _random.Next(6) == 0;
        Targets = isOne ? One :
        [
            Columns.Integer("id").Required(),
            Columns.Varchar("name", 30),
            Columns.Decimal(10, 2) with
            {
                Name = "price",
                IsNullable = _random.Next(2) == 0,
                Default = Of(ColumnDefault.Expression, ColumnDefault.None),
            },
        ];
        IsPacked = _random.Next(5) == 0;
        var encoding = Of(Encoding.UTF8, Encoding.UTF8, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), Encoding.Unicode,
            Encoding.GetEncoding("iso-8859-1"));
        Files =
        [
            .. Enumerable.Range(0, _random.Next(1, 3)).Select(
                _ => Pack([.. encoding.GetPreamble(), .. encoding.GetBytes(Text(isOne))])),
        ];
        var dirt = DirtPolicies.None;
        for (var count = _random.Next(3); count > 0; count--)
        {
            dirt = dirt.With(
                Enum.GetValues<DirtKind>()[_random.Next(Enum.GetValues<DirtKind>().Length)],
                Of(DirtAction.Repair, DirtAction.Repair, DirtAction.Reject, DirtAction.Fail));
        }

        Request = TestFacts.Request with
        {
            Source = new SourceOptions
            {
                Format = InputFormat.Csv,
                Delimiter = ',',
                Quote = '"',
                HasHeader = _hasHeader,
                Encoding = encoding.WebName,
                Dirt = dirt,
                MaxRecordBytes = Of(1 << 20, 1 << 20, 2500),
                MaxQuotedLines = Of(100, 100, 3),
            },
            Values = new ValueOptions { Empty = Of(EmptyMeaning.Auto, EmptyMeaning.Default) },
            MaxRejects = RejectLimit.OfRecords(Of(1_000_000, 1_000_000, 1_000_000, 20, 0)),
        };
        Sizes = new BatchSizes(Of(7, 100, 1000), Of(300, 5000, 1 << 20), Of(50, 1000, long.MaxValue), Of(3000, 20_000, long.MaxValue))
        {
            RowsPerStatement = Of(1, 1, 10),
        };
    }

    public IReadOnlyList<byte[]> Files { get; }

    public bool IsPacked { get; }

    public TableColumn[] Targets { get; }

    public LoadRequest Request { get; }

    public BatchSizes Sizes { get; }

    private T Of<T>(params T[] some) => some[_random.Next(some.Length)];

    private byte[] Pack(byte[] bytes)
    {
        if (!IsPacked)
        {
            return bytes;
        }

        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(bytes);
        }

        return packed.ToArray();
    }

    private string Text(bool isOne)
    {
        var text = new StringBuilder(_hasHeader ? $"{string.Join(',', Targets.Select(column => column.Name))}{_newline}" : "");
        for (var (i, count) = (1, _random.Next(20, 900)); i <= count; i++)
        {
            var kind = _random.Next(_rarity) == 0 ? Of(_kinds) : -1;
            text.Append(isOne ? OneField(i, kind) : Record(i, kind)).Append(kind == 14 ? Of("\r", "\n", "\r\n") : _newline);
        }

        if (_random.Next(3) == 0)
        {
            text.Append(Of("7,\"x", "7,x,1", "", _newline, "9,\"a\",2"));
        }

        return text.ToString();
    }

    private static string OneField(int i, int kind) => kind switch
    {
        0 => "",
        1 => "\"\"",
        2 => "a,b",
        3 => new string('x', 40),
        4 => "\"a",
        5 => "a\"b",
        6 => "\"line\nanother\"",
        7 => "\uFEFFn",
        _ => $"n{i}",
    };

    private string Record(int i, int kind) => kind switch
    {
        0 => "",
        1 => $"x{i},n,1",
        2 => $"{i},n",
        3 => $"{i},n,1,2",
        4 => $"{i},\"n,1",
        5 => $"{i},n\"{i},1",
        6 => $"{i},\"n\"x,1",
        7 => $"\uFEFF{i},n,1",
        8 => $"{i},\"a{Of("\n", "\r\n", "\r")}b\n\n\nc\",",
        9 => $"{i},{new string('y', _random.Next(20, 4000))},1",
        10 => $"{i},\"{new string('z', _random.Next(20, 4000))}\",1",
        11 => $"{i},a\0b,1",
        12 => string.Join(',', Targets.Select(column => column.Name)),
        13 => $" {i} , n ,\"1\" ",
        14 => $"{i},ｱ,1",
        15 => "total,,5",
        _ => (i % 5) switch
        {
            0 => $"{i},\"a \"\"b\"\", {_newline}c\",{i}.25",
            1 => $"{i},,",
            2 => $"{i},\"\",-1",
            _ => $"{i},name {i},{i}.5",
        },
    };
}
