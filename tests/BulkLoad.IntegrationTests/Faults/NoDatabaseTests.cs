namespace BulkLoad.IntegrationTests.Faults;

/// <summary>The table is named with its database, and the session has none. Both servers then refuse a DELETE of an alias (1046).</summary>
public sealed class NoDatabaseTests
{
    private const string Tables = """
        CREATE TABLE parent (id INT PRIMARY KEY);
        INSERT INTO parent VALUES (1), (2);
        CREATE TABLE t (id INT PRIMARY KEY, v INT, p INT, FOREIGN KEY (p) REFERENCES parent (id));
        CREATE TABLE tree (id INT PRIMARY KEY, up INT, v INT, FOREIGN KEY (up) REFERENCES tree (id));
        INSERT INTO t VALUES (1, 10, 1), (2, 20, 1), (3, 30, 2);
        INSERT INTO tree VALUES (1, NULL, 0), (2, 1, 0), (3, 2, 0);
        """;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Files_are_imported(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));");
        place.Write("people.csv", "id,name\n1,a\n2,b\n");
        string[] import = ["import", "people.csv", "--table", $"{place.Database}.people"];
        foreach (var (words, expected) in new[]
        {
            (import, "2 rows inserted"), (import, "nothing to do: "),
            ([.. import, "--truncate", "--allow-database", place.Database], "2 rows inserted"),
        })
        {
            var end = await RunAsync(place, words);
            end.ShouldExitWith(0);
            Assert.Contains(expected, end.Output, StringComparison.Ordinal);
        }
    }

    [Theory]
    [CombinatorialServers("update", "delete", "import")]
    public async Task Jobs_are_undone(string server, string command)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        place.Write("t.csv", command == "delete" ? "id\n1\n7\n" : "id,v\n1,11\n9,99\n");
        string[] ways = command == "import" ? ["--on-duplicate", "update"] : ["--key", "id", "--ignore-missing", "--where", "v < 99"];
        var before = await place.QueryAsync("SELECT * FROM t ORDER BY id;");
        var end = await RunAsync(place, [command, "t.csv", "--table", $"{place.Database}.t", "--undoable", .. ways]);
        end.ShouldExitWith(0);
        var advice = end.Output.Split("'bulkload ")[1].Split("' puts the rows back as they were")[0];
        (await RunAsync(place, advice.Split(' '))).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
        await Undoing.UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("diff", "swap")]
    public async Task A_table_becomes_exactly_the_file(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Tables);

        // Unique values that change places, rows that go, and rows that refer to rows that go.
        place.Write("t.csv", "id,v,p\n1,20,1\n2,10,2\n4,40,2\n");
        string[] words = ["t.csv", $"--full-refresh={way}", "--yes"];
        await place.QueryAsync("ALTER TABLE t MODIFY v INT NOT NULL, ADD UNIQUE KEY v (v);");
        (await RunAsync(place, ["import", "--table", $"{place.Database}.t", .. words])).ShouldExitWith(0);
        Assert.Equal("1\t20\t1\n2\t10\t2\n4\t40\t2", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        if (way == "diff")
        {
            place.Write("t.csv", "id,up,v\n1,,1\n");
            (await RunAsync(place, ["import", "--table", $"{place.Database}.tree", "--min-rows", "10%", .. words])).ShouldExitWith(0);
            Assert.Equal("1\tNULL\t1", await place.ScalarAsync("SELECT * FROM tree;"));
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Changes_are_shown_before(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        place.Write("t.csv", "id,v,p\n7,70,1\n8,80,55\n");
        var end = await RunAsync(
            place, ["import", "t.csv", "--table", $"{place.Database}.t", "--preview", "--max-rejects", "1", "--reject-file", "no.csv"]);
        end.ShouldExitWith(3);
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        place.Write("ids.csv", "id\n1\n2\n");
        (await RunAsync(
            place, ["delete", "ids.csv", "--table", $"{place.Database}.parent", "--key", "id", "--preview", "--max-rejects", "2"]))
            .ShouldExitWith(3);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM parent;"));
    }

    private static async Task<ProgramEnd> RunAsync(Workplace place, string[] words)
    {
        var url = BulkLoadProcess.UrlOf(place.Server, place.Server.User, place.Server.Password, database: null);
        using var program = BulkLoadProcess.Start(place, url, words);
        program.Input.Close();
        return await program.EndAsync();
    }
}
