using BulkLoad.Core.Ledger;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// A job whose server can be put back to what it was before the last chunks: table and ledger as they were, in one transaction.
/// </summary>
/// <param name="place">where it is begun</param>
/// <param name="kind">what it does</param>
internal sealed class PromotedJob(Workplace place, string kind) : IAsyncDisposable
{
    /// <summary>Records of the input.</summary>
    public const int Rows = 2000;

    /// <summary>Records of a chunk.</summary>
    public const int RowsPerChunk = 200;

    private const int RejectEvery = 90;

    /// <summary>What the ledger had before the job was complete is kept, and the rows (source -3) by which its index found the job that
    /// was not.</summary>
    private const string KeepLedger = """
        CREATE TABLE ledger_before LIKE bulkload_ledger;
        CREATE TRIGGER keep_job BEFORE UPDATE ON bulkload_ledger FOR EACH ROW
          REPLACE INTO ledger_before SELECT OLD.job, OLD.source, OLD.first_record, OLD.last_record, OLD.first_offset, OLD.last_offset,
            OLD.content, OLD.taken, OLD.rejected, OLD.details, OLD.program, OLD.changed FROM DUAL WHERE OLD.source = -1;
        CREATE TRIGGER keep_chunk BEFORE DELETE ON bulkload_ledger FOR EACH ROW
          REPLACE INTO ledger_before SELECT OLD.job, OLD.source, OLD.first_record, OLD.last_record, OLD.first_offset, OLD.last_offset,
            OLD.content, OLD.taken, OLD.rejected, OLD.details, OLD.program, OLD.changed FROM DUAL
            WHERE OLD.source >= 0 OR OLD.source = -3;
        """;

    private const string Completed = "source = -1 AND details LIKE '%\"completed\":%'";

    private string[] _words = [];
    private string _rejects = "";
    private bool _isKept;

    public Workplace Place => place;

    public string Kind => kind;

    /// <summary>Where the job has to be done in the end.</summary>
    public TestServer Primary { get; set; } = place.Server;

    /// <summary>Of a run that does all.</summary>
    public int GoodExit => _rejects.Length > 0 ? 3 : 0;

    /// <summary>Whether the server has lost the job itself.</summary>
    public bool IsForgotten { get; private set; }

    private bool IsImport => Kind.StartsWith("import", StringComparison.Ordinal);

    /// <summary>Whether the input cannot be read again, and the job not be known again.</summary>
    public bool IsPiped => Kind == "import of a pipe";

    private bool IsSorted => Kind == "import sorted";

    public static async Task<PromotedJob> CreateAsync(TestServer server, string kind)
    {
        var isImport = kind.StartsWith("import", StringComparison.Ordinal);
        var isSorted = kind == "import sorted";

        // Imports have no key, so that nothing but the ledger keeps a record from being there twice. A record's number is a third of its
        // id.
        var key = isImport && !isSorted ? "" : "PRIMARY KEY";
        var place = await Workplace.CreateAsync(server, $"""
            CREATE TABLE t (id INT NOT NULL {key}, v INT, hits INT NOT NULL DEFAULT 0, name VARCHAR(9000) CHARACTER SET latin1);
            CREATE TABLE original LIKE t;
            INSERT INTO original (id, v)
              WITH RECURSIVE i AS (SELECT 1 n UNION ALL SELECT n + 1 FROM i WHERE n < 900) SELECT 3 * n + 1, 1 FROM i;
            """);
        var job = new PromotedJob(place, kind);
        if (!isImport)
        {
            // No server recurs more than a thousand times.
            await place.QueryAsync("""
                INSERT INTO original (id, v)
                  WITH RECURSIVE i AS (SELECT 1 n UNION ALL SELECT n + 1 FROM i WHERE n < 900) SELECT 3 * n, 1 FROM i;
                INSERT INTO original SELECT id + 2700, v, hits, name FROM original WHERE id % 3 = 0;
                INSERT INTO original SELECT id + 5400, v, hits, name FROM original WHERE id % 3 = 0 AND id <= 600;
                """);
        }

        await job.PrepareAsync();
        return job;
    }

