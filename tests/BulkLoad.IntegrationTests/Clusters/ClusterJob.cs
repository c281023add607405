using System.Text.RegularExpressions;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>
/// A job of a few seconds, for a fault in its middle. Nothing but the ledger keeps an import's record or an update from being there twice.
/// Its database is gone with the cluster.
/// </summary>
internal sealed partial class ClusterJob : IDisposable
{
    public const string ByLoadData = "import --strategy load-data";
    public const string ByBulkExecute = "import --strategy bulk-execute";
    public const string WithoutKey = "import without a key";
    public const string ByThreads = "import --threads 4";
    public const string Atomic = "import --atomic";
    public const string Update = "update --set age=age+1";
    public const string Delete = "delete";

    /// <summary>Records of the input.</summary>
    public const int Rows = 12_000;

    private const int Others = 100;

    private readonly string _kind;
    private readonly int _rowsPerChunk;
    private readonly string[] _words;

    private ClusterJob(Workplace place, string kind, int rowsPerChunk, string[] words) =>
        (Place, _kind, _rowsPerChunk, _words) = (place, kind, rowsPerChunk, words);

    public Workplace Place { get; }

    /// <summary>How many chunks the input has.</summary>
    public int Chunks => _kind == Atomic ? 1 : Rows / _rowsPerChunk;

    private bool IsImport => _kind.StartsWith("import", StringComparison.Ordinal);

    /// <param name="server">takes changes</param>
    /// <param name="kind">one of the constants</param>
    /// <param name="rowsPerChunk">divides <see cref="Rows"/></param>
    /// <param name="rate">records a second</param>
    public static async Task<ClusterJob> CreateAsync(TestServer server, string kind, int rowsPerChunk = 500, int rate = 6000)
    {
        var isImport = kind.StartsWith("import", StringComparison.Ordinal);
        var there = (isImport ? [] : Enumerable.Range(1, Rows)).Concat(Enumerable.Range(Rows + 1, Others));
        var place = await Workplace.CreateAsync(server, $"""
            CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL, age INT NOT NULL DEFAULT 0, other INT NOT NULL DEFAULT 0,
              name VARCHAR(30));
            INSERT INTO t (id, n, name) VALUES {string.Join(',', there.Select(n => $"({(isImport ? n + 1_000_000 : n)},{n},'name-{n}')"))};
            """);
        var hasKey = kind is ByLoadData or ByBulkExecute;
        place.Write("t.csv", isImport
            ? Lines(hasKey ? "id,n,name" : "n,name", n => hasKey ? $"{n},{n},name-{n}" : $"{n},name-{n}")
            : Lines("id", n => $"{n}"));
        string[] chunks = kind == Atomic ? [] : ["--rows-per-chunk", $"{rowsPerChunk}"];
        string[] more = kind switch
        {
            WithoutKey => [],
            Delete => ["--yes"],
            _ => kind.Split(' ')[1..],
        };
        string[] input = kind == Delete ? ["--ids", "t.csv"] : ["t.csv"];
        string[] words = [kind.Split(' ')[0], .. input, "--table", "t", .. chunks, "--rows-per-batch", "100", "--max-rate", $"{rate}",
            .. more];
        return new ClusterJob(place, kind, rowsPerChunk, words);
    }

    public BulkLoadProcess Start(Forwarder relay, params string[] more) => Start(Place.Server with { Port = relay.Port }, more);

    public BulkLoadProcess Start(TestServer server, params string[] more)
    {
        var program = BulkLoadProcess.Start(
            Place, BulkLoadProcess.UrlOf(server, server.User, server.Password, Place.Database), [.. _words, .. more]);
        program.Input.Close();
        return program;
    }

