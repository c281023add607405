namespace BulkLoad.IntegrationTests.Updates;

/// <summary>Rows that go to a temporary table first.</summary>
public sealed class StagedUpdateTests
{
    /// <summary>A table in memory has room for the longest text in each row, and would be full.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Wide_texts_do_not_fill_a_table_in_memory(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(2000)) CHARACTER SET utf8mb4;");
        place.Write("t.csv", $"id,v\n{string.Concat(Enumerable.Range(1, 5_000).Select(id => $"{id},old\n"))}");
        (await place.RunAsync("import", "t.csv", "--table", "t")).ShouldExitWith(0);
        place.Write("u.csv", $"id,v\n{string.Concat(Enumerable.Range(1, 5_000).Select(id => $"{id},new\n"))}");
        (await place.RunAsync("update", "u.csv", "--table", "t", "--strategy", "staged-join")).ShouldExitWith(0);
        Assert.Equal("5000", await place.ScalarAsync("SELECT COUNT(*) FROM t WHERE v = 'new';"));
    }

    /// <summary>What no index of a temporary table can hold is known before it is made.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_key_that_no_index_can_hold_is_not_staged(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, k VARCHAR(1000) COLLATE utf8mb4_bin) CHARACTER SET utf8mb4; INSERT "
                + "INTO t VALUES (1, 'a'), (2, 'b');");
        place.Write("ids.txt", "k\na\n");
        string[] delete = ["delete", "--ids", "ids.txt", "--table", "t", "--key", "k", "--allow-multiple", "--allow-scan", "--yes"];
        var refused = await place.RunAsync([.. delete, "--strategy", "staged-join"]);
        refused.ShouldExitWith(9);
        Assert.StartsWith("error: --strategy staged-join is not fit here: ", refused.Error, StringComparison.Ordinal);
        (await place.RunAsync(delete)).ShouldExitWith(0);
        Assert.Equal("2", await place.ScalarAsync("SELECT id FROM t;"));
    }
}
