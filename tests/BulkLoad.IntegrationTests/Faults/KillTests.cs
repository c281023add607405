using System.Diagnostics;
using System.IO.Compression;
using System.Text.Json;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// The program is killed (<c>kill -9</c>) at random moments and started again until it is done: table, counts and rejects are those of a
/// run that nobody disturbed. BULKLOAD_TEST_KILLS says how often in all; BULKLOAD_TEST_SEED repeats a run's moments as far as the machine
/// does. </summary>
public abstract class KillTests(string server)
{
    private const int Rows = 12_000;
    private const int Tests = 18;
    private const int UsualKills = 60;

    private static readonly int KillsPerTest =
        TestVariables.Number("BULKLOAD_TEST_KILLS") is { } kills ? (kills + Tests - 1) / Tests : UsualKills / Tests;

    /// <summary>How many each start of a job of several sessions may have; chunks are cut at the same places with each.</summary>
    private static readonly string[] Sessions = ["1", "2", "4"];

    private static int Seed => TestVariables.Seed;

    /// <summary>What a job leaves behind.</summary>
    private sealed record Outcome(string Table, string Total, string Rejects, string Reasons)
    {
        /// <summary>Of its report, which it has not where it was killed behind its end.</summary>
        public string? Counts { get; init; }

        public bool IsLike(Outcome other) => this with { Counts = null } == other with { Counts = null }
            && (Counts is null || other.Counts is null || Counts == other.Counts);
    }

    [Theory]
    [InlineData("load-data")]
    [InlineData("multi-row-insert")]
    [InlineData("files")]
    [InlineData("threads")]
    [InlineData("indexes")]
    [InlineData("delete")]
    [InlineData("update")]
    [InlineData("delete-threads")]
    [InlineData("update-threads")]
    public async Task A_job_that_is_killed_and_started_again_ends_as_if_it_had_not_been(string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var args = Prepare(place, kind);
        var clock = Stopwatch.StartNew();
        var (expected, _) = await RunAsync(place, args, "undisturbed", kind, 0, new Random(Seed), TimeSpan.Zero);
        var usual = clock.Elapsed;
        var random = new Random(Seed);
        for (var (done, round) = (0, 1); done < KillsPerTest; round++)
        {
            clock.Restart();
            var (actual, kills) = await RunAsync(place, args, $"round-{round}", kind, KillsPerTest - done, random, usual);
            // The first run may have met a busy machine: a moment behind the usual end kills nothing.
            usual = kills == 0 && clock.Elapsed < usual ? clock.Elapsed : usual;
            Assert.True(expected.IsLike(actual),
                $"seed {Seed}, round {round} with {kills} kills: expected\n{Describe(expected)}\nfound\n{Describe(actual)}");
            done += kills;
        }
    }

    /// <summary>Writes the inputs.</summary>
    /// <returns>the command but for its table</returns>
    private static string[] Prepare(Workplace place, string kind)
    {
        if (kind == "delete")
        {
            // Every 500th twice, every 700th not there, every 900th no number.
            place.Write("ids.txt", string.Concat(Enumerable.Range(1, Rows).Select(i =>
                $"{(i % 900 == 0 ? "x" : "")}{(i % 500 == 0 ? i - 400 : i % 700 == 0 ? i + 1_000_000 : i)}\n")));
            return ["delete", "--ids", "ids.txt", "--yes"];
        }

        if (kind is "delete-threads" or "update-threads")
        {
            // In order and each once, so that several sessions are at work.
            var isUpdate = kind == "update-threads";
            place.Write("changes.csv", (isUpdate ? "id,n\n" : "id\n") + string.Concat(Enumerable.Range(1, Rows)
                .Select(i => $"{(i % 900 == 0 ? "x" : "")}{(i > Rows - 20 ? i + 1_000_000 : i)}{(isUpdate ? $",{i}" : "")}\n")));
            return isUpdate ? ["update", "changes.csv"] : ["delete", "--ids", "changes.csv", "--yes"];
        }

        if (kind == "update")
        {
            // The same, with a column that shows how often a row was changed.
            place.Write("changes.csv", "id,n\n" + string.Concat(Enumerable.Range(1, Rows).Select(i =>
                $"{(i % 900 == 0 ? "x" : "")}{(i % 500 == 0 ? i - 400 : i % 700 == 0 ? i + 1_000_000 : i)},{i}\n")));
            return ["update", "changes.csv", "--set", "hits=hits+1"];
        }

        if (kind == "files")
        {
            place.Write("a.csv", Records(1, Rows / 2));
            using var packed = new GZipStream(File.Create(Path.Combine(place.Folder, "b.csv.gz")), CompressionLevel.Fastest);
            packed.Write(Encoding.UTF8.GetBytes(Records((Rows / 2) + 1, Rows)));
            return ["import", "a.csv", "b.csv.gz"];
        }

        place.Write("a.csv", Records(1, Rows));
        return kind == "threads"
            ? ["import", "a.csv"] : kind == "indexes" ? ["import", "a.csv", "--rebuild-indexes"] : ["import", "a.csv", "--strategy", kind];
    }

