using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

/// <summary>All parts of a file together have each of its records once, with its place in the file.</summary>
public sealed class PartFinderTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task All_parts_have_what_the_file_has(int seed)
    {
        var divided = 0;
        for (var i = 0; i < 20; i++)
        {
            var input = new NastyInput((seed * 1000) + i);
            var request = input.Request with { MaxRejects = RejectLimit.OfRecords(1_000_000) };
            if (input.IsPacked || Prepare($"{i}.csv", input.Files[0], input.Targets, request) is not { } whole)
            {
                continue;
            }

            var all = await ReadAsync(whole, input.Targets, request, input.Sizes, new PieceSizes(1));
            if (all[^1].StartsWith("fault", StringComparison.Ordinal) || whole.Look.FindPartObstacle(request.Source) is not null)
            {
                continue;
            }

            divided++;
            foreach (var (count, readers) in new[] { (1, 1), (2, 1), (3, 4), (i % 5 == 0 ? 300 : 7, 1) })
            {
                var pieces = new PieceSizes(readers) { Bytes = 300, MinInput = 0, ReadFirst = 0, ReadAlone = 1 };
                var found = new List<string>();
                var end = 0L;
                for (var number = 1; number <= count; number++)
                {
                    var part = PartOf(whole, new PartOfFile(number, count), request.Source);
                    Assert.True(part.Look.Part!.From >= end && part.Look.Part.To >= part.Look.Part.From);
                    end = part.Look.Part.To;
                    found.AddRange(await ReadAsync(part, input.Targets, request, input.Sizes, pieces));
                }

                Assert.Equal(all, found);
            }
        }

        Assert.InRange(divided, 3, 20);
    }

    public static TheoryData<int> Seeds => [.. Enumerable.Range(0, 10)];

    /// <summary>Line ends find the same parts, where no record has one; but nobody knows the lines.</summary>
    [Theory]
    [InlineData("{0},n{0}\n", "id,name\n", InputFormat.Csv)]
    [InlineData("{0},\"n,\"\"{0}\"\r\n", "id,name\r\n", InputFormat.Csv)]
    [InlineData("{0},n{0}\r", "id,name\r", InputFormat.Csv)]
    [InlineData("{0}\tn{0}\n\n", "", InputFormat.Tsv)]
    [InlineData("{{\"id\": {0}, \"name\": \"n\\r\\n\"}}\n", "", InputFormat.Jsonl)]
    public async Task Line_ends_find_the_same_parts(string record, string header, InputFormat format)
    {
        TableColumn[] columns = [Columns.Integer("id").Required(), Columns.Varchar("name", 30)];
        var text = header
            + string.Concat(Enumerable.Range(0, 3000).Select(i => string.Format(CultureInfo.InvariantCulture, record, i * i)));
        var request = TestFacts.Request with
        {
            Source = new SourceOptions { Format = format, HasHeader = header.Length > 0, MaxQuotedLines = 0 },
        };
        foreach (var last in new[] { "", format switch
        {
            InputFormat.Jsonl => "{\"id\": 1}",
            InputFormat.Tsv => "1\tx",
            _ => "1,x",
        } })
        {
            var whole = Prepare("a", Encoding.UTF8.GetBytes(text + last), columns, request)!;
            var slow = request.Source with { MaxQuotedLines = 10 };
            foreach (var count in new[] { 1, 2, 5, 16 })
            {
                for (var number = 1; number <= count; number++)
                {
                    var part = PartOf(whole, new PartOfFile(number, count), request.Source);
                    var same = PartOf(whole, new PartOfFile(number, count), slow).Look.Part!;
                    if (!record.EndsWith("\n\n", StringComparison.Ordinal))
                    {
                        Assert.Equal((same.From, same.To), (part.Look.Part!.From, part.Look.Part.To));
                    }

                    var pieces = new PieceSizes(3) { Bytes = 1000, MinInput = 0, ReadFirst = 0 };
                    var records = await ReadAsync(part, columns, request, PartSizes, pieces);
                    var known = await ReadAsync(
                        WithLines(part, same.LinesBefore), columns, request, PartSizes, new PieceSizes(1));
                    Assert.Equal(known.Select(WithoutLine), number == 1 ? records.Select(WithoutLine) : records);
                }
            }
        }
    }

    [Theory]
    [InlineData("id,name\n1,\"a\nb\"\n2,c\n", "not closed on this line")]
    public async Task A_record_with_a_line_end_is_refused_where_there_is_none(string text, string message)
    {
        TableColumn[] columns = [Columns.Integer("id").Required(), Columns.Varchar("name", 30)];
        var request = TestFacts.Request with
        {
            Source = new SourceOptions { Format = InputFormat.Csv, MaxQuotedLines = 0 },
            MaxRejects = RejectLimit.OfRecords(10),
        };
        var whole = Prepare("a.csv", Encoding.UTF8.GetBytes(text), columns, request)!;
        var all = await ReadAsync(whole, columns, request, PartSizes, new PieceSizes(1));
        Assert.Equal(3, all.Count);
        Assert.Contains(message, all[0]);
    }

    [Fact]
    public void What_has_to_be_read_as_a_whole_is_refused()
    {
        Refuse("a.json", "[{\"id\": 1}]", new SourceOptions { Format = InputFormat.Json }, "of format json");
        var dirt = DirtPolicies.None.With(DirtKind.Footer, DirtAction.Repair);
        Refuse("a.csv", "id\n1\n", new SourceOptions { Dirt = dirt }, "--dirt footer");
        Refuse("b.csv", "id\n1\n", new SourceOptions { Escape = '\\', MaxQuotedLines = 0 }, "escaped line ends");
        Refuse("c.csv", "id\n1\n", new SourceOptions { Encoding = "utf-16", MaxQuotedLines = 0 }, "in utf-16", Encoding.Unicode);

        void Refuse(string name, string text, SourceOptions options, string why, Encoding? encoding = null)
        {
            TableColumn[] columns = [Columns.Integer("id").Required()];
            var whole = Prepare(name, (encoding ?? Encoding.UTF8).GetBytes(text), columns, TestFacts.Request with { Source = options })!;
            var fault = Assert.Throws<PlanException>(() => PartOf(whole, new PartOfFile(1, 2), options));
            Assert.Contains(why, fault.Message);
        }
    }

    /// <summary>A range is one line, however many keys it means.</summary>
    [Fact]
    public void A_range_of_keys_is_not_counted()
    {
        var options = new SourceOptions { Format = InputFormat.Keys, ReadsRanges = true };
        var path = Path.Join(_folder, "ids.txt");
        File.WriteAllText(path, "1..9000000000000000\n5\n");
        using var input = InputFile.Open(path, options);
        var look = SourceProbe.Look(input, options);
        var part = PartFinder.Find(look, new PartOfFile(2, 2), options, progress: null, default);
        Assert.Equal((20L, 22L, 1L), (part.From, part.To, part.LinesBefore));
    }

    [Fact]
    public async Task A_file_that_has_grown_since_is_refused()
    {
        TableColumn[] columns = [Columns.Integer("id").Required()];
        var whole = Prepare("a.csv", "id\n1\n2\n3\n4\n"u8.ToArray(), columns, TestFacts.Request)!;
        var part = PartOf(whole, new PartOfFile(2, 2), TestFacts.Request.Source);
        await File.AppendAllTextAsync(Path.Join(_folder, "a.csv"), "5\n", TestContext.Current.CancellationToken);
        Assert.Contains("changed while", (await ReadAsync(part, columns, TestFacts.Request, PartSizes, new PieceSizes(1)))[^1]);
    }

    private static readonly BatchSizes PartSizes = new(1000, 64 * 1024, 5000, 200 * 1024);

    private static LoadSource PartOf(LoadSource whole, PartOfFile asked, SourceOptions options) =>
        whole with { Look = whole.Look.In(PartFinder.Find(whole.Look, asked, options, progress: null, default)) };

    private static LoadSource WithLines(LoadSource part, long? lines) =>
        part with { Look = part.Look with { Part = part.Look.Part! with { LinesBefore = lines } } };

    private static string WithoutLine(string row) => $"{RowOrigin.UnknownLine} {row[(row.IndexOf(' ', StringComparison.Ordinal) + 1)..]}";

    /// <summary>A line for each record: its line and offset, then its bytes and values, or why it is refused.</summary>
    private static async Task<List<string>> ReadAsync(
        LoadSource source, TableColumn[] columns, LoadRequest request, BatchSizes sizes, PieceSizes pieces)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, columns) with { Table = Columns.Table(columns), Request = request };
        var found = new List<(long Offset, string Text)>();
        try
        {
            await foreach (var block in new InputReader([source], facts, sizes) { Pieces = pieces }.ReadAsync(CancellationToken.None))
            {
                for (var row = 0; row < block.RowCount; row++)
                {
                    found.Add((block.Offset(row), $"{block.Line(row)} {block.Offset(row)} {Text(block.Original(row))}: "
                        + Text(block.TextOf(row, 1).Span)));
                }

                // Which of two reasons for an unclosed quote is said depends on what is behind the part.
                found.AddRange(block.Rejects.Select(reject => (reject.Offset,
                    $"{reject.Line} {reject.Offset} {Text(reject.Text.Span)}: {reject.Code} "
                        + (reject.Code == RecordFaults.UnclosedQuoteCode && request.Source.MaxQuotedLines > 0 ? "" : reject.Describe()))));
            }
        }
        catch (BulkLoadException fault)
        {
            found.Add((long.MaxValue, $"fault: {fault.Message}"));
        }

        return [.. found.OrderBy(one => one.Offset).Select(one => one.Text)];

        static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);
    }

    /// <returns>null: the file cannot be read with these options</returns>
    private LoadSource? Prepare(string name, byte[] content, TableColumn[] columns, LoadRequest request)
    {
        var path = Path.Join(_folder, name);
        File.WriteAllBytes(path, content);
        return FileSources.Find(path, Columns.Table(columns), request);
    }
}
