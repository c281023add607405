namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What an expression or a trigger reads by itself is none of the job's rows, and what it reads of the table depends on the
/// records before.</summary>
public sealed class StoredFunctionTests
{
    private const string Function = """
        CREATE TABLE o (id INT PRIMARY KEY, n INT); INSERT INTO o VALUES (1, 1);
        DELIMITER //
        CREATE FUNCTION rdo() RETURNS INT READS SQL DATA BEGIN DECLARE r INT; SELECT COUNT(*) INTO r FROM o; RETURN r; END//
        DELIMITER ;

        """;

    [Theory]
    [CombinatorialServers("--set=n=n+rdo()", "--where=n+rdo()>0")]
    public async Task Keys_without_rows_are_missing_whatever_a_function_reads(string server, string option)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            Function + "CREATE TABLE t (id INT PRIMARY KEY, n INT, v INT); INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);");
        place.Write("t.csv", "id,v\n1,5\n2,5\n9,5\n8,5\n");
        (await place.RunAsync("update", "t.csv", "--table", "t", option, "--counts", "matched", "--max-rejects", "5", "--report",
            "report.json")).ShouldExitWith(3);
        Assert.Equal((2, 2), await place.CountsAsync("updated"));
    }

    [Theory]
    [CombinatorialServers("trigger", "set")]
    public async Task Rows_are_told_as_inserted_that_are_new(string server, string caller)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Function + "CREATE TABLE t (id INT PRIMARY KEY, n INT);");
        if (caller == "trigger")
        {
            await place.QueryAsync("CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW SET NEW.n = rdo();");
        }

        place.Write("t.csv", "id\n21\n22\n23\n");
        string[] words = ["import", "t.csv", "--report", "report.json", "--overwrite",
            .. caller == "set" ? ["--set", "n=rdo()"] : Array.Empty<string>()];
        (await place.RunAsync(words)).ShouldExitWith(0);
        Assert.Equal((3, 0), await place.CountsAsync("inserted"));
        await place.QueryAsync("DELETE FROM t WHERE id=22;");
        (await place.RunAsync([.. words, "--reload", "--on-duplicate", "update"])).ShouldExitWith(0);
        Assert.Equal((1, 0), await place.CountsAsync("inserted"));
        Assert.Equal("id\tn\n21\t1\n22\t1\n23\t1\n", await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("auto", "in-list-delete", "pipelined")]
    public async Task A_guard_that_reads_the_table_sees_what_the_records_before_have_deleted(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id INT PRIMARY KEY, g INT); INSERT INTO t VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 2);");
        place.Write("ids.txt", "1\n2\n3\n4\n5\n");
        (await place.RunAsync(
            "delete", "--ids", "ids.txt", "--table", "t", "--yes", "--ignore-missing", "--strategy", strategy, "--report", "report.json",
            "--where", "exists (select 1 from (select * from t) d where d.g=t.g and d.id<>t.id)")).ShouldExitWith(0);
        Assert.Equal("id\n2\n5\n", await place.QueryAsync("SELECT id FROM t ORDER BY id;"));
        Assert.Equal((3, 0), await place.CountsAsync("deleted"));
    }
}
