using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Chunks that a server has committed and lost: what the table has in the end is what the input says, or the job says what is
/// missing.</summary>
public sealed class LostCommitsTests
{
    private const int Rows = SharedTable.Rows;
    private const int RowsPerChunk = 50;
    private const int Committed = 4;

    private static readonly string[] Plain = ["--ssl-mode", "disabled", "--get-server-public-key", "--rows-per-batch", "20"];

    private static readonly string[] Chunks = ["--rows-per-chunk", $"{RowsPerChunk}"];

    /// <summary>Each kind of job, with everything from some chunk on gone: at least the last one that was committed, and up to all of
    /// them.</summary>
    [Theory]
    [CombinatorialServers(
        "import|3", "import|0", "import --threads 2|1", "update|2", "update --threads 2|3", "delete|3", "delete --threads 2|0")]
    public async Task What_was_lost_is_sent_again(string name, string example)
    {
        var (command, kept) = example.Split('|') is [var first, var second]
            ? (first, int.Parse(second, CultureInfo.InvariantCulture)) : default;
        await using var place = await SharedTable.CreateAsync(name, isEmpty: command.StartsWith("import", StringComparison.Ordinal));
        var end = await RunAsync(place, command, Committed, kept * RowsPerChunk);
        end.ShouldExitWith(0);
        Assert.Equal(command.StartsWith("import", StringComparison.Ordinal)
            ? $"{Rows}\t{Rows}\t{2 * Rows}" : command.StartsWith("update", StringComparison.Ordinal) ? $"{Rows}\t{Rows}\t{2 * Rows}"
            : "0\t0\tNULL", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id), SUM(n) FROM t;"));

        // The connection may be cut before the last COMMIT's answer is read: that chunk is in doubt then, and not named as lost.
        Assert.Matches(kept == Committed - 1 ? ""
            : $@"has lost (chunk {kept + 1}|chunks {kept + 1}-{Committed - 1}|chunks {kept + 1}-{Committed}), "
                + $@"records {(kept * RowsPerChunk) + 1}-",
            end.Error);
        Assert.Matches(
            command.StartsWith("import", StringComparison.Ordinal) ? $@"(?m)^{Rows} rows inserted into "
                : command.StartsWith("update", StringComparison.Ordinal) ? $@"(?m)^{Rows} rows updated in "
                : $@"(?m)^{Rows} rows deleted from ",
            end.Output);

        // What does no harm when it is done again leaves no chunks behind.
        var chunks = command.StartsWith("import", StringComparison.Ordinal) ? $"{Rows / RowsPerChunk}\t{Rows}" : "0\tNULL";
        Assert.Equal(chunks, await place.ScalarAsync("SELECT COUNT(*), SUM(taken) FROM bulkload_ledger WHERE source >= 0;"));
    }

