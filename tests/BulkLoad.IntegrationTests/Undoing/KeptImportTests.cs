namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>An import with <c>--undoable</c> keeps the rows that it finds, and marks those that it inserts. An undo deletes the new ones,
/// and puts the others back.</summary>
public sealed class KeptImportTests
{
    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n INT NOT NULL DEFAULT 3, twice INT AS (n * 2) STORED,
          seen TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP);
        INSERT INTO t (id, name, n) VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3), (4, 'four', 4), (9, 'nine', 9);
        """;

    private const string Rows = "SELECT * FROM t ORDER BY 1, 2;";

    [Theory]
    [CombinatorialServers("update", "replace", "ignore")]
    public async Task New_rows_go_and_others_get_their_values_back(string server, string mode)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var before = await place.QueryAsync(Rows);
        var job = await ImportAsync(place, "id,name\n1,uno\n2,two\n7,siete\n8,ocho\n7,sieben\n", "--on-duplicate", mode);
        Assert.Equal("7", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        var full = await place.QueryAsync(Rows);

        // REPLACE gives the columns that the input does not have their defaults, so that the second row changes too.
        var changed = mode switch { "update" => 3, "replace" => 4, _ => 2 };
        var words = mode == "ignore" ? "inserted into" : "inserted into or changed in";
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(0);
        Assert.StartsWith($"all {changed} rows that job {job} had {words} {place.Database}.t would be reversed, in ", preview.Output,
            StringComparison.Ordinal);
        Assert.Equal(full, await place.QueryAsync(Rows));

        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        Assert.StartsWith($"all {changed} rows that job {job} had {words} {place.Database}.t are reversed, in ", end.Output,
            StringComparison.Ordinal);
        UndoTests.ShouldReport(end, "t.csv can be imported again into");
        Assert.Equal(before, await place.QueryAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("update", "replace")]
    public async Task What_was_changed_since_stays(string server, string mode)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await ImportAsync(place, "id,name\n1,uno\n2,dos\n3,tres\n7,siete\n8,ocho\n10,diez\n", "--on-duplicate", mode);
        await place.QueryAsync("UPDATE t SET n = 50 WHERE id IN (1, 7); DELETE FROM t WHERE id IN (2, 8);");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(3);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        foreach (var one in new[] { preview, end })
        {
            Assert.StartsWith("2 of the 6 rows that ", one.Output, StringComparison.Ordinal);
            UndoTests.ShouldReport(one, "kept: changed since: 2 rows, with key 1; 7\n");
            UndoTests.ShouldReport(one, "already gone: 2 rows, with key 2; 8\n");
        }

        Assert.Equal(
            "1\tuno\n3\tthree\n4\tfour\n7\tsiete\n9\tnine", await place.ScalarAsync("SELECT id, name FROM t ORDER BY id;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>A row that the job inserts and changes later, in another chunk, is a new one; a row of before goes back to what it was
    /// first.</summary>
    [Theory]
    [CombinatorialServers("--rows-per-chunk 1", "--rows-per-chunk 2 --rows-per-batch 2", "--atomic", "--strategy multi-row-insert")]
    public async Task Several_records_of_one_row_count_once(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var before = await place.QueryAsync(Rows);
        var job = await ImportAsync(place, "id,name\n7,a\n1,b\n7,c\n1,d\n7,e\n1,one\n8,f\n8,f\n",
            ["--on-duplicate", "update", .. way.Split(' ')]);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);

        // The first row has its name again, and a time stamp beside it.
        Assert.StartsWith("all 3 rows ", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>Values that no input tells: by the server's numbers, defaults, triggers and <c>--set</c>.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_with_values_that_the_server_has_made_are_known(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(9) NOT NULL, made DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6),
              token CHAR(36) DEFAULT (UUID()), price INT, note VARCHAR(20), UNIQUE KEY sku (sku));
            CREATE TRIGGER stamps BEFORE INSERT ON t FOR EACH ROW SET NEW.note = CONCAT('by ', NEW.sku);
            INSERT INTO t (sku, price) VALUES ('x', 1), ('y', 2);
            """);
        var before = await place.QueryAsync(Rows);
        var job = await ImportAsync(place, "sku,price\na,5\nb,6\nc,7\n", "--columns", "sku,@price", "--set", "price=@price*2");
        Assert.Equal("36", await place.ScalarAsync("SELECT SUM(price) FROM t WHERE id > 2;"));
        await place.QueryAsync("UPDATE t SET note = 'mine' WHERE sku = 'b';");
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        Assert.StartsWith($"2 of the 3 rows that job {job} had inserted into {place.Database}.t are reversed, 1 kept", end.Output,
            StringComparison.Ordinal);
        UndoTests.ShouldReport(end, "kept: changed since: 1 row, with key 4\n");
        await place.QueryAsync("DELETE FROM t WHERE sku = 'b';");
        Assert.Equal(before, await place.QueryAsync(Rows));

        // The unique key finds rows, and the server's number names them.
        await place.QueryAsync("DROP TRIGGER stamps;");
        job = await ImportAsync(place, "sku,price\nX,5\nb,6\n", "--on-duplicate", "update");
        Assert.Equal("X\t5", await place.ScalarAsync("SELECT sku, price FROM t WHERE id = 1;"));
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>A text that finds a row by its key becomes the row's key.</summary>
    [Theory]
    [CombinatorialServers("update", "replace")]
    public async Task Keys_get_their_letters_back(string server, string mode)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_general_ci, b INT, v INT, PRIMARY KEY (a, b));
            INSERT INTO t VALUES ('abc', 1, 1), ('DEF', 1, 2), ('ghi ', 2, 3);
            """);
        const string exact = "SELECT HEX(a), b, v FROM t ORDER BY 1;";
        var before = await place.QueryAsync(exact);
        var job = await ImportAsync(place, "a,b,v\nABC,1,1\ndef,1,9\nghi,2,3\nnew,1,1\n", "--on-duplicate", mode);
        Assert.NotEqual(before, await place.QueryAsync(exact));
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync(exact));
    }

    /// <summary>New rows that others refer to stay; rows of the job that are in each other's way, or refer to each other, go.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_that_need_each_other_are_taken_back_in_the_right_order(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, up INT, v INT, FOREIGN KEY (up) REFERENCES t (id));
            CREATE TABLE c (p INT, CONSTRAINT needs FOREIGN KEY (p) REFERENCES t (id));
            INSERT INTO t VALUES (1, NULL, 1), (2, 1, 2), (3, NULL, 3);
            """);
        var before = await place.QueryAsync(Rows);
        var job = await ImportAsync(place, "id,up,v\n10,1,0\n11,10,0\n2,11,5\n3,10,6\n12,12,0\n", "--on-duplicate", "update");
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync(Rows));

        job = await ImportAsync(place, "id,up,v\n10,1,0\n11,,0\n2,11,5\n", "--on-duplicate", "update");
        await place.QueryAsync("INSERT INTO c VALUES (10);");
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        UndoTests.ShouldReport(end, $"kept: referred to by {place.Database}.c (needs): 1 row, with key 10\n");
        Assert.Equal("1\tNULL\t1\n2\t1\t2\n3\tNULL\t3\n10\t1\t0", await place.ScalarAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("update", "error")]
    public async Task Refused_records_leave_no_image(string server, string mode)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT, CHECK (v < 100000));");
        await place.QueryAsync($"INSERT INTO t VALUES {string.Join(", ", Enumerable.Range(0, 2_000).Select(id => $"({id * 5}, -1)"))};");
        var before = await place.QueryAsync("CHECKSUM TABLE t; SELECT COUNT(*) FROM t;");
        var records = string.Concat(Enumerable.Range(0, 10_100).Select(id => $"{id},{(id % 1000 == 555 ? 200_000 : id)}\n"));
        place.Write("t.csv", "id,v\n" + records);
        var first = await place.RunAsync("import", "t.csv", "--table", "t", "--undoable", "--on-duplicate", mode, "--max-rejects", "30%",
            "--rows-per-chunk", "3000");
        first.ShouldExitWith(3);
        var end = await place.RunAsync("undo", await UndoTests.JobAsync(place));
        end.ShouldExitWith(0);
        Assert.StartsWith(mode == "update" ? "all 10,090 rows " : "all 8,100 rows ", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync("CHECKSUM TABLE t; SELECT COUNT(*) FROM t;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_could_not_be_told_is_refused_before_a_row_is_sent(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, v INT);
            CREATE TABLE two (id INT PRIMARY KEY, v INT NOT NULL, UNIQUE KEY v (v));
            CREATE TABLE other (id INT AUTO_INCREMENT PRIMARY KEY, v INT NOT NULL, UNIQUE KEY v (v));
            CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(9), KEY v (v));
            CREATE TABLE c (p INT, v VARCHAR(9), CONSTRAINT cascades FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE);
            CREATE TABLE bare (id INT NOT NULL, v INT, UNIQUE KEY id (id));
            CREATE TABLE filled (id INT AUTO_INCREMENT PRIMARY KEY, v INT);
            """);
        place.Write("t.csv", "id,v\n1,2\n");
        place.Write("v.csv", "v\n2\n");
        place.Write("some.csv", "id,v\n1,2\n,3\n");
        await ShouldRefuseAsync("--ids-file FILE keeps ids", "v.csv", "--table", "numbered");
        await ShouldRefuseAsync("by key 'PRIMARY' or by 'v'", "t.csv", "--table", "two", "--on-duplicate", "update");
        await ShouldRefuseAsync("--on-duplicate update leaves it", "v.csv", "--table", "other", "--on-duplicate", "replace");
        await ShouldRefuseAsync("foreign key cascades of", "t.csv", "--table", "p", "--on-duplicate", "replace");
        await ShouldRefuseAsync("has no primary key", "t.csv", "--table", "bare");
        await ShouldRefuseAsync("record 2 has no value for the key of", "some.csv", "--table", "filled");
        await place.QueryAsync("CREATE TRIGGER moves BEFORE INSERT ON filled FOR EACH ROW SET NEW.id = NEW.id + 100;");
        await ShouldRefuseAsync(
            "trigger moves (BEFORE INSERT) may change the key", "t.csv", "--table", "filled", "--on-duplicate", "ignore");
        place.Write("t.csv", "id,v\n1,2\n2,2\n");
        var end = await place.RunAsync("import", "t.csv", "--table", "filled", "--undoable");
        end.ShouldExitWith(7);
        end.ShouldSay("does trigger moves (BEFORE INSERT) change them?");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM filled;"));
        foreach (var option in (string[])["--no-ledger", "--truncate", "--full-refresh", "--rebuild-indexes", "--create"])
        {
            end = await place.RunAsync("import", "t.csv", "--table", "p", "--undoable", option);
            end.ShouldExitWith(2);
            end.ShouldSay($"--undoable with {option}: ");
        }

        // These are told apart: by the key that the input has, and by a number that cannot change.
        (await place.RunAsync("import", "v.csv", "--table", "other", "--on-duplicate", "update", "--undoable")).ShouldExitWith(0);
        (await place.RunAsync("import", "t.csv", "--table", "p", "--on-duplicate", "update", "--undoable")).ShouldExitWith(0);

        async Task ShouldRefuseAsync(string why, params string[] words)
        {
            var end = await place.RunAsync(["import", "--undoable", .. words]);
            end.ShouldExitWith(9);
            end.ShouldSay(why);
        }
    }

    private static Task<string> ImportAsync(Workplace place, string records, params string[] options) =>
        UndoTests.ImportAsync(place, records, ["--undoable", .. options]);
}
