using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Sorting;

/// <summary>Runs whose records are sorted first.</summary>
public sealed class SortedRunTests
{
    private static readonly SortPlan ById = new([0], "(id)", "");
    private static readonly (string, string)[] TwoFiles =
        [("a.csv", "id,name\n5,e\nx,?\n1,a\n4,d\n"), ("b.csv", "id,name\n3,c\n4,D\n2,b\n")];

    private static LoadRun Create(long rejects, IProgress<LoadProgress>? progress = null) => Runs.Create(
        Runs.LoadData, Runs.TwoRowsAChunk, TwoFiles, request: TestFacts.Request with { MaxRejects = RejectLimit.OfRecords(rejects) },
        sort: ById, progress: progress);

    /// <summary>The ids that were sent, in chunks.</summary>
    private static string SentBy(RecordingSession session) => string.Concat(session.Transcript.Split('\n').Select(line =>
        line.Contains("<end>", StringComparison.Ordinal)
            ? $"{line.Trim().Replace("<end>", "", StringComparison.Ordinal).TrimEnd('\\', 'n')} " : line == "COMMIT -> ok" ? "| " : ""))
        .Trim();

    [Fact]
    public async Task Records_go_by_key_and_equal_ones_as_they_stand()
    {
        var session = new RecordingSession();
        var run = Create(rejects: 1);

        await run.RunAsync(session, CancellationToken.None);

        var order = string.Concat(SentBy(session).Where(letter => char.IsLetter(letter) || letter == '|'));
        Assert.Equal("a|bc|dD|e|", order);
        Assert.Equal((7, 6, 1), (run.Read.Records, run.Committed.Records, run.Rejects.Count));
        Assert.Equal((4, 3), (run.Read.RecordsOf(0), run.Read.RecordsOf(1)));
        var reject = run.Rejects.First.Single();
        Assert.Equal(("a.csv", 2, 3), (reject.Source, reject.Record, reject.Line));
        Assert.Equal((7, 1, 6), (Runs.Counts(run).Read, Runs.Counts(run).Rejected, Runs.Counts(run).Inserted));
    }

    [Fact]
    public async Task A_row_that_the_server_refuses_is_told_where_it_stands()
    {
        var session = new RecordingSession().Refuses("4<end>D", new ServerException(1062, "23000", "Duplicate entry '4'"));
        var run = Create(rejects: 2);

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal([("a.csv", 2, 3, 12), ("b.csv", 2, 3, 12)],
            run.Rejects.First.Select(reject => (reject.Source, (int)reject.Record, (int)reject.Line, (int)reject.Offset)));
        Assert.Equal((7, 5, 2), (run.Read.Records, run.Committed.Records, run.Rejects.Count));
    }

    [Fact]
    public async Task What_stays_is_told_by_its_place()
    {
        var session = new RecordingSession().Refuses("4<end>D", new ServerException(1062, "23000", "Duplicate entry '4'"));
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => Create(rejects: 1).RunAsync(session, CancellationToken.None));
        Assert.Matches(
            @"^b\.csv:3: the server refused it: Duplicate entry '4'.*\n  stopped after 2 rejects, where --max-rejects is 1: "
                + @"3 rows are in shop.people \(chunks 1-2, the first 4 records by \(id\), stay committed\)\n  correct the line; "
                + @"import what follows the first 4 records by \(id\)$",
            fault.Told());
    }

    [Fact]
    public async Task Nothing_is_sent_where_a_rule_refuses_a_record_too_many()
    {
        var session = new RecordingSession();
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => Create(rejects: 0).RunAsync(session, CancellationToken.None));
        Assert.Contains("a.csv:3: ", fault.Message, StringComparison.Ordinal);
        Assert.Contains("\n  stopped at the first bad record: nothing was loaded\n", fault.Told(), StringComparison.Ordinal);
        Assert.Equal("", SentBy(session));
    }

    [Fact]
    public async Task A_share_of_rejects_is_one_of_all_records()
    {
        var content = "id,name\n" + string.Concat(Enumerable.Range(1, 20_000).Select(i => i % 100 == 0 ? "x,n\n" : $"{20_000 - i},n\n"));
        var run = Runs.Create(
            Runs.LoadData, new BatchSizes(1000, 1 << 20, 11_000, long.MaxValue), [("a.csv", content)],
            request: TestFacts.Request with { MaxRejects = RejectLimit.OfPercent(1) }, sort: ById);
        await run.RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal((20_000, 200, 19_800), (run.Read.Records, run.Rejects.Count, run.Committed.Records));
    }

    [Theory]
    [InlineData("4 2 2 9 1 11 11 11", "1 2 2 | 4 9 | 11 11 11 |")]
    [InlineData("3 2 1 4", "1 2 | 3 4 |")]
    public async Task Records_of_one_key_stay_in_one_chunk_so_that_sessions_have_no_key_in_common(string ids, string sent)
    {
        var content = "id,name\n" + string.Concat(ids.Split(' ').Select(id => $"{id},n\n"));
        var session = new RecordingSession();
        var run = Runs.Create(
            Runs.LoadData, Runs.TwoRowsAChunk, [("a.csv", content)], sessions: new SessionPlan(2, "", [[0]]), sort: ById,
            connect: _ => Task.FromException<IServerSession>(new ConnectException("too many connections")));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(sent, string.Concat(session.Transcript.Split('\n').Select(line =>
            line.Contains("<end>", StringComparison.Ordinal) ? $"{line.Trim().Split('<')[0]} " : line == "COMMIT -> ok" ? "| " : ""))
            .Trim());
        var report = run.Complete(new LoadReport { Outcome = LoadOutcome.Complete });
        Assert.DoesNotContain(report.Notes, text => text.StartsWith("one session at a time", StringComparison.Ordinal)
            || text.StartsWith("chunks that had to wait", StringComparison.Ordinal));
    }

    [Fact]
    public async Task While_records_are_sorted_progress_says_so()
    {
        var told = new List<LoadProgress>();
        await Create(rejects: 1, new Told(told.Add)).RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal("sorting", told[0].Held);
        Assert.Equal((0, 6, null), (told[0].RecordsSent, told[^1].RecordsSent, told[^1].Held));
    }
}