    /// <summary>Every 700th is refused by a rule, every 900th by the server.</summary>
    private static string Records(int from, int to)
    {
        var text = new StringBuilder("id,code,name\n");
        for (var i = from; i <= to; i++)
        {
            text.Append($"{(i % 700 == 0 ? "x" : "")}{i},{(i % 900 == 0 ? 1 : i)},name of {i}\n");
        }

        return text.ToString();
    }

    /// <summary>Runs a job into a table of its own, started again after each kill.</summary>
    /// <param name="place">where</param>
    /// <param name="args">its command</param>
    /// <param name="job">its name</param>
    /// <param name="kind">of the job</param>
    /// <param name="most">kills at most</param>
    /// <param name="random">says when it is killed, and how many sessions each start has where it can have several</param>
    /// <param name="usual">what an undisturbed run takes</param>
    private static async Task<(Outcome Outcome, int Kills)> RunAsync(
        Workplace place, string[] args, string job, string kind, int most, Random random, TimeSpan usual)
    {
        // Without a key over id, so that nothing but the ledger keeps a record from being there twice.
        await place.QueryAsync(kind.StartsWith("delete", StringComparison.Ordinal) || kind.StartsWith("update", StringComparison.Ordinal)
            ? "CREATE TABLE t (id INT PRIMARY KEY, n INT, hits INT NOT NULL DEFAULT 0); INSERT INTO t (id) WITH RECURSIVE n AS (SELECT 1 "
                + "i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT a.i + 1000 * (b.i - 1) FROM n a, n b WHERE b.i <= "
                + $"{(kind == "delete-threads" ? 4 : 1) * Rows / 1000};"
            : "CREATE TABLE t (id INT NOT NULL, code INT, name VARCHAR(40), "
                + $"{(kind == "threads" ? "CHECK (code <> 1 OR id = 1)" : "UNIQUE KEY (code)")}"
                + $"{(kind == "indexes" ? ", KEY name (name), KEY pair (code, name(5))" : "")});");
        var killed = 0;
        string[] words = [.. args, "--job-id", job, "--table", "t", "--rows-per-chunk", "400", "--rows-per-batch", "100", "--max-rejects",
            "1000", "--reject-file", "bad.csv", "--report", "report.json", "--overwrite"];
        while (true)
        {
            using var program = place.Start(kind.EndsWith("threads", StringComparison.Ordinal)
                ? [.. words, "--threads", Sessions[random.Next(Sessions.Length)]] : words);
            program.Input.Close();
            if (killed < most)
            {
                await Task.Delay(usual * (0.3 + (0.7 * random.NextDouble())));
                if (!program.HasEnded)
                {
                    program.Signal("KILL");
                    await program.EndAsync();
                    killed++;

                    // The server may still be at the last statements.
                    while (await place.ScalarAsync(
                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID();") != "0")
                    {
                        await Task.Delay(10);
                    }

                    if (await place.ScalarAsync($"SELECT COUNT(*) FROM bulkload_ledger WHERE job = '{job}' AND source = -1 AND details "
                        + "LIKE '%\"completed\":%';") == "0")
                    {
                        continue;
                    }

                    // Killed behind its end. Another start of a job that cannot be done twice has nothing to do.
                    var done = await FindAsync(place, job);
                    if (args[0] == "import")
                    {
                        var again = await place.RunAsync(words);
                        again.ShouldExitWith(0);
                        Assert.Matches(@"^nothing to do: [^\n]*: [0-9,]+ records taken, [1-9][0-9]* rejected\)\n", again.Output);
                        Assert.Equal(done, await FindAsync(place, job));
                    }

                    await place.QueryAsync("DROP TABLE t;");
                    return (done, killed);
                }
            }

            var end = await program.EndAsync();
            end.ShouldExitWith(3);
            break;
        }

        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var outcome = await FindAsync(place, job) with
        {
            Counts = $"{report.RootElement.GetProperty("counts")} {report.RootElement.GetProperty("rejectsByReason")} "
                + $"{report.RootElement.GetProperty("chunks")}",
        };
        await place.QueryAsync("DROP TABLE t;");
        return (outcome, killed);
    }

    /// <summary>What the job has left, but for its report.</summary>
    private static async Task<Outcome> FindAsync(Workplace place, string job)
    {
        var shown = await place.RunAsync("jobs", "show", job);
        return new Outcome(
            await place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t ORDER BY 1;"),
            shown.Output.Split('\n').Single(line => line.StartsWith("records ", StringComparison.Ordinal)),
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv")),
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.jsonl")));
    }

    private static string Describe(Outcome outcome) =>
        $"{outcome.Total}\n{outcome.Counts}\n{outcome.Table.Count(letter => letter == '\n')} lines of "
            + $"rows\n{outcome.Rejects}{outcome.Reasons}";
}

/// <inheritdoc/>
public sealed class MariaDbKillTests() : KillTests(Servers.MariaDb);

/// <inheritdoc/>
public sealed class MySqlKillTests() : KillTests(Servers.MySql);
