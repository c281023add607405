namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Servers that are set up to be difficult.</summary>
[Collection(ServerSettings.Name)]
public sealed class ServerSettingTests(OwnServers servers)
{
    private const string People = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40));";
    private const string Rows = "id,name\n1,Ann\n2,Bob\n";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_local_infile_is_off_rows_are_inserted_and_the_report_says_why(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), People);
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("local_infile", "0"));
        place.Write("people.csv", Rows);
        var end = await place.RunAsync("import", "people.csv", "--verbose");
        end.ShouldExitWith(0);
        Assert.Contains(server == Servers.MariaDb ? "by bulk-execute" : "by multi-row-insert", end.Output, StringComparison.Ordinal);
        Assert.Contains("note  load-data was not possible: the server refuses LOAD DATA LOCAL", end.Output, StringComparison.Ordinal);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_local_infile_is_off_load_data_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), People);
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("local_infile", "0"));
        place.Write("people.csv", Rows);
        var end = await place.RunAsync("import", "people.csv", "--strategy", "load-data");
        end.ShouldExitWith(9);
        end.ShouldSay("error: --strategy load-data is not fit here: the server refuses LOAD DATA LOCAL");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_local_infile_is_off_keys_are_staged_by_inserts(string server)
    {
        await using var place = await Workplace.CreateAsync(
            servers.Get(server), "CREATE TABLE people (id VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY); INSERT INTO people VALUES "
                + "('a'),('b\\\\''x'),('c'),('d');");
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("local_infile", "0"));
        place.Write("keys.csv", "id\nA\n\"b\\'x\"\nx\na\nD\n");
        var end = await place.RunAsync("delete", "keys.csv", "--table", "people", "--strategy", "staged-join", "--ignore-missing");
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^3 rows deleted from ", end.Output);
        Assert.Matches(@", 1 superseded ", end.Output);
        Assert.Equal("c", await place.ScalarAsync("SELECT GROUP_CONCAT(id) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_read_only_server_is_refused_before_a_row_is_sent(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), People);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await ServerClient.RunAsync(place.Server, null, $"GRANT SELECT, INSERT ON {place.Database}.* TO '{account.User}'@'%';");
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("read_only", "1"));
        place.Write("people.csv", Rows);
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database), "import", "people.csv",
            "--max-retries", "1");
        var end = await program.EndAsync();
        end.ShouldExitWith(9);
        end.ShouldSay("read-only");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));

        using var planning = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database), "import", "people.csv", "--plan");
        var plan = await planning.EndAsync();
        plan.ShouldExitWith(0);
        Assert.Matches("(?m)^ .*the server takes no changes at present: .*read-only", plan.Output);
    }

    /// <summary>The ledger's session says nothing as long as a job runs, and one that carries rows as long as its input does not.</summary>
    [Fact]
    public async Task MariaDBs_impatience_with_idle_transactions_does_not_end_a_job()
    {
        await using var place = await Workplace.CreateAsync(servers.Get("mariadb"), People);
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("idle_transaction_timeout", "1"),
            ("idle_write_transaction_timeout", "1"), ("idle_readonly_transaction_timeout", "1"));
        using var program = place.Start("import", "-", "--format", "csv", "--table", "people", "--max-retries", "0");
        await program.Input.WriteAsync("id,name\n1,a\n"u8.ToArray());
        await program.Input.FlushAsync();
        await Task.Delay(TimeSpan.FromSeconds(3));
        await program.Input.WriteAsync("2,b\n"u8.ToArray());
        program.Input.Close();
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_prepared_statements_rows_go_as_text(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), People);
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("max_prepared_stmt_count", "0"));
        place.Write("people.csv", "id,name\n1,it's \\\n2,\n3,\"\"\n");
        var end = await place.RunAsync("import", "people.csv", "--strategy", "multi-row-insert");
        end.ShouldExitWith(0);
        Assert.Equal("id\tname\n1\tit's \\\\\n2\tNULL\n3\t\n", await place.QueryAsync("SELECT * FROM people ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task Odd_sql_modes_of_the_server_change_nothing(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), People);
        await using var settings =
            await ChangedSettings.SetAsync(place.Server, ("sql_mode", "'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT'"));
        place.Write("people.csv", "id,name\n1,\"it's \"\"\\\"\n0,\\N\n");
        var end = await place.RunAsync("import", "people.csv", "--strategy", strategy);
        end.ShouldExitWith(0);
        Assert.Equal("id\tname\n0\tNULL\n1\tit's \"\\\\\n", await place.QueryAsync("SELECT * FROM people ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_server_that_is_not_strict_still_takes_nothing_that_it_would_change(string server, string strategy)
    {
        // Our rules do not know sjis: only the server can refuse the letter.
        await using var place = await Workplace.CreateAsync(
            servers.Get(server), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9) CHARACTER SET sjis);");
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("sql_mode", "''"));
        place.Write("people.csv", "id,name\n1,a\n2,é\n");
        var end = await place.RunAsync("import", "people.csv", "--strategy", strategy);
        end.ShouldExitWith(4);
        end.ShouldSay("error: people.csv:");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_record_larger_than_max_allowed_packet_is_named(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), "CREATE TABLE notes (id INT PRIMARY KEY, body LONGTEXT);");
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("max_allowed_packet", "1048576"));
        place.Write("notes.csv", $"id,body\n1,small\n2,{new string('x', 2_000_000)}\n3,small\n");
        var end = await place.RunAsync("import", "notes.csv", "--strategy", "multi-row-insert", "--rows-per-chunk", "1");
        end.ShouldExitWith(4);
        end.ShouldSay("notes.csv:3: ");
        end.ShouldSay("max_allowed_packet");
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM notes;"));
    }

    /// <summary>The bound that all senders keep to.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_packet_of_max_allowed_packet_bytes_is_one_byte_too_long(string server)
    {
        const int Most = 1024 * 1024;
        await using var settings = await ChangedSettings.SetAsync(servers.Get(server), ("max_allowed_packet", $"{Most}"));
        await using var database = await TestDatabase.CreateAsync(servers.Get(server));
        var statement = $"DO '{new string('x', Most - 6)}'";

        // With the command's byte before it.
        Assert.Equal(Most - 1, statement.Length);
        await Assert.ThrowsAsync<ServerException>(() => database.Session.ExecuteAsync(statement, default).AsTask());
        await using var another = await database.ConnectAsync();
        await another.ExecuteAsync(statement.Replace("xx'", "x'", StringComparison.Ordinal), default);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Load_data_takes_a_record_larger_than_max_allowed_packet(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), "CREATE TABLE notes (id INT PRIMARY KEY, body LONGTEXT);");
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("max_allowed_packet", "1048576"));
        place.Write("notes.csv", $"id,body\n1,{new string('x', 3_000_000)}\n");
        var end = await place.RunAsync("import", "notes.csv", "--verbose");
        end.ShouldExitWith(0);
        Assert.Contains("by load-data", end.Output, StringComparison.Ordinal);
        Assert.Equal("3000000", await place.ScalarAsync("SELECT SUM(LENGTH(body)) FROM notes;"));
    }
}
