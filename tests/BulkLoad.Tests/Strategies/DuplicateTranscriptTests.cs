using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Strategies;

/// <summary>What a server hears of records whose key may be there.</summary>
public sealed class DuplicateTranscriptTests
{
    private const string FivePeople = "id,name\n1,Ada\n2,Bob\n3,Cid\n2,Bo\n4,Dan\n";

    private static readonly UniqueKey Primary = new("PRIMARY", [new KeyPart("id")]);
    private static readonly UniqueKey ByName = new("name", [new KeyPart("name")]);
    private static readonly ServerException Duplicate = new(1062, "23000", "Duplicate entry '2' for key 'PRIMARY'");

    private static LoadRun Run(
        DuplicateMode mode, ServerFacts server, string content = FivePeople, TableColumn[]? columns = null,
        IReadOnlyList<UniqueKey>? keys = null, RejectLimit? limit = null) => Runs.Create(
            new MultiRowInsertStrategy(), new BatchSizes(3, 1 << 20, long.MaxValue, long.MaxValue), [("people.csv", content)], columns,
            TestFacts.Request with { OnDuplicate = mode, MaxRejects = limit ?? RejectLimit.None }, server, keys: keys ?? [Primary]);

    private static ServerFacts Server(string kind) => kind == "mysql" ? TestFacts.MySql : TestFacts.MariaDb;

    [Theory]
    [InlineData("mariadb")]
    [InlineData("mysql")]
    public async Task Ignore_sets_the_key_to_itself(string kind)
    {
        var session = new RecordingSession(kind == "mariadb")
            .Answers("run", 1, 2, info: "Records: 3  Duplicates: 0  Warnings: 0")
            .Answers("run", 2, 1, info: "Records: 2  Duplicates: 0  Warnings: 0");
        var run = Run(DuplicateMode.Ignore, Server(kind));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check($"on-duplicate-ignore-{kind}", session.Transcript);
        Assert.Equal(new RowCounts(3, Ignored: 2), run.Committed.Taken);
    }

    [Theory]
    [InlineData("mariadb")]
    [InlineData("mysql")]
    public async Task Update_sets_every_column_of_the_input(string kind)
    {
        var session = new RecordingSession(kind == "mariadb")
            .Answers("run", 1, 3, info: "Records: 3  Duplicates: 1  Warnings: 0")
            .Answers("run", 2, 3, info: "Records: 2  Duplicates: 1  Warnings: 0");
        var run = Run(DuplicateMode.Update, Server(kind));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check($"on-duplicate-update-{kind}", session.Transcript);
        Assert.Equal(new RowCounts(2, 2, 1), run.Committed.Taken);
    }

    [Theory]
    [InlineData("mariadb")]
    [InlineData("mysql")]
    public async Task Replace_sets_every_column_of_a_simple_table(string kind)
    {
        var session = new RecordingSession(kind == "mariadb")
            .Answers("run", 1, 3, info: "Records: 3  Duplicates: 1  Warnings: 0")
            .Answers("run", 2, 3, info: "Records: 2  Duplicates: 1  Warnings: 0");
        var columns = new[]
        {
            Columns.Integer("id").Required(), Columns.Varchar("name"), Columns.Integer("age"),
            Columns.Integer("double") with { IsGenerated = true }
        };
        var run = Run(DuplicateMode.Replace, Server(kind), columns: columns);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check($"on-duplicate-replace-{kind}", session.Transcript);
        Assert.Equal(new RowCounts(2, 3), run.Committed.Taken);
    }

    [Fact]
    public async Task Replace_finds_each_duplicate_of_a_table_with_several_keys_and_sends_it_again()
    {
        var session = new RecordingSession()
            .Fails("run", 1, Duplicate)
            .Fails("run", 3, Duplicate)
            .Answers("run", 4, 3);
        var run = Run(DuplicateMode.Replace, TestFacts.MariaDb, keys: [Primary, ByName]);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("on-duplicate-replace-several-keys", session.Transcript);
        Assert.Equal(new RowCounts(4, 1), run.Committed.Taken);
        Assert.Equal(0, run.Rejects.Count);
    }

    [Fact]
    public async Task A_replace_that_fails_too_is_a_reject()
    {
        var session = new RecordingSession()
            .Fails("run", 1, Duplicate)
            .Fails("run", 2, new ServerException(1451, "23000", "Cannot delete or update a parent row"));
        var run =
            Run(DuplicateMode.Replace, TestFacts.MariaDb, "id,name\n1,Ada\n", keys: [Primary, ByName], limit: RejectLimit.OfRecords(1));

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal((0, 1), (run.Committed.Records, run.Rejects.Count));
        Assert.Contains("Cannot delete", run.Rejects.First[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rows_without_an_id_keep_the_id_of_the_row_that_they_update()
    {
        var session = new RecordingSession(isMariaDb: false)
            .Answers("run", 1, 1)
            .Answers("run", 2, 3, info: "Records: 2  Duplicates: 1  Warnings: 0")
            .Answers("run", 3, 0)
            .Rows("SELECT MAX(", ["0"]);
        var run = Run(DuplicateMode.Update, TestFacts.MySql, "id,name\n1,Ada\n,Bob\n,Cid\n4,Dan\n", [Columns.Id(), Columns.Varchar("name")],
            [Primary, ByName]);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("on-duplicate-update-own-ids", session.Transcript);
        Assert.Equal(new RowCounts(2, 1, 1), run.Committed.Taken);
    }

    [Fact]
    public async Task A_row_without_an_id_where_the_id_is_the_only_key_is_new_or_refused()
    {
        var session = new RecordingSession(isMariaDb: false).Fails("run", 2, Duplicate);
        var run = Run(DuplicateMode.Ignore, TestFacts.MySql, "id,name\n1,Ada\n,Bob\n", [Columns.Id(), Columns.Varchar("name")],
            limit: RejectLimit.OfRecords(1));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("on-duplicate-ignore-own-ids", session.Transcript);
        Assert.Equal((new RowCounts(1), 1), (run.Committed.Taken, run.Rejects.Count));
    }

    [Fact]
    public async Task Where_no_id_is_left_a_row_that_looks_like_a_duplicate_is_a_reject()
    {
        var session = new RecordingSession(isMariaDb: false)
            .Answers("run", 1, 1, info: "Records: 2  Duplicates: 0  Warnings: 0")
            .Answers("run", 3, 0)
            .Rows("SELECT MAX(", ["1"]);
        var run = Run(DuplicateMode.Ignore, TestFacts.MySql, "name\nAda\nBob\n", [Columns.Id(), Columns.Varchar("name")], [Primary, ByName],
            RejectLimit.OfRecords(1));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("on-duplicate-ignore-no-id-left", session.Transcript);
        Assert.Equal((new RowCounts(1), 1), (run.Committed.Taken, run.Rejects.Count));
    }

    [Fact]
    public async Task Numbers_that_do_not_tell_what_became_of_a_record_end_the_job()
    {
        var session = new RecordingSession().Answers("run", 1, 2).Answers("run", 2, 3);
        var run = Run(DuplicateMode.Update, TestFacts.MariaDb, "id,name\n1,Ada\n2,Bob\n");

        // Of two rows it says nothing; of the first alone, which it is asked next, that it was three.
        await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.Contains("ROLLBACK -> ok", session.Steps);
        Assert.DoesNotContain("COMMIT -> ok", session.Steps);
    }
}