    /// <summary>The last chunk is lost when all is sent, before the job is written down as complete.</summary>
    [Theory]
    [CombinatorialServers("import --threads 2", "import --atomic", "delete")]
    public async Task What_is_lost_before_the_job_is_complete_is_sent_again(string name, string command)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: command.StartsWith("import", StringComparison.Ordinal));
        var isAtomic = command.EndsWith("atomic", StringComparison.Ordinal);
        var end = await RunAsync(place, command, isAtomic ? 1 : Rows / RowsPerChunk, isAtomic ? 0 : Rows - RowsPerChunk);
        end.ShouldExitWith(0);
        Assert.Equal(
            command == "delete" ? "0\t0" : $"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM t;"));
        if (!command.Contains("--threads", StringComparison.Ordinal))
        {
            // Of several sessions another one may notice the cut before the COMMIT's answer is read: the chunk is in doubt then, and not
            // told as lost.
            end.ShouldSay("which it had committed (a failover or a crash?); they are sent again");
        }

        Assert.Equal(
            "0", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1 AND details NOT LIKE '%completed%';"));
    }

    /// <summary>
    /// A server that was killed knows of a new ledger only how few rows it had at some time. Then it would read all of them: the job's own,
    /// which is locked, and those that other jobs hold.
    /// </summary>
    [Theory]
    [CombinatorialServers("import", "delete", "import --atomic")]
    public async Task The_ledger_is_asked_for_the_jobs_own_rows_whatever_the_server_knows_of_its_size(string name, string command)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: command != "delete");
        await using var other = await ServerSession.ConnectAsync(place.Server.AdminOptions() with { Database = place.Database }, default);
        var isAtomic = command.EndsWith("atomic", StringComparison.Ordinal);
        var end = await RunAsync(place, command, isAtomic ? 1 : Committed, async () =>
        {
            await LoseAsync(place, command, isAtomic ? 0 : RowsPerChunk);
            await place.QueryAsync(
                "ALTER TABLE bulkload_ledger STATS_PERSISTENT=1, STATS_AUTO_RECALC=0;"
                + $"UPDATE mysql.innodb_table_stats SET n_rows = 2, clustered_index_size = 1 WHERE database_name = '{place.Database}' AND "
                + "table_name = 'bulkload_ledger';"
                + "FLUSH TABLES bulkload_ledger;");
            await other.ExecuteAsync("SET autocommit=0", default);
            await other.ExecuteAsync("INSERT INTO bulkload_ledger VALUES ('zz', -1, 0, 0, 0, 0, '', 0, 0, '{}', '', NOW())", default);
        });
        end.ShouldExitWith(0);
        Assert.DoesNotContain("Lock wait timeout", end.Error, StringComparison.Ordinal);
        await other.ExecuteAsync("ROLLBACK", default);
        Assert.Equal(
            command == "delete" ? "0\t0" : $"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM t;"));
    }

    [Theory]
    [CombinatorialServers(0, 2)]
    public async Task Refused_and_repaired_records_go_back_with_their_chunk(string name, int kept)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: true);
        place.Write(
            "changes.csv", "id,n\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},{(id % 20 == 0 ? "x" : "2")}\n")));
        var end = await RunAsync(place, "import", Committed, kept * RowsPerChunk, "--max-rejects", $"{Rows / 20}", "--reject-file",
            "bad.csv", "--report", "report.json");
        end.ShouldExitWith(3);
        ShouldTell(end, kept);
        Assert.Equal($"{Rows - (Rows / 20)}\t{Rows - (Rows / 20)}", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM t;"));
        Assert.Equal(
            "id,n\n" + string.Concat(Enumerable.Range(1, Rows / 20).Select(i => $"{20 * i},x\n")), await ReadAsync(place, "bad.csv"));
        Assert.Equal(Rows / 20, (await ReadAsync(place, "bad.jsonl")).Count(character => character == '\n'));
        Assert.Equal((Rows - (Rows / 20), Rows / 20), await place.CountsAsync("inserted"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_sorted_job_sends_again_what_was_lost(string name)
    {
        const int Many = 100_000;
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY, name CHAR(1)); CREATE TABLE before_it LIKE t; INSERT INTO before_it "
                + $"{SortedJob.EveryThird}; INSERT INTO t SELECT * FROM before_it;");
        place.Write("ids.txt", string.Concat(SortedJob.Shuffled(Many).Select(id => $"{3 * (id - 1)}\n")));
        await using var relay = new LosingRelay(place.Server, Committed, () => place.QueryAsync("INSERT IGNORE INTO t SELECT * FROM "
            + "before_it WHERE id >= 60000; DELETE FROM bulkload_ledger WHERE source >= 0 AND first_record > 20000;"));
        using var program = BulkLoadProcess.Start(place, UrlOf(relay, place),
            ["delete", "--ids", "ids.txt", "--yes", "--table", "t", .. Plain[..3], "--rows-per-chunk", "10000"]);
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("has lost chunks 3-4, records 20,001-40,000 by (id), which it had committed");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.Matches(@"(?m)^100,000 rows deleted from ", end.Output);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Of_several_files_what_was_lost_is_sent_again(string name)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: true);
        place.Write("a.csv", "id,n\n" + Lines(1, 120));
        place.Write("b.csv", "id,n\n" + Lines(121, 280));

        // Chunks end with a file: 50, 50, 20 and 50, 50, 50, 10.
        var end = await RunAsync(place, "import a.csv b.csv", 5, 100);
        end.ShouldExitWith(0);
        Assert.Equal("400\t400", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM t;"));

        // The answer to the last COMMIT is lost with the connection where it was not read before.
        Assert.Matches(
            @"has lost chunks 3-(5, the records after 100 of a\.csv up to 100|"
                + @"4, the records after 100 of a\.csv up to 50) of b\.csv, which it had committed",
            end.Error);
    }

    /// <summary>A hole with records behind it is none that can be filled in the input's order.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_records_behind_the_lost_ones_are_committed_nothing_more_is_sent(string name)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: true);
        var end = await RunAsync(place, "import", Committed, async () =>
            await place.QueryAsync("DELETE FROM t WHERE id BETWEEN 51 AND 100; DELETE FROM bulkload_ledger WHERE first_record = 51;"));
        end.ShouldExitWith(7);
        end.ShouldSay("has lost records 51-100, which it had committed, and has records after them (a failover or a crash?): nothing more "
            + "is sent; import the missing records");
        end.ShouldSay("  the other committed records stay\n");
        Assert.Equal("150", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        // Nor by another start.
        end = await place.RunAsync([.. Words("import"), .. Chunks]);
        end.ShouldExitWith(7);
        end.ShouldSay("has lost records 51-100, which job ");
        Assert.DoesNotContain("--reload", end.Error, StringComparison.Ordinal);
        Assert.Equal("150", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_pipe_has_said_cannot_be_sent_again(string name)
    {
        await using var place = await SharedTable.CreateAsync(name, isEmpty: true);
        await using var relay = new LosingRelay(place.Server, Committed, () => LoseAsync(place, "import", 100));
        using var program = BulkLoadProcess.Start(
            place, UrlOf(relay, place), ["import", "-", "--format", "csv", "--table", "t", "--job-id", "piped", .. Plain, .. Chunks]);
        await program.Input.WriteAsync(Encoding.UTF8.GetBytes("id,n\n" + Lines(1, Rows)));
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(7);
        end.ShouldSay(
            "has lost chunks 3-4, records 101-200, which it had committed (a failover or a crash?): the input cannot be read again");
        end.ShouldSay($"\n  100 rows are in {place.Database}.t\n");
        Assert.Equal("100", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    private static void ShouldTell(ProgramEnd end, int kept)
    {
        var chunks = kept == Committed - 1 ? $"chunk {Committed}" : $"chunks {kept + 1}-{Committed}";
        var lost = $"has lost {chunks}, records {(kept * RowsPerChunk) + 1}-{Committed * RowsPerChunk}, which it had committed (a failover "
            + "or a crash?); they are sent again";
        end.ShouldSay(lost);
        Assert.Contains(lost, end.Output, StringComparison.Ordinal);
    }

    private static Task<ProgramEnd> RunAsync(Workplace place, string command, int commits, int kept, params string[] options) =>
        RunAsync(place, command, commits, () => LoseAsync(place, command, kept), options);

    private static async Task<ProgramEnd> RunAsync(
        Workplace place, string command, int commits, Func<Task> loseAsync, params string[] options)
    {
        await using var relay = new LosingRelay(place.Server, commits, loseAsync);
        using var program = BulkLoadProcess.Start(place, UrlOf(relay, place),
            [.. Words(command), .. Plain, .. command.Contains("atomic", StringComparison.Ordinal) ? [] : Chunks, .. options]);
        program.Input.Close();
        var end = await program.EndAsync();
        Assert.True(relay.Cuts == 1, end.ToString());
        return end;
    }

    /// <summary>Takes everything back behind so many records.</summary>
    private static async Task LoseAsync(Workplace place, string command, int kept) => await place.QueryAsync(
        (command.StartsWith("import", StringComparison.Ordinal) ? $"DELETE FROM t WHERE id > {kept};"
            : command.StartsWith("update", StringComparison.Ordinal) ? $"UPDATE t SET n = 1 WHERE id > {kept};"
            : $"INSERT IGNORE INTO t (id, n) WITH RECURSIVE i AS (SELECT {kept + 1} id UNION ALL SELECT id + 1 FROM i WHERE id < {Rows}) "
                + "SELECT id, 1 FROM i;")
        + (command.Contains("b.csv", StringComparison.Ordinal) ? "DELETE FROM bulkload_ledger WHERE source = 1 OR (source = 0 AND "
            + "first_record > 100);" : $"DELETE FROM bulkload_ledger WHERE source >= 0 AND first_record > {kept};"));

    private static string[] Words(string command) => command.Split(' ') switch
    {
        ["import", .. var rest] when rest.Contains("a.csv") => ["import", .. rest, "--table", "t"],
        ["delete", .. var rest] => ["delete", "--ids", "ids.txt", "--yes", "--table", "t", .. rest],
        [var verb, .. var rest] => [verb, "changes.csv", "--table", "t", .. rest],
        _ => throw new ArgumentException(command),
    };

    private static string Lines(int from, int count) => string.Concat(Enumerable.Range(from, count).Select(id => $"{id},2\n"));

    private static Task<string> ReadAsync(Workplace place, string name) =>
        File.ReadAllTextAsync(Path.Combine(place.Folder, name), TestContext.Current.CancellationToken);

    private static string UrlOf(LosingRelay relay, Workplace place) =>
        BulkLoadProcess.UrlOf(place.Server with { Port = relay.Port }, place.Server.User, place.Server.Password, place.Database);
}
