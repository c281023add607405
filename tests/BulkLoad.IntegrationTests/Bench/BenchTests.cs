using System.Text.Json;

namespace BulkLoad.IntegrationTests.Bench;

/// <summary>Benches in their shortest form: that they measure what they name, and leave nothing behind.</summary>
public sealed class BenchTests
{
    private const string TablesLeft =
        "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME LIKE 'bulkload%';";

    private static readonly string[] Shortest = ["--repeat", "1", "--json", "bench.json", "--csv", "bench.csv", "--html", "bench.html"];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Calls_are_measured(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var end = await place.RunAsync(["bench", "calls", "--calls", "20", "--rows", "1000", .. Shortest]);
        end.ShouldExitWith(0);
        Assert.Contains("what one call costs", end.Output, StringComparison.Ordinal);
        var measures = Measures(place, "calls");
        Assert.Equal(12, measures.Select(NameOf).Distinct().Count());
        Assert.Equal(12, measures.Count);
        Assert.All(
            measures, measure => Assert.True(measure.GetProperty("perSecond").GetProperty("median").GetDouble() > 0, measure.ToString()));
        Assert.True(measures[0].GetProperty("values").GetProperty("allocatedBytesPerCall").GetDouble() > 0);
        Assert.Equal(13, (await File.ReadAllLinesAsync(Path.Combine(place.Folder, "bench.csv"))).Length);
        Assert.Contains("<svg", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bench.html")), StringComparison.Ordinal);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_strategy_and_every_method_is_measured(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        (await place.RunAsync(["bench", "strategies", "--rows", "200", "--batch-rows", "20", .. Shortest])).ShouldExitWith(0);
        var isMariaDb = Servers.Get(server).IsMariaDb;
        Assert.Equal(["row by row", "load-data", "bulk-execute", "multi-row-insert"], Measures(place, "import").Select(NameOf));
        foreach (var section in new[] { "import", "update", "delete", "batch-methods" })
        {
            Assert.All(
                Measures(place, section).Where(measure => isMariaDb || !NameOf(measure).StartsWith("bulk", StringComparison.Ordinal)),
                measure => Assert.Equal(JsonValueKind.Null, measure.GetProperty("notMeasured").ValueKind));
        }

        Assert.Equal(3 * 2 * 7, Measures(place, "batch-methods").Count);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Each_operation_is_measured_row_by_row_and_as_a_batch(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        (await place.RunAsync(["bench", "drivers", "--batch-rows", "10,1500", .. Shortest])).ShouldExitWith(0);
        var measures = Measures(place, "drivers");
        Assert.Equal(
            ["insert of 10", "select of 10", "update of 10", "delete of 10", "insert of 1,500", "select of 1,500", "update of 1,500",
                "delete of 1,500"],
            measures.Where(measure => NameOf(measure) == "batch in a transaction")
                .Select(measure => measure.GetProperty("group").GetString()));
        Assert.All(measures, measure => Assert.Equal(JsonValueKind.Null, measure.GetProperty("notMeasured").ValueKind));
        Assert.Equal(16, measures.Count);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Sizes_are_measured_on_the_way_as_it_is_and_on_longer_ones(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var end = await place.RunAsync(
            ["bench", "sizes", "--rows", "300", "--statement-rows", "1,100", "--statement-bytes", "16Ki", "--latency", "0.5,2ms",
                "--temp-dir", place.Folder, .. Shortest]);
        end.ShouldExitWith(0);
        foreach (var section in new[] { "rows-a-statement", "bytes-a-statement", "rows-a-statement-delayed", "latency" })
        {
            Assert.All(Measures(place, section), measure => Assert.Equal(JsonValueKind.Null, measure.GetProperty("notMeasured").ValueKind));
        }

        Assert.Equal([8, 3, 16, 12, 3], new[] { "rows-a-statement", "bytes-a-statement", "rows-a-statement-delayed", "latency", "whole" }
            .Select(section => Measures(place, section).Count));
        Assert.Equal(4, Measures(place, "rows-a-statement").Count(measure => measure.GetProperty("best").GetBoolean()));
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
        Assert.DoesNotContain(Directory.GetFiles(place.Folder), file => file.EndsWith(".txt", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_workload_is_measured_with_several_sessions(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        string[] workloads =
            ["read-write", "read-only", "write-only", "point-select", "insert", "update-index", "update-non-index", "delete"];
        var end = await place.RunAsync(
            ["bench", "oltp", "--workload", string.Join(',', workloads), "--threads", "1,3", "--tables", "2", "--table-size", "200",
                "--time", "30s", "--events", "20", "--report-interval", "100ms", .. Shortest]);
        end.ShouldExitWith(0);
        var measures = Measures(place, "transactions");
        Assert.Equal(workloads, measures.Where(measure => measure.GetProperty("x").GetDouble() == 3).Select(NameOf));
        Assert.All(measures, measure => Assert.Equal(1, measure.GetProperty("runs").GetInt32()));
        var values = measures[0].GetProperty("values");
        Assert.Equal((20, 280, 80, 40), (Value("transactions"), Value("reads"), Value("writes"), Value("others")));
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));

        double Value(string name) => values.GetProperty(name).GetDouble();
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_transaction_that_has_its_time_takes_no_less_than_none(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var end = await place.RunAsync(
            ["bench", "oltp", "--workload", "point-select", "--table-size", "100", "--rate", "700", "--events", "300", "--time", "30s",
                .. Shortest]);
        end.ShouldExitWith(0);
        var values = Assert.Single(Measures(place, "transactions")).GetProperty("values");
        Assert.Equal(300, values.GetProperty("transactions").GetDouble());
        Assert.InRange(values.GetProperty("latencyMinMs").GetDouble(), 0.001, values.GetProperty("latencyAvgMs").GetDouble());
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Prepared_tables_stay_until_they_are_cleaned_up(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE bulkload_bench_oltp_9 (a INT);");
        var early = await place.RunAsync("bench", "oltp", "run");
        early.ShouldExitWith(9);
        early.ShouldSay("run 'bulkload bench oltp prepare' with the same --tables first");
        (await place.RunAsync("bench", "oltp", "prepare", "--tables", "3", "--table-size", "10")).ShouldExitWith(0);
        var anew = await place.RunAsync("bench", "oltp", "prepare", "--tables", "2", "--table-size", "100");
        anew.ShouldExitWith(0);
        Assert.Contains("note: 3 tables for transactions, of an earlier 'bulkload bench oltp', dropped before it began", anew.Output,
            StringComparison.Ordinal);
        Assert.Equal("100", await place.ScalarAsync(
            "SELECT COUNT(*) FROM bulkload_bench_oltp_2 WHERE k BETWEEN 1 AND 100 AND LENGTH(c)=119 AND LENGTH(pad)=59;"));
        (await place.RunAsync("bench", "oltp", "run", "--tables", "2", "--table-size", "100", "--events", "5", "--rate", "100",
            "--workload", "point-select")).ShouldExitWith(0);
        Assert.Equal("3", await place.ScalarAsync(TablesLeft));
        var end = await place.RunAsync("bench", "oltp", "cleanup");
        end.ShouldExitWith(0);
        Assert.Contains("note: 2 tables dropped", end.Output, StringComparison.Ordinal);
        Assert.Contains(
            "note: bulkload_bench_oltp_9 stays: it has a bench's name, and no bench has made it", end.Output, StringComparison.Ordinal);
        Assert.Equal("bulkload_bench_oltp_9", await place.ScalarAsync("SHOW TABLES;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Transactions_that_are_interrupted_leave_nothing(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        using var program = place.Start("bench", "oltp", "--table-size", "100", "--threads", "4", "--time", "10m");
        await Faults.Wait.ForAsync(async () => await place.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB=DATABASE();") is not ("0" or "1" or "2" or "3"));
        program.Signal("INT");
        (await program.EndAsync()).ShouldExitWith(130);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_long_run_is_followed_and_counts_as_far_as_it_came(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        using var program = place.Start(
            ["bench", "oltp", "--workload", "point-select", "--table-size", "100", "--threads", "2", "--time", "10m", "--report-interval",
                "1s", "--progress", "always", .. Shortest]);
        await Faults.Wait.ForAsync(() => program.ErrorSoFar.Contains("point-select, 2 threads: ", StringComparison.Ordinal));
        program.Signal("INT");
        var end = await program.EndAsync();
        end.ShouldExitWith(130);
        Assert.Matches("run 2 of 2 .* point-select, 2 threads: [0-9,]+ transactions, [0-9,]+/s", end.Error);
        Assert.Contains("note: the run of point-select that was stopped counts as far as it came", end.Output, StringComparison.Ordinal);
        var measure = Assert.Single(Measures(place, "transactions"));
        Assert.Equal(1, measure.GetProperty("runs").GetInt32());
        Assert.True(measure.GetProperty("values").GetProperty("transactions").GetDouble() > 0);
        Assert.True(Measures(place, "intervals").Count > 1);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Transactions_whose_server_is_gone_end_as_lost_sessions_do(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        await using var relay = new Faults.SwitchingRelay(place.Server);
        var way = place.Server with { Host = "127.0.0.1", Port = relay.Port };
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(way, way.User, way.Password, place.Database), "bench", "oltp", "--table-size", "100", "--threads",
            "3", "--time", "10m", "--progress", "always");
        await Faults.Wait.ForAsync(() => program.ErrorSoFar.Contains("read-write, 3 threads: ", StringComparison.Ordinal));
        await relay.DisposeAsync();
        var end = await program.EndAsync();
        end.ShouldExitWith(1);
        end.ShouldSay("and no other session could be opened");
        Assert.Contains("note: not everything could be removed", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_last_interval_of_a_run_with_a_rate_is_told(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var end = await place.RunAsync(
            ["bench", "oltp", "--workload", "point-select", "--table-size", "100", "--rate", "50", "--time", "2s", "--report-interval",
                "1s", .. Shortest]);
        end.ShouldExitWith(0);
        var measures = Measures(place, "intervals");
        Assert.Equal(2, measures.Count);

        // On a busy machine the last ones may come too late.
        Assert.InRange(measures.Sum(measure => measure.GetProperty("amount").GetDouble()), 90, 100);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_file_of_ones_own_goes_into_a_copy_of_the_table(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE) COMMENT='ours'; INSERT INTO "
                + "people VALUES (1, 'old');");
        place.Write("people.csv", "id,name\n1,Ada\n2,Bob\n3,Cy\n");
        var end = await place.RunAsync(["bench", "strategies", "people.csv", "--table", "people", .. Shortest]);
        end.ShouldExitWith(0);
        Assert.Contains("import of 3 records of people.csv into a copy of people", end.Output, StringComparison.Ordinal);
        Assert.All(Measures(place, "import").Where(measure => NameOf(measure) != "bulk-execute"),
            measure => Assert.Equal(1, measure.GetProperty("runs").GetInt32()));
        Assert.Equal("1 old", await place.ScalarAsync("SELECT CONCAT(id, ' ', name) FROM people;"));
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_of_a_benchs_name_that_no_bench_made_is_left_alone(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE bulkload_bench_users (a INT); INSERT INTO bulkload_bench_users VALUES (7);");
        var end = await place.RunAsync("bench", "calls", "--calls", "1", "--rows", "1000");
        end.ShouldExitWith(9);
        end.ShouldSay("has a table 'bulkload_bench_users' that no bench has made");
        Assert.Equal("7", await place.ScalarAsync("SELECT a FROM bulkload_bench_users;"));
        Assert.Equal("1", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_killed_bench_has_left_goes_with_the_next(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE bulkload_bench_full (a INT) COMMENT='made by bulkload bench, which drops it';");
        (await place.RunAsync("bench", "calls", "--calls", "1", "--rows", "1000", "--repeat", "1")).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [CombinatorialServers("INT", "TERM")]
    public async Task An_interrupted_bench_tells_what_it_has_and_leaves_nothing(string server, string signal)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        using var program = place.Start("bench", "strategies", "--rows", "0", "--batch-rows", "10,5000", "--repeat", "1000", "--progress",
            "always", "--json", "bench.json");
        await Faults.Wait.ForAsync(async () => await place.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME='bulkload_bench_users';") == "1");
        program.Signal(signal);
        var end = await program.EndAsync();
        end.ShouldExitWith(signal == "INT" ? 130 : 143);
        using var json = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "bench.json")));
        Assert.Equal("interrupted", json.RootElement.GetProperty("outcome").GetString());
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_bench_ends_when_its_time_is_over(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var end = await place.RunAsync("bench", "strategies", "--rows", "0", "--batch-rows", "100", "--repeat", "1000", "--run-time", "1s");
        end.ShouldExitWith(8);
        Assert.Contains("cut short by --run-time", end.Output, StringComparison.Ordinal);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Two_benches_in_one_database_would_disturb_each_other(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        using var first = place.Start("bench", "strategies", "--rows", "0", "--batch-rows", "100", "--repeat", "1000");
        await Faults.Wait.ForAsync(async () => await place.ScalarAsync(TablesLeft) == "1");
        var second = await place.RunAsync("bench", "calls");
        second.ShouldExitWith(9);
        second.ShouldSay("another bench is running in database");
        first.Signal("INT");
        (await first.EndAsync()).ShouldExitWith(130);
    }

    private static List<JsonElement> Measures(Workplace place, string section)
    {
        using var json = JsonDocument.Parse(File.ReadAllText(Path.Combine(place.Folder, "bench.json")));
        return
        [
            .. json.RootElement.GetProperty("sections").EnumerateArray()
                .Where(found => found.GetProperty("name").GetString() == section)
                .SelectMany(found => found.GetProperty("measures").EnumerateArray().Select(measure => measure.Clone())),
        ];
    }

    private static string NameOf(JsonElement measure) => measure.GetProperty("name").GetString()!;
}