    /// <summary>The table as it was, and a ledger without a job.</summary>
    public async Task BeginAnewAsync()
    {
        IsForgotten = false;
        foreach (var file in Directory.GetFiles(Place.Folder, "bad.*"))
        {
            File.Delete(file);
        }

        File.Delete(Path.Combine(Place.Folder, "report.json"));
        var ledger = _isKept ? "DELETE FROM bulkload_ledger; DELETE FROM ledger_before;" : "DROP TABLE IF EXISTS bulkload_ledger;";
        await Place.QueryAsync($"DELETE FROM t; INSERT INTO t SELECT * FROM original; {ledger}");
    }

    public BulkLoadProcess Start(Forwarder? relay = null)
    {
        var server = relay is null ? Place.Server : Place.Server with { Port = relay.Port };
        var program = BulkLoadProcess.Start(Place, BulkLoadProcess.UrlOf(server, server.User, server.Password, Place.Database), _words);
        if (IsPiped)
        {
            program.Input.Write(File.ReadAllBytes(Path.Combine(Place.Folder, "t.csv")));
        }

        program.Input.Close();
        return program;
    }

    public async Task<ProgramEnd> RunAsync(Forwarder? relay = null)
    {
        using var program = Start(relay);
        return await program.EndAsync();
    }

    /// <summary>Has the ledger, which must be there, keep what <see cref="PromoteAsync"/> needs.</summary>
    public async Task KeepLedgerAsync()
    {
        _isKept = true;
        await Place.QueryAsync(KeepLedger);
    }

    /// <summary>Once no session is left: two times out of three takes the last chunks out, as if they had never been committed.</summary>
    /// <returns>what was done, for people</returns>
    public async Task<string> PromoteAsync(Random random)
    {
        var sessions = $"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{Place.Database}';";
        await Wait.ForAsync(async () => await ServerClient.ScalarAsync(Place.Server, null, sessions) == "0");
        if (random.Next(3) == 0)
        {
            return "nothing lost";
        }

        // With its end the chunks of a job may go that can be done again.
        var isComplete = await Place.ScalarAsync($"SELECT COUNT(*) FROM bulkload_ledger WHERE {Completed};") != "0";
        var undo = isComplete
            ? $"""
                CREATE TEMPORARY TABLE undone SELECT * FROM ledger_before;
                DELETE FROM bulkload_ledger WHERE source >= -1 OR (source = -3 AND first_record BETWEEN 1 AND {JobIndex.Open - 1});
                REPLACE INTO bulkload_ledger SELECT * FROM undone;
                DROP TEMPORARY TABLE undone;
                """ : "";
        var chunks = (await Place.QueryAsync($"""
            {undo}
            SELECT first_record, last_record FROM bulkload_ledger WHERE source >= 0 ORDER BY first_record;
            """)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1)
            .Select(line => Array.ConvertAll(line.Split('\t'), ToInt)).ToArray();
        IsForgotten = random.Next(8) == 0;
        var kept = IsForgotten ? 0 : random.Next(chunks.Length + (isComplete ? 1 : 0));
        var last = kept == 0 ? 0 : chunks[kept - 1][1];
        await Place.QueryAsync($"""
            START TRANSACTION;
            DELETE FROM t WHERE id >= {3 * (last + 1)};
            INSERT INTO t SELECT * FROM original WHERE id >= {3 * (last + 1)};
            DELETE FROM bulkload_ledger WHERE {(IsForgotten ? "TRUE" : $"source >= 0 AND first_record > {last}")};
            DELETE FROM ledger_before;
            COMMIT;
            """);
        return $"{kept} of {chunks.Length} chunks kept{(isComplete ? ", end lost" : "")}{(IsForgotten ? ", job lost" : "")}";
    }

