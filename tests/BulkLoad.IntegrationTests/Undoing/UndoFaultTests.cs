using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Undo;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>What happens to an undo between its chunks, what its account may not do, and a user who says no.</summary>
public sealed class UndoFaultTests
{
    private const int Rows = 9_000;

    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, v INT);
        CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES t (id));
        """;

    [Theory]
    [CombinatorialServers("rows", "former table")]
    public async Task A_user_who_says_no_leaves_everything_as_it_was(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        var job = await ImportAsync(place, 5);
        if (kind != "rows")
        {
            (await place.RunAsync("import", "t.csv", "--full-refresh", "--keep-old")).ShouldExitWith(0);
            job = await place.ScalarAsync("SELECT job FROM bulkload_ledger WHERE job LIKE 'refresh.%' AND source = -1;");
        }

        var before = await place.QueryAsync("SHOW TABLES; SELECT * FROM t; SELECT * FROM bulkload_ledger;");
        UndoQuestion? asked = null;
        var report = await RunAsync(place, job, null, question =>
        {
            asked = question;
            return false;
        });
        Assert.Equal(LoadOutcome.Failed, report.Outcome);
        Assert.StartsWith("not confirmed: ", report.Failure!.Message, StringComparison.Ordinal);
        Assert.Equal((job, $"{place.Database}.t", 5L), (asked!.Job, asked.Table, asked.Rows));
        Assert.Equal(before, await place.QueryAsync("SHOW TABLES; SELECT * FROM t; SELECT * FROM bulkload_ledger;"));
        Assert.Null((await RunAsync(place, job, null, _ => true)).Failure);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_that_is_altered_meanwhile_stops_it(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await ImportAsync(place, Rows);
        var report = await RunAsync(place, job, chunk => chunk == 1 ? place.QueryAsync("ALTER TABLE t DROP COLUMN v;") : null);
        Assert.Equal(LoadOutcome.Failed, report.Outcome);
        var left = await place.ScalarAsync("SELECT COUNT(*) FROM t;");
        Assert.Equal($"{Rows - 2_000}", left);
        Assert.Equal(2_000, report.Undo!.Reversed);
        Assert.Contains("2,000 rows of job ", report.Failure!.State, StringComparison.Ordinal);

        // The rest cannot be compared any more.
        var again = await place.RunAsync("undo", job);
        again.ShouldExitWith(6);
        again.ShouldSay("nothing was changed");
        Assert.Equal(left, await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        (await place.RunAsync("jobs", "forget", job)).ShouldExitWith(0);
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_of_the_ledger_that_is_lost_is_opened_again(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await ImportAsync(place, Rows);
        var killed = 0;
        var report = await RunAsync(place, job, async chunk =>
        {
            // Between two chunks only the ledger has a transaction.
            if (chunk == 2)
            {
                var kill = await place.ScalarAsync("SELECT CONCAT('KILL ', trx_mysql_thread_id, ';') FROM information_schema.INNODB_TRX "
                    + "WHERE trx_mysql_thread_id IN (SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE());");
                await place.QueryAsync(kill);
                killed++;
            }
        });
        Assert.Null(report.Failure);
        Assert.Equal((1, Rows), (killed, (int)report.Undo!.Reversed));
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.Contains("no jobs", (await place.RunAsync("jobs")).Output, StringComparison.Ordinal);
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_without_a_right_gets_the_grant(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await ImportAsync(place, 5);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'Takes-back/1'", "Takes-back/1");
        await place.QueryAsync($"""
            GRANT SELECT, DELETE ON {place.Database}.t TO '{account.User}'@'%';
            GRANT INSERT ON {place.Database}.child TO '{account.User}'@'%';
            GRANT SELECT, INSERT, UPDATE, DELETE ON {place.Database}.bulkload_ledger TO '{account.User}'@'%';
            """);
        var select = $"GRANT SELECT ON `{place.Database}`.`child` TO '{account.User}'@'%'";
        if (!place.Server.IsMariaDb)
        {
            // MariaDB hides the foreign key, too.
            await RefuseAsync($"it is not known whether rows of {place.Database}.child refer to {place.Database}.t: ", select);
        }

        await place.QueryAsync($"{select};");
        var all = $"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP ON `{place.Database}`.* TO '{account.User}'@'%'";
        await RefuseAsync($"the server does not make a table beside {place.Database}.t: ", all);
        await place.QueryAsync($"{all};");
        (await place.RunAsync(account, "undo", job)).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        async Task RefuseAsync(params string[] texts)
        {
            var end = await place.RunAsync(account, "undo", job);
            end.ShouldExitWith(9);
            Assert.All(texts, end.ShouldSay);
            Assert.Equal("5", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
            await UndoTests.ShouldHaveNoOthersAsync(place);
        }
    }

    private static Task<string> ImportAsync(Workplace place, int rows) =>
        UndoTests.ImportAsync(place, "id,v\n" + string.Concat(Enumerable.Range(1, rows).Select(id => $"{id},1\n")));

    /// <param name="onChunk">gets the number of chunks that are done, between two of them; null: nothing happens there</param>
    private static async Task<LoadReport> RunAsync(
        Workplace place, string job, Func<int, Task?>? onChunk, Func<UndoQuestion, bool>? confirm = null)
    {
        var request = new LoadRequest
        {
            Files = [],
            Connection = place.Server.Options(Way.Socket) with { Database = place.Database },
            Undo = new UndoOptions(job) { Confirm = confirm },
        };
        return await new UndoJob(request, NullLoggerFactory.Instance, new Chunks(onChunk)).RunAsync(TestContext.Current.CancellationToken);
    }

    private sealed class Chunks(Func<int, Task?>? onChunk) : IProgress<LoadProgress>
    {
        private int _chunks;

        public void Report(LoadProgress value)
        {
            if (value.Held == "taking rows back")
            {
                onChunk?.Invoke(++_chunks)?.GetAwaiter().GetResult();
            }
        }
    }
}