    /// <summary>Waits for a moment in the middle of the job.</summary>
    /// <param name="program">does it</param>
    /// <param name="node">where the ledger is read</param>
    /// <param name="random">chooses the moment</param>
    /// <returns>the moment, for people</returns>
    public async Task<string> ReachAsync(BulkLoadProcess program, TestServer node, Random random)
    {
        var chunk = Chunks == 1 ? 0 : random.Next(1, Chunks - 4);
        var pause = random.Next(Chunks == 1 ? 1500 : 100);
        await Wait.ForAsync(async () => program.HasEnded || await CommittedAsync(node) >= chunk);
        await Task.Delay(pause);
        Assert.False(program.HasEnded, $"ended before chunk {chunk}: {program.ErrorSoFar}");
        return $"chunk {chunk} and {pause} ms";
    }

    /// <summary>Chunks that a node knows to be committed; -1 before the job is there.</summary>
    public async Task<int> CommittedAsync(TestServer node)
    {
        try
        {
            var committed = await ServerClient.ScalarAsync(
                node, Place.Database, "SELECT IF(SUM(source = -1) > 0, SUM(source >= 0), -1) FROM bulkload_ledger;");
            return int.Parse(committed, CultureInfo.InvariantCulture);
        }
        catch (InvalidOperationException fault) when (fault.Message.Contains("ERROR 1146", StringComparison.Ordinal))
        {
            return -1;
        }
    }

    /// <summary>The job is complete, and each node has each row as it must be, once.</summary>
    /// <param name="cluster">of which they are</param>
    /// <param name="nodes">those that run</param>
    public async Task ShouldBeDoneAsync(Cluster cluster, params TestServer[] nodes)
    {
        var age = IsImport || _kind == Delete ? 0 : 1;
        var rows = _kind == Delete ? "0\t0\t0\t0\t0\t0\t0" : $"{Rows}\t{Rows}\t1\t{Rows}\t{Rows}\t{age}\t{age}";

        // A complete delete keeps no chunks: it could be done again.
        var chunks = _kind == Delete ? "0\t0\t0" : $"{Chunks}\t{Chunks}\t{Rows}";
        var expected = $"{rows}\n{Others}\t0\n{chunks}\n1";
        var sums = new HashSet<string>();
        foreach (var node in nodes)
        {
            var found = await ServerClient.ScalarAsync(node, Place.Database, $"""
                {cluster.Wait}
                SELECT COUNT(*), COUNT(DISTINCT n), COALESCE(MIN(n), 0), COALESCE(MAX(n), 0), COALESCE(SUM(name = CONCAT('name-', n)), 0),
                  COALESCE(MIN(age), 0), COALESCE(MAX(age), 0) FROM t WHERE n <= {Rows};
                SELECT COUNT(*), SUM(age) FROM t WHERE n > {Rows};
                SELECT COUNT(*), COUNT(DISTINCT first_record), COALESCE(SUM(last_record - first_record + 1), 0)
                  FROM bulkload_ledger WHERE source >= 0;
                SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1 AND details LIKE '%"completed":%';
                """);
            Assert.True(found == expected, $"on port {node.Port}: expected\n{expected}\nfound\n{found}");
            sums.Add(await ServerClient.ScalarAsync(node, Place.Database, $"""
                {cluster.Wait}
                SELECT SUM(CRC32(CONCAT_WS(',', id, n, age, other, name))) FROM t;
                SELECT SUM(CRC32(CONCAT_WS(',', job, source, first_record, last_record, taken, rejected))) FROM bulkload_ledger;
                """));
        }

        Assert.True(sums.Count == 1, $"nodes differ: {string.Join(" / ", sums)}");
    }

    /// <summary>For people.</summary>
    public static string Said(ProgramEnd end) => $"exit {end.ExitCode}|{Retry.Count(end.Error)} retries";

    public void Dispose() => Directory.Delete(Place.Folder, recursive: true);

    private static string Lines(string head, Func<int, string> line) =>
        head + "\n" + string.Concat(Enumerable.Range(1, Rows).Select(n => line(n) + "\n"));

    [GeneratedRegex(@"\bRetry [0-9]+ in ")]
    private static partial Regex Retry { get; }
}
