using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>A server whose clocks are set back in autumn: two moments have one local time there. MySQL copies and compares a TIMESTAMP by
/// that time, and both servers show a TIMESTAMP for a default so.</summary>
[Collection(ServerSettings.Name)]
public sealed class RepeatedHourTests(OwnServers servers)
{
    /// <summary>The zone as it was in 2024, since a server has no tables of zones by itself.</summary>
    private const string Berlin = """
        REPLACE INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (7001, 'N');
        REPLACE INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Europe/Berlin', 7001);
        REPLACE INTO mysql.time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES
          (7001, 0, 3600, 0, 'CET'), (7001, 1, 7200, 1, 'CEST');
        REPLACE INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES
          (7001, 1711846800, 1), (7001, 1729990800, 0);
        """;

    /// <summary>Both half past two in Berlin.</summary>
    private const string First = "2024-10-27 00:30:00", Second = "2024-10-27 01:30:00";

    private const string Table = $"""
        SET time_zone='+00:00';
        CREATE TABLE t (id INT PRIMARY KEY, v INT, ts TIMESTAMP NULL, d TIMESTAMP(3) NOT NULL DEFAULT '{First}');
        """;

    private const string Rows = "SET time_zone='+00:00'; SELECT * FROM t ORDER BY id;";

    [Theory]
    [CombinatorialServers("update --key id", "delete --key id --columns id,@v", "import --on-duplicate update")]
    public async Task Both_moments_go_back_as_they_were(string server, string command)
    {
        await using var place = await CreateAsync(server, $"""
            {Table}
            INSERT INTO t VALUES (1, 1, '{First}', '{Second}'), (2, 2, '{Second}', '{First}'), (3, 3, '{First}', '{First}');
            """);
        await using var zone = await SetZoneAsync(place);
        var before = await place.ScalarAsync(Rows);
        place.Write("t.csv", "id,v\n1,10\n2,20\n3,30\n");
        var words = command.Split(' ');
        (await place.RunAsync([words[0], "t.csv", "--table", "t", .. words[1..], "--undoable"])).ShouldExitWith(0);
        Assert.NotEqual(before, await place.ScalarAsync(Rows));
        var job = await UndoTests.JobAsync(place);
        if (words[0] != "delete")
        {
            await place.QueryAsync($"SET time_zone='+00:00'; UPDATE t SET ts = '{Second}' WHERE id = 3;");
            before = before.Replace($"3\t3\t{First}", $"3\t30\t{Second}", StringComparison.Ordinal);
        }

        (await place.RunAsync("undo", job)).ShouldExitWith(words[0] == "delete" ? 0 : 3);
        Assert.Equal(before, await place.ScalarAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_row_with_the_other_moment_has_changed_since(string server)
    {
        await using var place = await CreateAsync(server, Table);
        await using var zone = await SetZoneAsync(place);
        var job = await UndoTests.ImportAsync(place, "id,ts\n1,2024-10-27T00:30:00Z\n2,2024-10-27T01:30:00Z\n3,\n",
            "--time-zone", "Europe/Berlin");
        await place.QueryAsync($"SET time_zone='+00:00'; UPDATE t SET ts = '{First}' WHERE id = 2; "
            + $"UPDATE t SET d = '{Second}' WHERE id = 3;");
        var end = await place.RunAsync("undo", job, "--time-zone", "Europe/Berlin");
        end.ShouldExitWith(3);
        UndoTests.ShouldReport(end, "kept: changed since: 2 rows, with key 2; 3\n");
        Assert.Equal($"2\tNULL\t{First}\t{First}.000\n3\tNULL\tNULL\t{Second}.000", await place.ScalarAsync(Rows));
    }

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task A_table_becomes_the_file_with_its_moments_and_its_defaults(string server, string way)
    {
        await using var place = await CreateAsync(
            server, $"{Table} INSERT INTO t VALUES (1, 1, '{First}', '{First}'), (2, 2, '{Second}', '{Second}');");
        await using var zone = await SetZoneAsync(place);
        place.Write("t.csv", $"id,v,ts,d\n1,1,{Second},{First}\n2,2,{Second},{Second}\n3,3,{First},{First}\n");
        var end = await place.RunAsync("import", "t.csv", $"--full-refresh={way}", "--time-zone", "UTC");
        end.ShouldExitWith(0);
        UndoTests.ShouldReport(end, ": 1 new, 1 changed, 0 gone, 1 unchanged");
        await place.QueryAsync("INSERT INTO t (id) VALUES (4);");
        Assert.Equal($"1\t1\t{Second}\t{First}.000\n2\t2\t{Second}\t{Second}.000\n3\t3\t{First}\t{First}.000\n4\tNULL\tNULL\t{First}.000",
            await place.ScalarAsync(Rows));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_seed_finds_and_brings_back_the_other_moment(string server)
    {
        await using var place = await CreateAsync(server, Table);
        await using var zone = await SetZoneAsync(place);
        place.Write("data/seed.yaml", "options:\n  time-zone: UTC\n");
        place.Write("data/t.csv", $"id,ts\n1,{First}\n2,{Second}\n3,{First}\n");
        var rows = await SeedAsync();
        Assert.Equal($"1\tNULL\t{First}\t{First}.000\n2\tNULL\t{Second}\t{First}.000\n3\tNULL\t{First}\t{First}.000", rows);
        await place.QueryAsync($"SET time_zone='+00:00'; UPDATE t SET ts = '{First}' WHERE id = 2; DELETE FROM t WHERE id = 3;");
        Assert.Equal(rows, await SeedAsync());

        async Task<string> SeedAsync()
        {
            var end = await place.RunAsync("seed", "data", "--mode", "sync", "--allow-database", place.Database);
            end.ShouldExitWith(0);
            return await place.ScalarAsync(Rows);
        }
    }

    private async Task<Workplace> CreateAsync(string server, string sql) => await Workplace.CreateAsync(servers.Get(server), sql);

    private static async Task<ChangedSettings> SetZoneAsync(Workplace place)
    {
        await ServerClient.RunAsync(place.Server, null, Berlin);
        return await ChangedSettings.SetAsync(place.Server, ("time_zone", "'Europe/Berlin'"));
    }
}
