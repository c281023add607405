namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What the process takes at its peak where <c>--max-memory</c> says how much that may be.</summary>
public sealed class MemoryTests
{
    private const int Records = 24;
    private const int MiB = 1024 * 1024;

    /// <summary>What the runtime and the program take before they do anything; without the published program's compiled code a little
    /// more.</summary>
    private const int OwnMiB = 75;

    private const int MostMiB = 60;

    /// <summary>Each record is as large as it may be, in a value that is escaped on its way.</summary>
    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert", "pipe", "update")]
    public async Task Records_of_the_largest_size_stay_within_max_memory(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT);");
        var value = string.Concat(Enumerable.Repeat("x\\ty", 240_000));
        var text = new StringBuilder();
        for (var id = 1; id <= Records; id++)
        {
            text.Append($"{{\"id\":{id},\"v\":\"{value}\"}}\n");
        }

        if (kind == "update")
        {
            await place.QueryAsync(
                $"INSERT INTO t (id) WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < {Records}) SELECT i FROM n;");
        }

        string[] bounds = ["--table", "t", "--max-record-bytes", "1M", "--max-memory", $"{MostMiB}Mi"];
        using var program = place.Start(
        [
            .. kind == "pipe" ? ["import", "-", "--format", "jsonl", "--job-id", "piped"]
                : kind == "update" ? ["update", place.Write("t.jsonl", text.ToString())]
                : (string[])["import", place.Write("t.jsonl", text.ToString()), "--strategy", kind],
            .. bounds,
        ]);
        if (kind == "pipe")
        {
            await program.Input.WriteAsync(Encoding.UTF8.GetBytes(text.ToString()));
        }

        program.Input.Close();
        var peak = await program.PeakAsync();

        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal($"{Records}\t{Records * 720_000L}", await place.ScalarAsync("SELECT COUNT(*), SUM(LENGTH(v)) FROM t;"));
        Assert.True(peak < (MostMiB + OwnMiB) * (long)MiB, $"{peak / MiB} MiB at the peak");
    }

    /// <summary>The statements that keep rows repeat the keys, and may be larger than the batch.</summary>
    [Theory]
    [CombinatorialServers("update", "delete", "import")]
    public async Task Statements_that_keep_rows_stay_within_max_memory(string server, string command)
    {
        const int Rows = 20_000;
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id VARCHAR(500) CHARACTER SET ascii PRIMARY KEY, n INT);");
        var text = new StringBuilder(command == "delete" ? "id\n" : "id,n\n");
        for (var row = 0; row < Rows; row++)
        {
            text.Append(CultureInfo.InvariantCulture, $"{row}").Append('\\', 440).Append(command == "delete" ? "\n" : ",1\n");
        }

        place.Write("t.csv", text.ToString());
        if (command != "import")
        {
            (await place.RunAsync("import", "t.csv")).ShouldExitWith(0);
        }

        string[] way = command switch
        {
            "delete" => ["delete", "--ids", "t.csv"],
            "import" => ["import", "t.csv", "--on-duplicate", "update"],
            _ => ["update", "t.csv"],
        };
        using var program = place.Start(
            [.. way, "--table", "t", "--undoable", "--max-record-bytes", "1000", "--max-memory", "42Mi"]);
        program.Input.Close();
        var peak = await program.PeakAsync();
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal(command == "delete" ? "0" : $"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        TestContext.Current.TestOutputHelper?.WriteLine($"{peak / MiB} MiB at the peak");
        Assert.True(peak < (42 + OwnMiB) * (long)MiB, $"{peak / MiB} MiB at the peak");
    }

    /// <summary>What is known of a file is in memory until the end; the plan cannot bound how many there are.</summary>
    [Theory]
    [CombinatorialServers("", "--plan")]
    public async Task Files_that_are_too_many_for_max_memory_end_the_job_and_are_not_an_internal_error(string server, string option)
    {
        const int Files = 250;
        var columns = Enumerable.Range(1, 900).Select(i => $"a_column_with_a_long_name_that_takes_memory_{i}").ToArray();
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"CREATE TABLE t (id INT NOT NULL, {string.Join(", ", columns.Select(column => $"{column} INT"))});");
        for (var file = 0; file < Files; file++)
        {
            // What files have in common is kept once.
            place.Write(
                $"{file}.csv", $"id,{string.Join(',', columns[file..].Concat(columns[..file]))}\n1{new string(',', columns.Length)}\n");
        }

        var end = await place.RunAsync(["import", "*.csv", "--table", "t", "--max-record-bytes", "50K", "--max-memory", "42Mi",
            .. option.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);

        end.ShouldExitWith(1);
        end.ShouldSay("error: --max-memory 42Mi is too little for this job: give more, smaller sizes (--bytes-per-batch, "
            + "--max-record-bytes, --threads 1) or fewer files at a time");
        end.ShouldSay("  nothing was sent");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    /// <summary>Objects that name one column of many: in a chunk there are hundreds of times as many values as bytes.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_of_many_columns_stay_within_max_memory(string server)
    {
        const int Rows = 8000;
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server),
            $"CREATE TABLE t (id INT NOT NULL, {string.Join(", ", Enumerable.Range(1, 900).Select(i => $"c{i} INT"))});");
        var first = $"{{\"id\":0,{string.Join(',', Enumerable.Range(1, 900).Select(i => $"\"c{i}\":{i}"))}}}\n";
        place.Write("t.jsonl", first + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{{\"id\":{id}}}\n")));
        using var program = place.Start("import", "t.jsonl", "--table", "t", "--max-record-bytes", "1M", "--max-memory", $"{MostMiB}Mi");
        program.Input.Close();
        var peak = await program.PeakAsync();

        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal($"{Rows + 1}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.True(peak < (MostMiB + OwnMiB) * (long)MiB, $"{peak / MiB} MiB at the peak");
    }
}
