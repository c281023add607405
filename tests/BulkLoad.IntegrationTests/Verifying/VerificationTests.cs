using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Verifying;

/// <summary>Verifications of tables that somebody has changed.</summary>
public sealed class VerificationTests
{
    private const int Rows = 6000;

    private const string People =
        "CREATE TABLE people (id INT NOT NULL PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_general_ci, score DOUBLE);";

    public static TheoryData<string> Both => Servers.Both;

    public static TheoryData<string, string> Strategies =>
        [.. from server in new[] { Servers.MariaDb, Servers.MySql } from strategy in Servers.StrategiesOf(server)
            select (server, strategy)];

    private static string Content => "id,name,score\n" + string.Concat(Enumerable.Range(1, Rows).Select(i => $"{i},n{i},{i / 7.0}\n"));

    private static LoadRequest Request(Workplace place) => new()
    {
        Files = [place.Write("people.csv", Content)],
        Table = "people",
        Connection = place.Server.Options() with { Database = place.Database },
        TempFolder = place.Folder,
    };

    private static Task<LoadReport> RunAsync(LoadRequest request) =>
        new LoadJob(request, NullLoggerFactory.Instance).RunAsync(CancellationToken.None);

    /// <summary>A trigger that runs behind the row changes it by way of a foreign key.</summary>
    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task Rows_that_somebody_changes_on_their_way_in_are_rolled_back(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server),
            """
            CREATE TABLE teams (id INT NOT NULL PRIMARY KEY);
            INSERT INTO teams VALUES (1),(2);
            CREATE TABLE people (id INT NOT NULL PRIMARY KEY, team INT, FOREIGN KEY (team) REFERENCES teams (id) ON UPDATE CASCADE);
            CREATE TRIGGER renamed AFTER INSERT ON people FOR EACH ROW UPDATE teams SET id=12 WHERE NEW.id=4321 AND id=2;
            """);
        var request = Request(place) with
        {
            Files = [place.Write(
                "people.csv", "id,team\n" + string.Concat(Enumerable.Range(1, Rows).Select(i => $"{i},{(i == 4321 ? 2 : 1)}\n")))],
            Strategy = strategy,
            RowsPerChunk = 1000,
            Verify = VerifyMode.Checksum,
        };

        var report = await RunAsync(request);

        var failure = Assert.IsType<ReconciliationException>(report.Failure);
        if (strategy == "bulk-execute")
        {
            // The answer to such a packet counts what triggers change too: that is seen before any question.
            Assert.Contains("people.csv:4322: counts do not add up", failure.Message, StringComparison.Ordinal);
            return;
        }

        Assert.Contains("people.csv:4322: column 'team': --verify checksum: is '12' in the row with id '4321', and '2' in the file",
            failure.Message, StringComparison.Ordinal);
        Assert.Equal("chunks 1-4, records 1-4000, stay committed", failure.Committed);
        Assert.Equal((VerifyResult.Different, 4000), (report.Verification!.Result, report.Verification.Rows));
        Assert.Equal("4000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));

        // Keys alone do not tell it; the next start goes on behind what is committed.
        report = await RunAsync(request with { Verify = VerifyMode.Count });
        Assert.Equal((null, VerifyResult.Equal, Rows), (report.Failure, report.Verification!.Result, report.Verification.Rows));
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task Several_sessions_verify_their_chunks(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People);
        var report =
            await RunAsync(Request(place) with { Strategy = strategy, RowsPerChunk = 500, Threads = 3, Verify = VerifyMode.Checksum });
        Assert.Equal((null, VerifyResult.Equal, Rows), (report.Failure, report.Verification!.Result, report.Verification.Rows));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task What_was_changed_or_lost_since_is_named_with_line_and_column(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People);
        var request = Request(place);
        Assert.Null((await RunAsync(request)).Failure);
        var verify = request with { Mode = JobMode.Verify, Verify = VerifyMode.Checksum, MaxRejects = RejectLimit.OfPercent(100) };
        var report = await RunAsync(verify);
        Assert.Equal((null, VerifyResult.Equal, Rows), (report.Failure, report.Verification!.Result, report.Verification.Rows));

        await place.QueryAsync("UPDATE people SET name='N77' WHERE id=77; UPDATE people SET score=score*(1+4e-16) WHERE id=5999; DELETE "
            + "FROM people WHERE id IN (1,3000); INSERT INTO people VALUES (9999,'other',0);");
        report = await RunAsync(verify);

        Assert.Equal(
            [("missing-row", 2L, null), ("different-row", 78L, "name"), ("missing-row", 3001L, null), ("different-row", 6000L, "score")],
            report.FirstRejects.Select(reject => (reject.Code, reject.Line, reject.Column)));
        Assert.Equal((Rows - 4, 4), (report.Counts.Verified, report.Counts.Rejected));
        Assert.StartsWith(
            request.Files[0] + ":2: ", Assert.IsType<ReconciliationException>(report.Failure).Message, StringComparison.Ordinal);
        Assert.Equal(2, (await RunAsync(verify with { Verify = VerifyMode.Count })).Counts.Rejected);
    }

    /// <summary>Objects may name any column, also one that the server makes.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_file_of_which_nothing_can_be_compared_does_not_pass_for_verified(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE events (id INT AUTO_INCREMENT PRIMARY KEY, kind VARCHAR(9) NOT NULL);");
        place.Write("events.jsonl", "{\"kind\":\"a\"}\n{\"kind\":\"b\"}\n");
        string[] verify = ["verify", "events.jsonl", "--table", "events", "--key", "kind"];

        var end = await place.RunAsync(verify);
        end.ShouldExitWith(9);
        end.ShouldSay("nothing could be verified: every record leaves a key or a value to the server");

        (await place.RunAsync([.. verify, "--columns", "kind"])).ShouldExitWith(7);
        await place.QueryAsync("INSERT INTO events (kind) VALUES ('a'), ('b');");
        (await place.RunAsync([.. verify, "--columns", "kind"])).ShouldExitWith(0);
    }

    /// <summary>Nothing but SELECT is needed, and nothing is locked.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task Right_to_select_is_enough_for_a_verification(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"{People}\nINSERT INTO people VALUES (1,'a',1.5);");
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'only-select/1'", "only-select/1");
        await ServerClient.RunAsync(place.Server, null, $"GRANT SELECT ON {place.Database}.people TO '{account.User}'@'%';");
        var request = Request(place) with
        {
            Files = [place.Write("one.csv", "id,name,score\n1,a,1.5\n")],
            Connection = account.Options() with { Database = place.Database },
            Mode = JobMode.Verify,
            Verify = VerifyMode.Checksum,
        };

        var report = await RunAsync(request);

        Assert.Equal((null, VerifyResult.Equal, 1), (report.Failure, report.Verification!.Result, report.Verification.Rows));
    }
}