    /// <summary>The program has said that all is done, and so it is.</summary>
    public async Task ShouldBeDoneAsync(ProgramEnd end, string what)
    {
        var isNothingToDo = end.Output.StartsWith("nothing to do", StringComparison.Ordinal);
        Assert.True(end.ExitCode == (isNothingToDo ? 0 : GoodExit), $"{what}: exit {end.ExitCode}\n{end}");
        var found = await ServerClient.ScalarAsync(Primary, Place.Database, $"""
            SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(SUM(id), 0), MIN(v), MAX(v), MAX(hits) FROM t WHERE id % 3 = 0;
            SELECT COUNT(*), COUNT(DISTINCT id), SUM(id), MIN(v), MAX(v), MAX(hits) FROM t WHERE id % 3 <> 0;
            SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1 AND NOT ({Completed});
            SELECT COUNT(*) {(IsPiped ? "= " : "> ")}0 FROM bulkload_ledger WHERE {Completed};
            """);
        Assert.True(found == Expected(), $"{what}: expected\n{Expected()}\nfound\n{found}\n{end}");
        var isDoneBefore = isNothingToDo || end.Output.Contains("(the same delete was complete on ", StringComparison.Ordinal);
        if (!isDoneBefore)
        {
            var verb = IsImport ? "inserted" : Kind.StartsWith("update", StringComparison.Ordinal) ? "updated" : "deleted";
            var rejects = GoodExit == 0 ? 0 : Rows / RejectEvery;
            var counts = await Place.CountsAsync(verb);

            // What a complete job has done is done again, and changes nothing.
            var isAgain = verb != "inserted" && counts.Taken == 0;
            Assert.True(isAgain || counts == (Rows - rejects, rejects), $"{what}: counted {counts}\n{end}");
        }

        if (_rejects.Length > 0)
        {
            Assert.True(_rejects == await File.ReadAllTextAsync(Path.Combine(Place.Folder, "bad.csv")), $"{what}: other rejects\n{end}");
        }
    }

    /// <summary>An import's first records are there, so many, and no others.</summary>
    public async Task ShouldHaveAsync(int records, string what)
    {
        var found = await ServerClient.ScalarAsync(
            Primary, Place.Database, "SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(MAX(id), 0) FROM t WHERE id % 3 = 0;");
        Assert.True(found == $"{records}\t{records}\t{3 * records}", $"{what}: found {found}");
    }

    public ValueTask DisposeAsync() => Place.DisposeAsync();

    private string Expected()
    {
        var taken = Enumerable.Range(1, Rows).Where(n => GoodExit == 0 || n % RejectEvery != 0).ToArray();
        var left = $"900\t900\t{(3 * 900 * 901 / 2) + 900}\t1\t1\t0\n0\n1";
        var hits = Kind == "update that counts" ? 1 : 0;
        return Kind.StartsWith("delete", StringComparison.Ordinal) ? $"0\t0\t0\tNULL\tNULL\tNULL\n{left}"
            : $"{taken.Length}\t{taken.Length}\t{3 * taken.Sum()}\t7\t7\t{hits}\n{left}";
    }

    /// <summary>Writes the input.</summary>
    private async Task PrepareAsync()
    {
        string[] sizes = ["--rows-per-batch", "100", "--report", "report.json", "--overwrite"];
        string[] plain = ["--ssl-mode", "disabled", "--get-server-public-key"];
        string[] chunks = Kind.Contains("atomic", StringComparison.Ordinal) ? [] : ["--rows-per-chunk", $"{RowsPerChunk}"];
        string[] more = Kind.Split(" --") is [_, var option] ? [.. $"--{option}".Split(' ')] : [];
        if (Kind.StartsWith("delete", StringComparison.Ordinal))
        {
            Place.Write("ids.txt", Lines(n => $"{3 * n}"));
            _words = ["delete", "--ids", "ids.txt", "--table", "t", "--yes", .. sizes, .. plain, .. chunks, .. more];
        }
        else
        {
            var name = IsSorted ? new string('x', 4300) : "";
            var hasRejects = Kind == "import of rejects";
            Place.Write("t.csv", "id,v,name\n" + (IsSorted
                ? string.Concat(SortedJob.Shuffled(Rows).Select(n => $"{3 * n},7,{name}\n"))
                : Lines(n => $"{3 * n},{(hasRejects && IsReject(n) ? "x" : "7")},n")));
            if (hasRejects)
            {
                _rejects = "id,v,name\n" + string.Concat(Enumerable.Range(1, Rows).Where(IsReject).Select(n => $"{3 * n},x,n\n"));
                more = ["--max-rejects", "1000", "--reject-file", "bad.csv"];
            }
            else if (Kind == "update that counts")
            {
                more = ["--set", "hits=hits+1"];
            }

            string[] input = IsPiped ? ["-", "--format", "csv"] : ["t.csv"];
            _words = [Kind.Split(' ')[0], .. input, "--table", "t", .. sizes, .. plain, .. chunks, .. more];
        }

        await BeginAnewAsync();
    }

    private static bool IsReject(int n) => n % RejectEvery == 0;

    private static string Lines(Func<int, string> line) => string.Concat(Enumerable.Range(1, Rows).Select(n => line(n) + "\n"));

    private static int ToInt(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
