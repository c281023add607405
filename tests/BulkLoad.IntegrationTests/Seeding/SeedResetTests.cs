using BulkLoad.Core.Protocol;
using BulkLoad.Seeding;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Tables are put back as they were seeded, whatever was done to them. BULKLOAD_TEST_ROUNDS says how often.</summary>
public sealed class SeedResetTests
{
    private static readonly int Rounds = TestVariables.Number("BULKLOAD_TEST_ROUNDS") ?? 15;

    /// <summary>Stands for the database itself, whose name a test does not know beforehand.</summary>
    private const string Beside = "";

    private const string Large = MusicShop.Numbers + """
        CREATE TABLE big (id INT AUTO_INCREMENT PRIMARY KEY, x VARCHAR(20) NOT NULL, y VARCHAR(20) NOT NULL);
        INSERT INTO big (x, y) SELECT n, '' FROM n; INSERT INTO big (x, y) SELECT n, '' FROM n; INSERT INTO big (x, y) SELECT n, '' FROM n;
        CREATE TABLE other LIKE big; INSERT INTO other SELECT * FROM big;

        """;

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Whatever_is_changed_is_put_back(string name)
    {
        await using var place = await SeededAsync(name, MusicShop.Tables + MusicShop.Rows + MusicShop.Hard);
        var before = await MusicShop.DescribeAsync(place.Server, place.Database);
        var seed = TestVariables.Seed;
        var random = new Random(seed);
        await using var job = Job(place);
        for (var round = 0; round < Rounds; round++)
        {
            var changes = string.Join(";\n", Enumerable.Range(0, random.Next(1, 21)).Select(_ => MusicShop.Change(random)));
            await ServerClient.RunAsync(place.Server, place.Database, $"SET sql_mode='ALLOW_INVALID_DATES';\n{changes};", "--force");
            await job.RunAsync(default);
            var after = await MusicShop.DescribeAsync(place.Server, place.Database);
            Assert.True(before == after, $"seed {seed}, round {round}:\n{changes}\n{Difference(before, after)}");
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_large_table_is_put_back_whether_or_not_the_server_counts_its_changes(string name)
    {
        await using var place = await SeededAsync(name, Large);
        var before = await MusicShop.DescribeAsync(place.Server, place.Database);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await ServerClient.RunAsync(place.Server, null, $"GRANT ALL ON {place.Database}.* TO '{account.User}'@'%';");
        foreach (var user in (ConnectionOptions[])[place.Server.Options(Way.Socket), account.SocketOptions()])
        {
            await using var job = Job(place, user);
            Assert.Empty((await job.RunAsync(default)).Tables);
            foreach (var change in (string[])["TRUNCATE TABLE big", "UPDATE big SET y = CONCAT(x, '!')", "DELETE FROM big WHERE id = 17",
                "INSERT INTO big VALUES (99999, '', '')"])
            {
                await place.QueryAsync($"{change};");
                var tables = (await job.RunAsync(default)).Tables.Select(table => table.Name);
                Assert.True(tables.SequenceEqual(["big"]), $"{user.User}: {change}: {string.Join(", ", tables)}");
                Assert.Equal(before, await MusicShop.DescribeAsync(place.Server, place.Database));
                Assert.Empty((await job.RunAsync(default)).Tables);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_account_that_may_make_no_schema_keeps_copies_beside_the_tables(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), MusicShop.Tables + MusicShop.Rows);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await ServerClient.RunAsync(place.Server, null, $"GRANT ALL ON {place.Database}.* TO '{account.User}'@'%';");
        await using var session = await ServerSession.ConnectAsync(account.SocketOptions() with { Database = place.Database }, default);
        var report = await SeedCopies.TakeAsync(session, place.Database, new SeedCopyOptions(), default);
        Assert.Contains($"schema {place.Database}_bulkload could not be made", Assert.Single(report.Notes), StringComparison.Ordinal);
        Assert.Equal(11, report.Made.Count);
        var before = await MusicShop.DescribeAsync(place.Server, place.Database);
        await using var job = Job(place, account.SocketOptions());
        for (var i = 0; i < 3; i++)
        {
            await place.QueryAsync(
                "UPDATE customer SET fax = phone, phone = ''; DELETE FROM playlist_track; INSERT INTO artist (name) VALUES ('x');");
            await job.RunAsync(default);
            Assert.Equal(before, await MusicShop.DescribeAsync(place.Server, place.Database));
        }

        await Assert.ThrowsAsync<PlanException>(
            () => SeedCopies.TakeAsync(session, place.Database, new SeedCopyOptions { Schema = "no_such_schema" }, default));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Copies_are_made_anew_only_of_tables_that_have_changed(string name)
    {
        await using var place = await SeededAsync(
            name, MusicShop.Tables + MusicShop.Rows, new SeedCopyOptions { Schema = Beside, Except = ["Genre", "playlist"] });
        await place.QueryAsync("UPDATE customer SET fax = phone, phone = ''; ALTER TABLE album ADD COLUMN more INT; DROP TABLE "
            + "invoice_line; CREATE TABLE added (id INT PRIMARY KEY);");
        var report = await TakeAsync(place, new SeedCopyOptions { Schema = Beside, Except = ["playlist"] });
        Assert.Equal(["added", "album", "customer", "genre"], report.Made.Order(StringComparer.Ordinal));
        Assert.Equal(6, report.Kept);
        Assert.Empty((await TakeAsync(place, new SeedCopyOptions { Schema = Beside, Except = ["playlist"] })).Made);
        var copies = await place.QueryAsync("SHOW TABLES LIKE 'bulkload%';");
        Assert.DoesNotContain("seed_invoice_line", copies, StringComparison.Ordinal);
        Assert.DoesNotContain("seed_playlist\n", copies, StringComparison.Ordinal);
        await place.QueryAsync("DELETE FROM playlist; DELETE FROM added; INSERT INTO added VALUES (1);");
        await using var job = Job(place);
        Assert.Equal(["added", "playlist_track"], (await job.RunAsync(default)).Tables.Select(table => table.Name));
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM playlist;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_of_somebody_else_is_never_taken_for_a_copy(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE "
            + "bulkload_seed_t (id INT PRIMARY KEY); INSERT INTO bulkload_seed_t VALUES (7);");
        var refusal = await Assert.ThrowsAsync<PlanException>(() => TakeAsync(place));
        Assert.Contains("bulkload_seed_t that this program has not made", refusal.Message, StringComparison.Ordinal);
        Assert.Equal("7", await place.ScalarAsync("SELECT * FROM bulkload_seed_t;"));
        await using var job = Job(place);
        refusal = await Assert.ThrowsAsync<PlanException>(() => job.RunAsync(default));
        Assert.Contains("there are no copies", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Servers.MariaDb, "CREATE TABLE m (id INT) ENGINE=MyISAM", "m has the engine MyISAM")]
    [InlineData(Servers.MySql, "CREATE TABLE m (id INT) ENGINE=MyISAM", "m has the engine MyISAM")]
    [InlineData(Servers.MariaDb, "CREATE TABLE m (id INT) WITH SYSTEM VERSIONING", "m is system-versioned")]
    public async Task A_table_that_cannot_be_put_back_is_refused(string name, string table, string words)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), $"{table}; CREATE TABLE t (id INT);");
        Assert.Contains(words, (await Assert.ThrowsAsync<PlanException>(() => TakeAsync(place))).Message, StringComparison.Ordinal);
        Assert.Equal(["t"], (await TakeAsync(place, new SeedCopyOptions { Schema = Beside, Except = ["m"] })).Made);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Triggers_that_always_change_what_is_put_back_end_it(string name)
    {
        await using var place = await SeededAsync(name, """
            CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 1), (2, 2);
            CREATE TRIGGER i BEFORE INSERT ON t FOR EACH ROW SET NEW.n = -1; CREATE TRIGGER u BEFORE UPDATE ON t FOR EACH ROW SET NEW.n = -2;

            """);
        await place.QueryAsync("DELETE FROM t WHERE id = 1;");
        await using var job = Job(place);
        Assert.Contains("put back 3 times", (await Assert.ThrowsAsync<ReconciliationException>(() => job.RunAsync(default))).Message,
            StringComparison.Ordinal);
        Assert.Equal("2\t2", await place.ScalarAsync("SELECT * FROM t;"));
    }

    private static string Difference(string before, string after) =>
        $"missing:\n{string.Join('\n', before.Split('\n').Except(after.Split('\n')).Take(10))}\ntoo "
            + $"much:\n{string.Join('\n', after.Split('\n').Except(before.Split('\n')).Take(10))}";

    private static async Task<Workplace> SeededAsync(string name, string sql, SeedCopyOptions? options = null)
    {
        var place = await Workplace.CreateAsync(Servers.Get(name), sql);
        try
        {
            await TakeAsync(place, options);
            return place;
        }
        catch
        {
            await place.DisposeAsync();
            throw;
        }
    }

    private static async Task<SeedCopyReport> TakeAsync(Workplace place, SeedCopyOptions? options = null)
    {
        await using var session =
            await ServerSession.ConnectAsync(place.Server.Options(Way.Socket) with { Database = place.Database }, default);
        options ??= new SeedCopyOptions { Schema = Beside };
        return await SeedCopies.TakeAsync(
            session, place.Database, options.Schema == Beside ? options with { Schema = place.Database } : options, default);
    }

    private static SeedResetJob Job(Workplace place, ConnectionOptions? user = null) => new(
        (user ?? place.Server.Options(Way.Socket)) with { Database = place.Database },
        new SeedResetOptions { AllowedDatabase = place.Database });
}
