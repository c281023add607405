using System.IO.Compression;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

/// <summary>Several readers of JSON lines give the same as one.</summary>
public sealed class JsonPieceTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task However_many_read_the_same_comes(int seed)
    {
        var read = 0;
        for (var i = 0; i < 20; i++)
        {
            var input = new NastyJson((seed * 1000) + i);
            var names = input.Files.Select((_, file) => $"{i}-{file}.jsonl{(input.IsPacked ? ".gz" : "")}").ToArray();
            foreach (var (name, bytes) in names.Zip(input.Files))
            {
                await File.WriteAllBytesAsync(Path.Join(_folder, name), bytes, TestContext.Current.CancellationToken);
            }

            if (Prepare(names, input.Request) is not { } prepared)
            {
                continue;
            }

            read++;
            var (facts, sources) = prepared;
            var one = await BlockText.ReadAsync(sources, facts, input.Sizes, new PieceSizes(1));
            foreach (var (readers, bytes, first, alone) in new[] { (2, 300, 0, 1), (4, 1500, 400, 1000), (3, 8000, 0, 100) })
            {
                var pieces = new PieceSizes(readers)
                {
                    Bytes = bytes,
                    MinInput = 0,
                    ReadFirst = first,
                    ReadAlone = alone,
                };
                Assert.Equal(one, await BlockText.ReadAsync(sources, facts, input.Sizes, pieces));
            }
        }

        Assert.InRange(read, 15, 20);
    }

    public static TheoryData<int> Seeds => [.. Enumerable.Range(0, 20)];

    /// <summary>All but what is read first, and the last line without an end.</summary>
    [Theory]
    [InlineData("{{\"id\":{0},\"name\":\"n\\\"{0}\"}}\n")]
    [InlineData("{{ \"name\" : null, \"id\":{0} }}\r\n\n")]
    public async Task Pieces_hold_all_where_it_is_clean(string record)
    {
        var text = string.Concat(Enumerable.Range(0, 2000).Select(i => string.Format(CultureInfo.InvariantCulture, record, i))) + "{}";
        await File.WriteAllTextAsync(Path.Join(_folder, "a.jsonl"), text, TestContext.Current.CancellationToken);
        var request = TestFacts.Request with { Source = new SourceOptions { Format = InputFormat.Jsonl } };
        var (facts, sources) = Prepare(["a.jsonl"], request)!.Value;
        using var input = sources[0].Open(request.Source, CancellationToken.None);
        using var reader = (IDivisibleReader)sources[0].CreateReader(input, request.Source);
        Assert.True(reader.IsDivisible);
        var sizes = new PieceSizes(2) { Bytes = 1000, ReadFirst = 0 };
        await using var pieces = new PieceQueue(
            input, reader, () => sources[0].CreateMapper(request.Values, facts.Server.Zone), facts.RowColumns.Count, request.Source.Dirt,
            sizes);
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
        Assert.Equal((2001, text.Length - 2, "{}"), (reader.RecordNumber, reader.ByteOffset, Encoding.UTF8.GetString(reader.RawRecord)));
        Assert.Equal(text.Count(one => one == '\n') + 1, reader.LineNumber);
        Assert.False(reader.Read());
    }

    /// <summary>A key that only pieces have has come; one that no record has, has not.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task Keys_that_come_only_in_pieces_have_come(int readers)
    {
        var lines = Enumerable.Range(0, 4000).Select(i => i == 2500 ? "{\"id\":1,\"late\":\"x\",\"to\":{\"x\":1}}\n" : $"{{\"id\":{i}}}\n");
        await File.WriteAllTextAsync(
            Path.Join(_folder, "a.jsonl"), string.Concat(lines), TestContext.Current.CancellationToken);
        Assert.DoesNotContain("Exception", await ReadAsync("late", "to.x"), StringComparison.Ordinal);
        Assert.Contains("'never'", await ReadAsync("late", "never"), StringComparison.Ordinal);
        Assert.Contains("'to.y'", await ReadAsync("late", "to.y"), StringComparison.Ordinal);

        Task<string> ReadAsync(string name, string note)
        {
            var request = TestFacts.Request with
            {
                Source = new SourceOptions { Format = InputFormat.Jsonl, IgnoreUnknown = true },
                Map = [new(name, "extra"), new(note, "more")],
            };
            var (facts, sources) = Prepare(["a.jsonl"], request)!.Value;
            var pieces = new PieceSizes(readers) { Bytes = 1000, MinInput = 0, ReadFirst = 0 };
            return BlockText.ReadAsync(sources, facts, new BatchSizes(1000, 64 * 1024, 5000, 200 * 1024), pieces);
        }
    }

    /// <summary>With keys that are learned, twice the same, or of paths without a field, the order of records decides.</summary>
    [Fact]
    public void An_input_whose_keys_are_not_known_is_not_divided()
    {
        var path = JsonPath.Find("a.b")!;
        Assert.True(IsDivisible(new JsonFieldNames(["a", "b"], [])));
        Assert.True(IsDivisible(new JsonFieldNames(["a", "a.b"], [path])));
        Assert.False(IsDivisible(new JsonFieldNames(["a"], [path])));
        Assert.False(IsDivisible(new JsonFieldNames(["a", "b", "a"], [])));
        Assert.False(IsDivisible(new JsonFieldNames(null, [])));

        static bool IsDivisible(JsonFieldNames keys)
        {
            using IDivisibleReader reader = new JsonLinesReader(
                Stream.Null, new ReaderStart("in"), Dialect.Of(new SourceOptions(), InputFormat.Jsonl), keys);
            return reader.IsDivisible;
        }
    }

    private (LoadFacts Facts, List<LoadSource> Sources)? Prepare(IEnumerable<string> names, LoadRequest request)
    {
        var table = Columns.Table(NastyJson.Targets);
        TableColumn[]? key = request.Kind == JobKind.Update ? [NastyJson.Targets[0]] : null;
        var sources = new List<LoadSource>();
        foreach (var name in names)
        {
            try
            {
                using var input = InputFile.Open(Path.Join(_folder, name), request.Source);
                var look = SourceProbe.Look(input, request.Source);
                var seen = look.FieldNames ?? [];
                look = look with { FieldNames = JsonFields.Choose(seen, table, request), Paths = JsonFields.PathsOf(seen, request) };
                var mapping = ColumnMapping.Create(
                    name, look.FieldNames, look.FieldCount, table, request, hint: null, key, look.FieldLines);
                sources.Add(new LoadSource(
                    look, sources.Count == 0 ? mapping : mapping.InOrderOf(sources[0].Mapping, name, "first"), Opened: null));
            }
            catch (BulkLoadException)
            {
                return null;
            }
        }

        var columns = sources[0].Mapping.Columns.ToArray();
        return (TestFacts.Of(TestFacts.MariaDb, columns) with { Table = table, Request = request }, sources);
    }
}

