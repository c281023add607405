using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests;

public sealed class PrivilegeTests
{
    /// <summary>MySQL gave error 1227: the session's profile set max_error_count, which is kept to administrators there.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Right_to_insert_into_the_table_is_all_that_an_import_without_a_ledger_needs(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-insert/1'", "only-insert/1");
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10))", default);
        await database.Session.ExecuteAsync(
            $"GRANT INSERT ON {database.Name}.t TO '{account.User}'@'%'", default);
        var path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, "id,name\n1,Ada\n2,Bo\n", TestContext.Current.CancellationToken);
        try
        {
            foreach (var strategy in Servers.StrategiesOf(server.Name))
            {
                await database.Session.ExecuteAsync("TRUNCATE TABLE t", default);
                var request = new LoadRequest
                {
                    Files = [path],
                    Table = "t",
                    Connection = account.Options() with { Database = database.Name },
                    Strategy = strategy,
                    NoLedger = true,
                };
                var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
                Assert.Null(report.Failure);
                Assert.Equal("2", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
            }
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Right_to_select_is_all_that_a_check_and_its_suggestions_need(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-select/1'", "only-select/1");
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, born DATE)", default);
        await database.Session.ExecuteAsync($"GRANT SELECT ON {database.Name}.t TO '{account.User}'@'%'", default);
        var path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, "id,born\n1,2020-12-31\nx,2020-12-30\n", TestContext.Current.CancellationToken);
        try
        {
            var request = new LoadRequest { Files = [path], Table = "t", Connection = account.Options() with { Database = database.Name } };
            var check = request with { Mode = JobMode.Check, GoesOnBeyondMaxRejects = true };
            var report = await new LoadJob(check, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            Assert.Null(report.Failure);
            Assert.Equal((1, 1), (report.Counts.Accepted, report.Counts.Rejected));
            var suggested = await new SuggestJob(check, _ => request, NullLoggerFactory.Instance)
                .RunAsync(TestContext.Current.CancellationToken);
            Assert.All(suggested.Commands, command => Assert.Null(command.Check.Failure));

            // The import itself needs more, and what an administrator has to type can be pasted.
            var import = request with { NoLedger = true, MaxRejects = RejectLimit.OfPercent(100) };
            var refused = await new LoadJob(import, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            var grant = refused.Failure!.Message.Split(": ")[^1];
            Assert.Equal($"GRANT INSERT ON `{database.Name}`.`t` TO '{account.User}'@'%'", grant);
            await database.Session.ExecuteAsync(grant, default);
            var loaded = await new LoadJob(import, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            Assert.Equal((null, 1), (loaded.Failure, loaded.Counts.Inserted));
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>Without the right to make temporary tables nobody compares text keys that are farther apart than a batch: that is
    /// told.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rights_to_delete_and_to_select_are_all_that_a_delete_without_a_ledger_needs(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-delete/1'", "only-delete/1");
        await database.Session.ExecuteAsync("CREATE TABLE t (id VARCHAR(10) COLLATE utf8mb4_swedish_ci PRIMARY KEY)", default);
        await database.Session.ExecuteAsync("INSERT INTO t VALUES ('a'),('b'),('c')", default);
        await database.Session.ExecuteAsync(
            $"GRANT SELECT, DELETE ON {database.Name}.t TO '{account.User}'@'%'", default);
        var path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, "a\nb\nA\nb\n", TestContext.Current.CancellationToken);
        try
        {
            var request = new LoadRequest
            {
                Kind = JobKind.Delete,
                Files = [path],
                Table = "t",
                Source = new() { Format = InputFormat.Keys },
                Key = new() { IgnoreMissing = true },
                RowsPerBatch = 2,
                NoLedger = true,
                Connection = account.Options() with { Database = database.Name },
            };
            var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            Assert.Null(report.Failure);
            Assert.Equal((2, 1, 1), (report.Counts.Deleted, report.Counts.Superseded, report.Counts.NotFound));
            Assert.Contains(report.Notes, note => note.StartsWith("keys that are equal only to the column", StringComparison.Ordinal));
            Assert.Equal("1", await database.ScalarAsync("SELECT COUNT(*) FROM t"));

            await database.Session.ExecuteAsync(
                $"REVOKE SELECT ON {database.Name}.t FROM '{account.User}'@'%'", default);
            report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            Assert.Contains("GRANT SELECT", Assert.IsType<PlanException>(report.Failure).Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>MariaDB hides the rules of a foreign key from an account without a right on the other table, but not the key.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Foreign_keys_are_seen_without_a_right_on_the_other_table(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-child/1'", "only-child/1");
        await database.Session.ExecuteAsync("CREATE TABLE p (id INT PRIMARY KEY)", default);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, p INT NULL, FOREIGN KEY (p) REFERENCES p (id))", default);
        var path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, "id,p\n1,1\n2,\n", TestContext.Current.CancellationToken);
        try
        {
            var request = CheckOf(path, account.Options() with { Database = database.Name });
            foreach (var (right, reasons) in new[] { ("INSERT", "foreign-key,table-rows"), ("SELECT", "foreign-key") })
            {
                await database.Session.ExecuteAsync($"GRANT {right} ON {database.Name}.t TO '{account.User}'@'%'", default);
                var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
                Assert.Null(report.Failure);
                Assert.Equal(reasons, string.Join(',', report.UndecidedByReason.Select(one => one.Reason).Order(StringComparer.Ordinal)));
                Assert.Equal(1, report.UndecidedByReason.Single(one => one.Reason == "foreign-key").Records);
            }
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>Whether the table has rows may be asked only with SELECT: then every key is the server's to judge.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Right_to_insert_is_enough_for_a_check_too(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-insert/1'", "only-insert/1");
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10))", default);
        await database.Session.ExecuteAsync(
            $"GRANT INSERT ON {database.Name}.t TO '{account.User}'@'%'", default);
        var path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, "id,name\n1,Ada\n2,Bo\n1,Cy\n", TestContext.Current.CancellationToken);
        try
        {
            var request = CheckOf(path, account.Options() with { Database = database.Name });
            var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
            Assert.Null(report.Failure);
            Assert.Equal((0, 2, 1), (report.Counts.Accepted, report.Counts.Undecided, report.Counts.Rejected));
            Assert.Equal("table-rows", Assert.Single(report.UndecidedByReason).Reason);
            Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static LoadRequest CheckOf(string path, ConnectionOptions connection) => new()
    {
        Mode = JobMode.Check,
        GoesOnBeyondMaxRejects = true,
        Files = [path],
        Table = "t",
        Connection = connection,
    };
}
