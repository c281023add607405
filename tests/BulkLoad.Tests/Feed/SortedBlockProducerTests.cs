using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

/// <summary>What the reading side gives where records are sorted.</summary>
public sealed class SortedBlockProducerTests : IDisposable
{
    private const int Ample = 1 << 22;
    private const int Tiny = 4096;

    private static readonly BatchSizes Sizes = new(10, 1 << 20, 100, long.MaxValue);
    private static readonly SortPlan ById = new([0], "(id)", "");

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>What is known of one record as it comes.</summary>
    private sealed record Given(long Place, long Offset, string File, long Record, long Line, string Text, bool IsReject)
    {
        public bool IsSuperseded { get; init; }
    }

    /// <summary>Ids out of order, some of them several times; every 97th is none, and every 101st has a line of its own before
    /// it.</summary>
    private static string Records(int seed, int count)
    {
        var random = new Random(seed);
        return "id,name\n" + string.Concat(Enumerable.Range(1, count).Select(i =>
            $"{(i % 101 == 0 ? "\n" : "")}{(i % 97 == 0 ? "x" : "")}{random.Next(-count, count)},\"n{i}{(i % 5 == 0 ? "\n" : "")}\"\n"));
    }

    private LoadRequest Request(long rejects = 1000) => TestFacts.Request with
    {
        Source = new SourceOptions { Format = InputFormat.Csv, Dirt = DirtPolicies.None.With(DirtKind.EmptyLines, DirtAction.Repair) },
        TempFolder = _folder,
        MaxRejects = RejectLimit.OfRecords(rejects),
    };

