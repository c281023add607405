namespace BulkLoad.IntegrationTests.Expressions;

/// <summary>A field that only an expression of <c>--set</c> reads: every strategy leaves the same rows.</summary>
public sealed class SetFieldTests
{
    private const string Table = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), born DATE, n INT, twice LONGTEXT, kind VARCHAR(200), eq INT, missing INT, j VARCHAR(50));

        """;

    /// <summary>A date, text of several bytes, quotes and signs, an empty string, NULL in each of its forms, and blanks.</summary>
    private const string Lines = """
        1,31.12.2024,one,7
        2,01.02.2023,"zwölf ""é"" 😀 日 \ ' 	 x",12
        3,,NULL,
        4,\N,"",0
        5,29.02.2024," blank ",+3
        6,"5.6.2001",-,008

        """;

    private const string Expected = """
        1 2024-12-31 3 oneone utf8mb4/utf8mb4_general_ci/2 1 0 7
        2 2023-02-01 28 zwölf "é" 😀 日 BACK ' TAB xzwölf "é" 😀 日 BACK ' TAB x utf8mb4/utf8mb4_general_ci/2 0 0 12
        3 NULL NULL NULL utf8mb4/utf8mb4_general_ci/2 NULL 1 none
        4 NULL 0  utf8mb4/utf8mb4_general_ci/2 0 0 0
        5 2024-02-29 7  blank  blank  utf8mb4/utf8mb4_general_ci/2 0 0 +3
        6 2001-06-05 NULL NULL utf8mb4/utf8mb4_general_ci/2 NULL 1 008

        """;

    private const string Query =
        "SELECT CONCAT_WS(' ',id,IFNULL(born,'NULL'),IFNULL(n,'NULL'),"
            + "IFNULL(REPLACE(REPLACE(twice,'\t','TAB'),'\\\\','BACK'),'NULL'),kind,IFNULL(eq,'NULL'),missing,j) AS row_text "
            + "FROM t WHERE "
            + "id < 100 "
            + "ORDER BY id;";

    private static readonly string[] Set =
    [
        "--null-value", "NULL", "--null-value", "@text=-",
        "--set", "born=str_to_date(@Born,'%d.%m.%Y')", "--set", "n=length(@text)", "--set", "twice=concat(@text,@TEXT)",
        "--set", "kind=concat(charset(@text),'/',collation(@text),'/',coercibility(@text))", "--set", "eq=@text='ONE'", "--set",
        "missing=@text IS NULL",
        "--set", "j=coalesce(@number,'none')",
    ];

    private static readonly string[] Columns = ["--columns", "id,@born,@text,@number", "--no-header"];

    [Theory]
    [CombinatorialServers("bulk-execute", "multi-row-insert", "load-data")]
    public async Task An_import_reads_fields_of_no_column(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Table);
        place.Write("t.csv", Lines);
        var end = await place.RunAsync(["import", "t.csv", "--strategy", strategy, .. Columns, .. Set]);
        if (server == Servers.MariaDb && strategy == "load-data")
        {
            end.ShouldExitWith(9);
            return;
        }

        end.ShouldExitWith(0);
        Assert.Equal(Text(Expected), await place.QueryAsync(Query));
    }

    [Theory]
    [CombinatorialServers(
        "multi-row-insert ignore", "bulk-execute replace", "multi-row-insert replace", "bulk-execute update", "multi-row-insert update")]
    public async Task A_duplicate_meets_the_same_expressions(string server, string way)
    {
        var (strategy, mode) = (way.Split(' ')[0], way.Split(' ')[1]);
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), Table + "INSERT INTO t (id,name,kind,missing,j) VALUES (2,'old','was',5,'there'),(100,'other','',0,'');");
        place.Write("t.csv", Lines);
        (await place.RunAsync(["import", "t.csv", "--strategy", strategy, "--on-duplicate", mode, .. Columns, .. Set])).ShouldExitWith(0);
        var expected = Text(Expected);
        if (mode == "ignore")
        {
            var second = expected.Split('\n')[2];
            expected = expected.Replace(second, "2 NULL NULL NULL was NULL 5 there", StringComparison.Ordinal);
        }

        Assert.Equal(expected, await place.QueryAsync(Query));
        Assert.Equal(mode == "replace" ? "NULL" : "old", await place.ScalarAsync("SELECT IFNULL(name,'NULL') FROM t WHERE id=2"));
    }

    [Theory]
    [CombinatorialServers("inline-join", "staged-join", "pipelined", "bulk-execute")]
    public async Task An_update_reads_fields_of_no_column(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), Table + "INSERT INTO t (id,name) VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f');");
        place.Write("t.csv", Lines);
        string[] counts = strategy == "bulk-execute" ? ["--counts", "matched"] : [];
        (await place.RunAsync(["update", "t.csv", "--table", "t", "--strategy", strategy, .. counts, .. Columns, .. Set]))
            .ShouldExitWith(0);
        Assert.Equal(Text(Expected), await place.QueryAsync(Query));
    }

    [Theory]
    [CombinatorialServers("inline-join", "staged-join", "pipelined")]
    public async Task An_update_without_some_of_its_rows_reads_the_fields_of_those_that_are_there(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20)); INSERT INTO t VALUES (1,0,''),(3,0,''),(5,0,'');");
        place.Write("t.csv", "1,10,x\n2,20,y\n3,30,z\n4,40,v\n5,50,w\n");
        (await place.RunAsync("update", "t.csv", "--no-header", "--columns", "id,a,@g", "--set", "b=concat(@g,'-',@g)", "--table", "t",
            "--strategy", strategy, "--ignore-missing")).ShouldExitWith(0);
        Assert.Equal("id\ta\tb\n1\t10\tx-x\n3\t30\tz-z\n5\t50\tw-w\n", await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("bulk-execute", "multi-row-insert", "load-data")]
    public async Task Fields_of_json_lines_are_their_raw_text(string server, string strategy)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(100), w VARCHAR(100));");
        place.Write("t.jsonl", """
            {"id":1,"x":1.50,"y":"a\"b"}
            {"id":2,"x":{"k":[1, 2.0]},"y":""}
            {"id":3,"x":null}
            {"id":4,"x":true,"y":"null"}
            {"id":5,"x":"2024-01-05","y":12345678901234567890123}

            """);
        var end = await place.RunAsync(
            "import", "t.jsonl", "--strategy", strategy, "--map", "x=@F,y=@y", "--set", "v=@f", "--set", "w=concat(@Y,'!')");
        if (server == Servers.MariaDb && strategy == "load-data")
        {
            end.ShouldExitWith(9);
            return;
        }

        end.ShouldExitWith(0);
        Assert.Equal(
            "id\tv\tw\n1\t1.50\ta\"b!\n2\t{\"k\":[1, 2.0]}\t!\n3\tNULL\tNULL\n4\ttrue\tnull!\n5\t2024-01-05\t12345678901234567890123!\n",
            await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("bulk-execute", "multi-row-insert")]
    public async Task Rows_that_go_as_literals_read_the_same_fields(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(40) DEFAULT (concat('d','x')), p POINT, v VARCHAR(100));");
        place.Write("t.jsonl", """
            {"id":1,"u":"a","p":"POINT(1 2)","x":"it's \\ \"q\""}
            {"id":2,"p":null,"x":"日"}
            {"id":3,"u":"b","p":null}

            """);
        (await place.RunAsync("import", "t.jsonl", "--strategy", strategy, "--map", "x=@f", "--set", "v=concat(@f,'|',@f)"))
            .ShouldExitWith(0);
        Assert.Equal("id\tu\tv\n1\ta\tit's BACK \"q\"|it's BACK \"q\"\n2\tdx\t日|日\n3\tb\tNULL\n",
            await place.QueryAsync("SELECT id,u,REPLACE(v,'\\\\','BACK') AS v FROM t ORDER BY id;"));
        place.Write("u.jsonl", """{"id":1,"u":"n","y":"1'"}""" + "\n" + """{"id":3,"y":2.50}""" + "\n" + """{"id":2}""" + "\n");
        (await place.RunAsync("update", "u.jsonl", "--table", "t", "--map", "y=@f", "--set", "v=concat(@f,'|',@f)")).ShouldExitWith(0);
        Assert.Equal("id\tu\tv\n1\tn\t1'|1'\n2\tdx\tNULL\n3\tb\t2.50|2.50\n", await place.QueryAsync("SELECT id,u,v FROM t ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("bulk-execute", "multi-row-insert", "load-data")]
    public async Task A_value_that_its_expression_cannot_take_is_one_reject(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        place.Write("t.csv", "1,5\n2,x\n3,7\n4,12abc\n5,\n");
        var end = await place.RunAsync(
            "import", "t.csv", "--no-header", "--strategy", strategy, "--columns", "id,@g", "--set", "v=@g+1", "--max-rejects", "5");
        end.ShouldExitWith(server == Servers.MariaDb && strategy == "load-data" ? 9 : 3);
        Assert.Equal(
            end.ExitCode == 9 ? "" : "id\tv\n1\t6\n3\t8\n5\tNULL\n",
            await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [CombinatorialServers("bulk-execute", "multi-row-insert", "load-data")]
    public async Task Expressions_can_fill_every_column(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20));");
        place.Write("t.csv", "1;x\n2;y\n");
        var end = await place.RunAsync("import", "t.csv", "--no-header", "--delimiter", ";", "--strategy", strategy, "--columns", "@i,@g",
            "--set", "a=@i*10", "--set", "b=upper(@g)");
        end.ShouldExitWith(server == Servers.MariaDb && strategy == "load-data" ? 9 : 0);
        Assert.Equal(end.ExitCode == 9 ? "" : "a\tb\n10\tX\n20\tY\n", await place.QueryAsync("SELECT * FROM t ORDER BY a;"));
    }

    private static string Text(string rows) => $"row_text\n{rows.ReplaceLineEndings("\n").Trim('\n')}\n";
}
