using System.Text.Json;
using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Reports;

namespace BulkLoad.IntegrationTests;

/// <summary>'bulkload doctor' with accounts that may do little, and with servers that refuse.</summary>
public sealed class DoctorTests
{
    private const string Set = "doctor";

    private static readonly string[] RowRights = ["select", "insert", "update", "delete"];

    private static async Task<DoctorReport> LookAsync(DoctorRequest request) =>
        await new DoctorJob(request, TimeProvider.System).RunAsync(TestContext.Current.CancellationToken);

    private static Finding Find(DoctorReport report, string name) => Assert.Single(report.Findings, finding => finding.Name == name);

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_with_all_rights_has_no_problem_and_nothing_is_changed(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10), twice INT AS (id * 2))", default);
        await database.Session.ExecuteAsync("INSERT INTO people (id, name) VALUES (1, 'Ada')", default);
        foreach (var table in new[] { null, "people" })
        {
            var report = await LookAsync(
                new DoctorRequest { Connection = server.Options() with { Database = database.Name }, Table = table });
            Assert.Null(report.Failure);
            Assert.False(report.HasProblem, string.Join('\n', report.Findings.Where(finding => finding.State == FindingState.Problem)));
            Assert.All([.. RowRights, "create", "temporary-tables", "alter", "drop", "local-infile"], right =>
                Assert.Equal(FindingState.Ok, Find(report, right).State));
            Assert.Equal(["import", "update", "delete"], report.Strategies.Select(strategy => strategy.Command).Distinct());
            Assert.Equal(name == Servers.MariaDb ? "bulk-execute" : "load-data", report.Strategies[0].Strategy);
            Assert.Equal(["people"], report.Tables);
        }

        Assert.Equal("people", await database.ScalarAsync(
            $"SELECT GROUP_CONCAT(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{database.Name}'"));
        Assert.Equal("1", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rights_on_one_table_are_told_from_rights_on_all(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'doctor+Pass/1'", "doctor+Pass/1");
        await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10))", default);
        await database.Session.ExecuteAsync("CREATE TABLE other (id INT PRIMARY KEY)", default);
        await database.Session.ExecuteAsync($"GRANT INSERT, SELECT ON {database.Name}.people TO '{account.User}'@'%'", default);
        var request = new DoctorRequest { Connection = account.Options() with { Database = database.Name }, LedgerSchema = database.Name };

        var all = await LookAsync(request);
        Assert.Equal(FindingState.Note, Find(all, "insert").State);
        Assert.Contains("on 1 of the 1 table", Find(all, "insert").Text, StringComparison.Ordinal);
        Assert.Equal(FindingState.Note, Find(all, "local-infile").State);

        var one = await LookAsync(request with { Table = "people" });
        Assert.Equal((FindingState.Ok, FindingState.Ok, FindingState.Note),
            (Find(one, "insert").State, Find(one, "select").State, Find(one, "update").State));
        Assert.Equal($"GRANT UPDATE ON `{database.Name}`.`people` TO '{account.User}'@'%'", Find(one, "update").Fix);
        Assert.Equal(FindingState.Ok, Find(one, "local-infile").State);

        // The table beside is made in the database.
        Assert.Equal((FindingState.Note, FindingState.Note), (Find(one, "full-refresh").State, Find(one, "undo").State));
        var grant = $"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP ON `{database.Name}`.* TO '{account.User}'@'%'";
        Assert.Equal((grant, grant), (Find(one, "full-refresh").Fix, Find(one, "undo").Fix));

        // A job keeps a ledger unless told otherwise.
        Assert.Equal(FindingState.Problem, Find(one, "ledger-rights").State);
        await database.Session.ExecuteAsync(Find(one, "ledger-rights").Fix!.Split(';')[0], default);
        Assert.Equal(FindingState.Ok, Find(await LookAsync(request with { Table = "people" }), "ledger-rights").State);

        Assert.Equal(FindingState.Problem, Find(await LookAsync(request with { Table = "other" }), "table").State);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rights_on_columns_are_told_from_rights_on_the_table(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'doctor+Pass/1'", "doctor+Pass/1");
        await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10), note TEXT)", default);
        await database.Session.ExecuteAsync(
            $"GRANT INSERT (id, name), SELECT (id) ON {database.Name}.people TO '{account.User}'@'%'", default);

        var report = await LookAsync(
            new DoctorRequest { Connection = account.Options() with { Database = database.Name }, Table = "people" });

        Assert.StartsWith("only on columns: id, name (", Find(report, "insert").Text, StringComparison.Ordinal);
        Assert.StartsWith("only on columns: id (", Find(report, "select").Text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_without_any_right_is_a_problem(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'doctor+Pass/1'", "doctor+Pass/1");
        await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY)", default);
        await database.Session.ExecuteAsync($"GRANT SELECT ON {database.Name}.people TO '{account.User}'@'%'", default);
        var report = await LookAsync(new DoctorRequest { Connection = account.Options() with { Database = database.Name } });
        Assert.True(report.HasProblem);
        Assert.Equal(FindingState.Problem, Find(report, "insert").State);
        Assert.All(["update", "delete", "create", "temporary-tables", "alter", "drop"], right =>
            Assert.StartsWith("GRANT ", Find(report, right).Fix, StringComparison.Ordinal));
    }

    /// <summary>What it advises is done, and it looks again.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_server_that_refuses_is_described_and_the_advice_helps(string name)
    {
        try
        {
            var (server, _) = Servers.StartPrivate(
                name, Set, "local_infile=OFF\nread_only=ON\ninnodb_flush_log_at_trx_commit=2\nmax_allowed_packet=128K");
            await FollowAdviceAsync(server);
        }
        finally
        {
            Servers.DestroyPrivate(name, Set);
        }
    }

    private static async Task FollowAdviceAsync(TestServer server)
    {
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'doctor+Pass/1'", "doctor+Pass/1");
        await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10))", default);
        await database.Session.ExecuteAsync($"GRANT ALL ON {database.Name}.* TO '{account.User}'@'%'", default);
        var request = new DoctorRequest { Connection = account.Options() with { Database = database.Name }, Table = "people" };

        var refused = await LookAsync(request);
        Assert.Equal(FindingState.Problem, Find(refused, "read-only").State);
        Assert.Equal(
            (FindingState.Note, FindingState.Note), (Find(refused, "durability").State, Find(refused, "max-allowed-packet").State));
        await database.Session.ExecuteAsync("SET GLOBAL read_only=OFF", default);

        var loading = Assert.Single(
            (await LookAsync(request)).Strategies, strategy => strategy is { Command: "import", Strategy: "load-data" });
        Assert.Equal((false, "SET GLOBAL local_infile=ON"), (loading.IsFit, loading.Unlock));
        await database.Session.ExecuteAsync(loading.Unlock!, default);

        loading = Assert.Single(
            (await LookAsync(request)).Strategies, strategy => strategy is { Command: "import", Strategy: "load-data" });
        Assert.Equal((false, "SET GLOBAL max_allowed_packet=67108864"), (loading.IsFit, loading.Unlock));
        await database.Session.ExecuteAsync(loading.Unlock!, default);

        var done = await LookAsync(request);
        Assert.False(done.HasProblem);
        Assert.True(Assert.Single(done.Strategies, strategy => strategy is { Command: "import", Strategy: "load-data" }).IsFit);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task It_says_what_a_full_refresh_and_an_undo_of_a_table_need(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, at DATETIME DEFAULT CURRENT_TIMESTAMP, n INT DEFAULT 5)",
            "CREATE TABLE orders (id INT PRIMARY KEY, person INT, CONSTRAINT bought FOREIGN KEY (person) REFERENCES people (id))",
            "CREATE TABLE keyless (id INT)", "CREATE TABLE made (id INT PRIMARY KEY)",
            "CREATE TRIGGER sets BEFORE INSERT ON made FOR EACH ROW SET NEW.id = NEW.id + 1");
        await FindAsync("people", "ok by diff: foreign key bought of ", "ok what an import inserts can be taken back, if its file fills "
            + "id, at: else the server makes the values");
        await FindAsync("keyless", "ok by swap: ", "note what an import inserts cannot be taken back: ");
        await FindAsync("made", "ok by diff: trigger sets (BEFORE INSERT) would stay",
            "note what an import inserts cannot be taken back: trigger sets (BEFORE INSERT) may have changed the rows");

        // The account sees that orders refer to people, and may not read them.
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'doctor+Pass/1'", "doctor+Pass/1");
        await database.RunAsync($"GRANT ALL ON {database.Name}.people TO '{account.User}'@'%'",
            $"GRANT INSERT ON {database.Name}.orders TO '{account.User}'@'%'");
        var report = await LookAsync(
            new DoctorRequest { Connection = account.Options() with { Database = database.Name }, Table = "people" });
        var texts = (string[])(server.IsMariaDb

            // It hides the foreign key, too.
            ? ["missing on "]
            : ["it is not known whether rows refer to it: SELECT command denied", $"GRANT SELECT ON `{database.Name}`.`orders` TO "]);
        Assert.All(texts, text => Assert.Contains(text, Find(report, "undo").Text, StringComparison.Ordinal));

        async Task FindAsync(string table, string refresh, string undo)
        {
            var report = await LookAsync(
                new DoctorRequest { Connection = server.Options() with { Database = database.Name }, Table = table });
            Assert.StartsWith(refresh, Text(Find(report, "full-refresh")), StringComparison.Ordinal);
            Assert.StartsWith(undo, Text(Find(report, "undo")), StringComparison.Ordinal);
        }

        static string Text(Finding finding) => $"{finding.State.ToString().ToLowerInvariant()} {finding.Text}";
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_program_prints_what_it_finds_and_never_the_password(string name)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10));");
        using var program = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "doctor", "--table", "people", "--json");
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        using var json = JsonDocument.Parse(end.Output);
        Assert.Equal("BULKLOAD_URL", json.RootElement.GetProperty("settings")[0].GetProperty("origin").GetString());

        using var wrong = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "doctor", "--user", "nobody");
        end = await wrong.EndAsync();
        end.ShouldExitWith(5);
        Assert.Contains("nobody", end.Output, StringComparison.Ordinal);
        Assert.Contains("command line", end.Output, StringComparison.Ordinal);
    }
}