/// <summary>JSON lines that are clean, dirty or both, as a seed says.</summary>
internal sealed class NastyJson
{
    public static readonly TableColumn[] Targets =
    [
        Columns.Integer("id").Required(),
        Columns.Varchar("name", 30),
        Columns.Decimal(10, 2) with { Name = "price", IsNullable = false, Default = ColumnDefault.Expression },
        Columns.Varchar("note", 200) with { Default = ColumnDefault.Constant, DefaultText = "none" },
        Columns.Varchar("late", 20),
        Columns.Varchar("extra", 10),
        Columns.Varchar("more", 200),
    ];

    /// <summary>Stands for a byte that is not UTF-8.</summary>
    private const char Broken = '\uE000';

    private const int Kinds = 34;

    private static readonly KeyValuePair<string, string>[][] Maps =
    [
        [], [new("to.city?", "more")], [new("tags[1]?", "extra"), new("to.zip?", "more")], [new("late2", "more")], [new("never", "extra")],
        [new("na.me", "extra")],
    ];

    private readonly Random _random;
    private readonly string _newline;
    private readonly int _rarity;
    private readonly int[] _kinds;

    public NastyJson(int seed)
    {
        _random = new Random(seed);
        _newline = Of("\n", "\n", "\n", "\r\n", "\r\n", " \r\n");
        _rarity = Of(5, 30, 150, 1000);
        _kinds = [.. Enumerable.Range(0, 5).Select(_ => _random.Next(Kinds))];
        IsPacked = _random.Next(5) == 0;
        var encoding = Of(Encoding.UTF8, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
            new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), Encoding.Unicode, Encoding.GetEncoding("iso-8859-1"));
        Files =
        [
            .. Enumerable.Range(0, _random.Next(1, 3)).Select(
                _ => Pack([.. encoding.GetPreamble(), .. Break(encoding.GetBytes(Text()))])),
        ];
        var ignores = _random.Next(2) == 0;
        Request = TestFacts.Request with
        {
            Kind = Of(JobKind.Import, JobKind.Import, JobKind.Update),
            Source = new SourceOptions
            {
                Format = InputFormat.Jsonl,
                Encoding = encoding.WebName,
                IgnoreUnknown = ignores,
                Comment = Of<char?>(null, null, '#', '{'),
                MaxRecordBytes = Of(1 << 20, 1 << 20, 2500),
            },
            Columns = ignores ? null : [.. Targets.Select(column => column.Name)],
            Map = ignores ? Of(Maps) : [],
            Limit = Of<long?>(null, null, null, null, null, null, 0, 100),
            MaxRejects = RejectLimit.OfRecords(Of(1_000_000, 1_000_000, 1_000_000, 20, 0)),
        };
        Sizes = new BatchSizes(Of(7, 100, 1000), Of(300, 5000, 1 << 20), Of(50, 1000, long.MaxValue), Of(3000, 20_000, long.MaxValue))
        {
            RowsPerStatement = Of(1, 1, 10),
        };
    }

    public IReadOnlyList<byte[]> Files { get; }

    public bool IsPacked { get; }

    public LoadRequest Request { get; }

    public BatchSizes Sizes { get; }

    private T Of<T>(params T[] some) => some[_random.Next(some.Length)];

    private static byte[] Break(byte[] bytes)
    {
        var mark = Encoding.UTF8.GetBytes([Broken]);
        for (var at = bytes.AsSpan().IndexOf(mark); at >= 0; at = bytes.AsSpan().IndexOf(mark))
        {
            bytes[at] = 0xC3;
        }

        return bytes;
    }

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

    private string Text()
    {
        var text = new StringBuilder();
        for (var (i, count) = (1, _random.Next(20, 900)); i <= count; i++)
        {
            var kind = i > count / 4 && _random.Next(_rarity) == 0 ? Of(_kinds) : -1;
            text.Append(Record(i, kind)).Append(kind == 21 ? Of("\n", "\r\n", "\n\n\n") : _newline);
        }

        if (_random.Next(3) == 0)
        {
            text.Append(Of("{\"id\":7", "{\"id\":7,\"name\":\"x\"}", "", _newline, "{\"id\":7}\r", "[", " "));
        }

        return text.ToString();
    }

    private string Record(int i, int kind) => kind switch
    {
        0 => "",
        1 => " \t ",
        2 => $"{{\"id\":\"x{i}\"}}",
        3 => $"{{\"id\":{i},\"other{i % 3}\":[{i},{{\"a\":\"}}\"}}]}}",
        4 => $"{{\"id\":{i},\"name\":\"a\",\"name\":\"b\"}}",
        5 => $"{{\"id\":{i},\"name\":\"n",
        6 => $"{{\"id\":{i},\"name\":\"\\ud800\"}}",
        7 => $"{{\"id\":{i},\"name\":\"a{Broken}b\"}}",
        8 => $"{{\"i\\u0064\":{i},\"na\\u006de\":\"\\\"\\\\\\n\"}}",
        9 => $"{{\"id\":{i},\"name\":{{\"a\": [1, 2]}},\"note\":[ ]}}",
        10 => $"[{i}]",
        11 => $"#{{\"id\":{i}}}",
        12 => $"{{\"id\":{i},\"note\":\"{new string('y', _random.Next(20, 4000))}\"}}",
        13 => "{}",
        14 => $"{{\"price\":{i},\"note\":\"o\",\"name\":\"reordered\",\"id\":{i}}}",
        15 => $" {{ \"id\" : {i}\t,\"name\" : \"a\" , \"price\":1 }} ",
        16 => "{\"name\":\"no id\"}",
        17 => "{\"id\":null,\"name\":null}",
        18 => $"{{\"id\":{i},\"to\":{{\"city\":\"a\",\"city\":\"b\"}}}}",
        19 => $"{{\"id\":{i}}} x",
        20 => $"{{\"id\":{i},\"name\":\"a\rb\"}}",
        21 => $"{{\"id\":{i},\r\"name\":\"a\"}}",
        22 => $"{{\"id\":{i},\"late\":\"{i}\",\"late2\":true}}",
        23 => $"\uFEFF{{\"id\":{i}}}",
        24 => $"{{\"id\":{i},\"name\":\"\\ud83d\\ude00 é 😀\"}}",
        25 => $"{{\"id\":{Of("1e2", "-0", "01", "1.", "1.50", "-", "+1", "1E+2x", "NaN", "tru", "true", "nulll")}}}",
        26 => $"{{\"id\":{i},\"name\":{new string('[', 300)}{new string(']', 300)}}}",
        27 => $"{{\"id\":{i},\"extra\":\"a\"}}",
        28 => $"{{\"id\":{i},\"name\":\"a\tb\"}}",
        29 => $"{{\"id\":{i},\"tags\":[\"a\",\"t{i}\",\"\\u00e9\"],\"to\":{{\"zip\":{i},\"city\":\"c\\n\"}}}}",
        30 => $"{{\"id\":{i},\"na.me\":\"own\",\"na\":{{\"me\":\"path\"}},\"to.city\":\"x\"}}",
        31 => $"{{\"id\":{i},\"\":1}}",
        32 => $"{{\"id\":{i},}}",
        33 => $"{{\"id\":{i}}}{{\"id\":{i}}}",
        _ => (i % 5) switch
        {
            0 => $"{{\"id\":{i},\"name\":\"a \\\"b\\\", c\",\"price\":{i}.25}}",
            1 => $"{{\"id\":{i},\"name\":null,\"late\":\"\"}}",
            2 => $"{{\"id\":\"{i}\",\"price\":-1,\"note\":\"\"}}",
            _ => $"{{\"id\":{i},\"name\":\"name {i}\",\"price\":{i}.5}}",
        },
    };
}