    private static (LoadFacts Facts, List<LoadSource> Sources) Prepare(
        LoadRequest request, IReadOnlyList<(string Name, string Content)> inputs)
    {
        var table = Columns.Table(Columns.Integer("id").Required(), Columns.Varchar("name"));
        var sources = new List<LoadSource>();
        foreach (var (name, content) in inputs)
        {
            var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(content)), name, request.Source);
            var look = SourceProbe.Look(input, request.Source);
            sources.Add(new LoadSource(look, ColumnMapping.Create(name, look.FieldNames, look.FieldCount, table, request, null), input));
        }

        return (TestFacts.Of(TestFacts.MariaDb, [.. table.Columns]) with { Table = table, Request = request }, sources);
    }

    /// <summary>Everything that comes, chunk by chunk.</summary>
    private static async Task<(List<List<Given>> Chunks, List<string> Repairs)> ReadAsync(
        LoadRequest request, IReadOnlyList<(string Name, string Content)> inputs, int sortBytes, CommittedRecords? committed = null,
        ResumePoint behind = default)
    {
        var (facts, sources) = Prepare(request, inputs);
        var reading = new InputReader(sources, facts, Sizes, new KnownRecords(committed, behind), ById) { SortBytes = sortBytes };
        var chunks = new List<List<Given>> { new() };
        var repairs = new List<string>();
        await using var pass = reading.Start(CancellationToken.None);
        await foreach (var block in pass.Blocks.ReadAllAsync())
        {
            Assert.True(block.RowCount <= Sizes.RowsPerBatch);
            chunks[^1].AddRange(block.Rejects.Select(reject => new Given(
                reject.Place.Record, reject.Place.Offset, reject.Source, reject.Record, reject.Line,
                Encoding.UTF8.GetString(reject.Text.Span), IsReject: true)));
            for (var row = 0; row < block.RowCount; row++)
            {
                var origin = block.Origin(row);
                Assert.Equal(block.Line(row), origin.Line);
                chunks[^1].Add(new Given(
                    block.Record(row), block.Offset(row), inputs[origin.Source].Name, origin.Record, origin.Line,
                    Encoding.UTF8.GetString(block.Original(row)), IsReject: false)
                {
                    IsSuperseded = block.IsSuperseded(row),
                });
            }

            repairs.AddRange(block.Repairs.Select(repair => $"{repair.Source}:{repair.Line}"));
            if (block.EndsChunk && !block.EndsJob)
            {
                chunks.Add([]);
            }

            reading.Blocks.Return(block);
        }

        return (chunks, repairs);
    }

    [Theory]
    [InlineData(Ample)]
    [InlineData(Tiny)]
    public async Task Records_of_all_inputs_come_as_one_refused_ones_first_then_by_key_and_know_where_they_stood(int sortBytes)
    {
        (string, string)[] inputs = [("a.csv", Records(1, 1500)), ("b.csv", Records(2, 700))];
        var (chunks, repairs) = await ReadAsync(Request(), inputs, sortBytes);
        var given = chunks.SelectMany(chunk => chunk).ToList();

        var plain = await PlainAsync(inputs);
        Assert.Equal([.. plain.Rejects, .. plain.Rows.OrderBy(row => row.Id).Select(row => row.Given)],
            given.Select(one => (one.File, one.Record, one.Line, one.Text, one.IsReject)));
        Assert.Equal(22, given.Count(one => one.IsReject));
        Assert.Equal(Enumerable.Range(1, 2200).Select(place => (long)place), given.Select(one => one.Place));
        Assert.Equal(given.Skip(1).Select(one => one.Offset),
            given.SkipLast(1).Select(one => one.Offset + Encoding.UTF8.GetByteCount(one.Text) + 1));
        Assert.Equal(plain.Repairs, repairs);
        Assert.All(chunks.SkipLast(1), chunk => Assert.InRange(chunk.Count, 100, 120));
        Assert.All(chunks.Zip(chunks.Skip(1)), pair => Assert.NotEqual(IdOf(pair.First[^1]), IdOf(pair.Second[0])));
        Assert.Contains(chunks, chunk => chunk.Count > 100);
        Assert.Empty(Directory.GetFileSystemEntries(_folder));
    }

    private static string IdOf(Given one) => one.Text.Split(',')[0].Trim();

    [Theory]
    [InlineData(nameof(JobKind.Delete), Ample)]
    [InlineData(nameof(JobKind.Delete), Tiny)]
    [InlineData(nameof(JobKind.Update), Ample)]
    [InlineData(nameof(JobKind.Update), Tiny)]
    public async Task Of_rows_to_be_found_the_first_of_a_delete_and_the_last_of_an_update_stand_for_the_others_with_their_key(string kind,
        int sortBytes)
    {
        (string, string)[] inputs = [("a.csv", Records(1, 1500)), ("b.csv", Records(2, 700))];
        var (chunks, _) = await ReadAsync(Request() with { Kind = Enum.Parse<JobKind>(kind) }, inputs, sortBytes);
        var given = chunks.SelectMany(chunk => chunk).Where(one => !one.IsReject).ToList();

        var plain = await PlainAsync(inputs);
        var expected = plain.Rows.GroupBy(row => row.Id).OrderBy(same => same.Key)
            .SelectMany(same => (Enum.Parse<JobKind>(kind) == JobKind.Update ? same.Reverse() : same)
                .Select((row, place) => (row.Given.Item1, row.Given.Item2, IsSuperseded: place > 0)));
        Assert.Equal(expected, given.Select(one => (one.File, one.Record, one.IsSuperseded)));
        Assert.InRange(given.Count(one => one.IsSuperseded), 400, 1000);
    }

    [Fact]
    public async Task An_update_that_goes_on_supersedes_what_its_committed_records_stand_for()
    {
        var content = "id,name\n" + string.Concat(Enumerable.Range(1, 300).Select(i => $"{i % 3},n{i}\n"));
        var request = Request() with { Kind = JobKind.Update, RowsPerChunk = Sizes.RowsPerChunk };
        var (all, _) = await ReadAsync(request, [("a.csv", content)], Ample);
        Assert.Equal([(100, "0,n300"), (100, "1,n298"), (100, "2,n299")],
            all.Select(chunk => (chunk.Count, chunk.Single(one => !one.IsSuperseded).Text)));
        var (longer, _) = await ReadAsync(request, [("a.csv", content + "0,x\n")], Ample);
        Assert.Equal([(100, 1), (100, 1), (100, 1), (1, 0)], longer.Select(chunk => (chunk.Count, chunk.Count(one => !one.IsSuperseded))));

        // A record more of a key that is committed: what stood for it would not be the last one any more.
        var committed = Committed(all.Take(1), isComplete: false);
        var fault =
            await ShouldFailAsync<ChangedInputException>(() => ReadAsync(request, [("a.csv", content + "0,x\n")], Ample, committed));
        Assert.Contains(
            "a.csv: has changed since job j committed it (sorted by (id), records 1-100 differ", fault.Message, StringComparison.Ordinal);
        var committedLess = Committed(longer.Take(1), isComplete: false);
        var (rest, _) = await ReadAsync(request, [("a.csv", content + "0,x\n")], Ample, committedLess);
        Assert.Equal(longer.Skip(1).SelectMany(chunk => chunk), rest.SelectMany(chunk => chunk));
        Assert.True(rest[0][0].IsSuperseded);
    }

    /// <summary>The same records in the inputs' order.</summary>
    private async Task<(List<(string, long, long, string, bool)> Rejects, List<(int Id, (string, long, long, string, bool) Given)> Rows,
        List<string> Repairs)> PlainAsync((string Name, string Content)[] inputs)
    {
        var request = Request();
        var (facts, sources) = Prepare(request, inputs);
        var reading = new InputReader(sources, facts, Sizes);
        var (rejects, rows, repairs) =
            (new List<(string, long, long, string, bool)>(), new List<(int, (string, long, long, string, bool))>(), new List<string>());
        await using var pass = reading.Start(CancellationToken.None);
        await foreach (var block in pass.Blocks.ReadAllAsync())
        {
            rejects.AddRange(block.Rejects.Select(
                reject => (reject.Source, reject.Record, reject.Line, Encoding.UTF8.GetString(reject.Text.Span), true)));
            repairs.AddRange(block.Repairs.Select(repair => $"{repair.Source}:{repair.Line}"));
            for (var row = 0; row < block.RowCount; row++)
            {
                block.Get(row, 0, out var id);
                rows.Add((int.Parse(id, CultureInfo.InvariantCulture),
                    (inputs[block.Source].Name, block.Record(row), block.Line(row), Encoding.UTF8.GetString(block.Original(row)), false)));
            }
        }

        return (rejects, rows, repairs);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(7)]
    public async Task What_is_committed_is_passed_over_and_found_to_be_the_same_wherever_the_bytes_of_others_have_moved(int chunks)
    {
        (string Name, string Content)[] inputs = [("a.csv", Records(1, 700))];
        var (all, repairs) = await ReadAsync(Request(), inputs, Tiny);
        var committed = Committed(all.Take(chunks), isComplete: false);

        // The last record is not committed, and moves no place where it is longer.
        var last = all[^1][^1];
        var corrected = chunks == all.Count ? inputs[0].Content : inputs[0].Content.Replace(
            last.Text, last.Text.Replace("n", "corrected n", StringComparison.Ordinal), StringComparison.Ordinal);
        var (rest, again) = await ReadAsync(Request(), [("a.csv", corrected)], Ample, committed);

        if (chunks == all.Count)
        {
            Assert.Empty(rest.Single());
            return;
        }

        Assert.Equal(all.Skip(chunks).SelectMany(chunk => chunk).SkipLast(1).Select(one => (one.Place, one.Offset, one.Text)),
            rest.SelectMany(chunk => chunk).SkipLast(1).Select(one => (one.Place, one.Offset, one.Text)));
        Assert.Equal(all.Skip(chunks).Select(chunk => chunk.Count), rest.Select(chunk => chunk.Count));
        Assert.NotEmpty(repairs);
        Assert.Empty(again);
    }

    private static CommittedRecords Committed(IEnumerable<List<Given>> chunks, bool isComplete)
    {
        var hash = new ChunkHash();
        var entries = new List<LedgerChunk>();
        foreach (var chunk in chunks)
        {
            chunk.ForEach(one => hash.Add(one.Offset, Encoding.UTF8.GetBytes(one.Text)));
            entries.Add(new LedgerChunk
            {
                Source = 0,
                FirstRecord = chunk[0].Place,
                FirstOffset = chunk[0].Offset,
                LastSource = 0,
                LastRecord = chunk[^1].Place,
                LastOffset = chunk[^1].Offset,
                Content = hash.Finish(),
                Taken = default,
                Batches = 1,
                Rejects = new Dictionary<string, long>(),
                Repairs = new Dictionary<string, long>(),
                Findings = default,
            });
        }

        return new CommittedRecords("j", [.. entries], isComplete, ["a.csv"]) { SortedBy = "(id)" };
    }

    [Fact]
    public async Task A_record_that_belongs_before_the_last_committed_one_is_refused()
    {
        (string Name, string Content)[] inputs = [("a.csv", "id,name\n5,e\n1,a\n4,d\n2,b\n")];
        var (all, _) = await ReadAsync(Request(), inputs, Ample);
        var first = all[0].Take(2).ToList();
        foreach (var (content, isComplete) in new[]
        {
            ("id,name\n5,e\n1,a\n0,d\n2,b\n", false), ("id,name\n5,e\n4,d\n2,b\n", false), ("id,name\n5,e\n1,a\n4,d\n2,B\n", false),
            ("id,name\n5,e\n1,a\n4,d\n2,b\n", true)
        })
        {
            var committed = Committed([first], isComplete);
            var fault = await ShouldFailAsync<ChangedInputException>(() => ReadAsync(Request(), [("a.csv", content)], Ample, committed));
            Assert.Contains(isComplete ? "a.csv: there are more records than when job j completed them, 2" : "a.csv: has changed since job "
                + "j committed it (sorted by (id), records 1-2 differ", fault.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Behind_what_this_start_has_committed_the_rest_comes()
    {
        (string Name, string Content)[] inputs = [("a.csv", Records(1, 700))];
        var (all, _) = await ReadAsync(Request(), inputs, Ample);
        var (rest, repairs) = await ReadAsync(Request(), inputs, Ample, behind: new ResumePoint(0, 250, 7));
        Assert.Equal(all.SelectMany(chunk => chunk).Skip(250), rest.SelectMany(chunk => chunk));
        Assert.Empty(repairs);
    }

    [Fact]
    public async Task A_refused_record_too_many_ends_it_before_any_row()
    {
        var (chunks, _) = await ReadAsync(Request(rejects: 2), [("a.csv", Records(1, 700))], Ample);
        Assert.Equal([97, 194, 291], chunks.Single().Select(one => one.Record));
        Assert.All(chunks.Single(), one => Assert.True(one.IsReject));
    }

    [Fact]
    public async Task Refused_records_that_are_committed_end_nothing()
    {
        (string Name, string Content)[] inputs = [("a.csv", Records(1, 700))];
        var (all, _) = await ReadAsync(Request(), inputs, Ample);
        var (rest, _) = await ReadAsync(Request(rejects: 2), inputs, Ample, behind: new ResumePoint(0, 250, 7));
        Assert.Equal(all.SelectMany(chunk => chunk).Skip(250), rest.SelectMany(chunk => chunk));
        (rest, _) = await ReadAsync(Request(rejects: 2), inputs, Ample, behind: new ResumePoint(0, 250, 6));
        Assert.All(rest.Single(), one => Assert.True(one.IsReject));
    }

    [Fact]
    public async Task Lines_that_were_passed_over_are_told_though_there_is_no_record()
    {
        var (chunks, repairs) = await ReadAsync(Request(), [("a.csv", "id,name\n\n\n")], Ample);
        Assert.Equal((0, "a.csv:2 a.csv:3"), (chunks.Single().Count, string.Join(' ', repairs)));
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_to_is_told()
    {
        var request = Request() with { TempFolder = Path.Combine(_folder, "missing") };
        await ShouldFailAsync<TempFileException>(() => ReadAsync(request, [("a.csv", Records(1, 700))], Tiny));
    }

    /// <summary>What ends the reading may be thrown by the channel.</summary>
    private static async Task<T> ShouldFailAsync<T>(Func<Task> readAsync)
    {
        var fault = await Assert.ThrowsAnyAsync<Exception>(readAsync);
        return Assert.IsType<T>(fault is ChannelClosedException { InnerException: { } inner } ? inner : fault);
    }
}
