namespace BulkLoad.IntegrationTests;

/// <summary>A delete or an update whose records are out of the primary key's order: sorted first, and nothing else is different.</summary>
/// <param name="Tables">statements that make and fill the tables, t among them</param>
/// <param name="Names">of these tables, in an order in which they can be dropped</param>
/// <param name="File">of the records</param>
/// <param name="Content">its text</param>
/// <param name="Command">what is done with it</param>
/// <param name="Query">tells what is in the table</param>
internal sealed record SortedJob(string Tables, string Names, string File, string Content, string[] Command, string Query)
{
    /// <summary>A query of 100,000 ids, every third from 0 on, each with an x.</summary>
    public const string EveryThird = """
        WITH d AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
        SELECT 3 * (a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n), 'x' FROM d a, d b, d c, d e, d f
        """;

    /// <summary>Words by which a chunk is a few thousand records.</summary>
    private static string[] Small { get; } = ["--rows-per-chunk", "3000", "--rows-per-batch", "500"];

    /// <summary>The numbers from 1 on, in an order of their own.</summary>
    public static int[] Shuffled(int count)
    {
        var ids = Enumerable.Range(1, count).ToArray();
        new Random(7).Shuffle(ids);
        return ids;
    }

    private string RejectFile => $"bad{Path.GetExtension(File)}";

    public async Task<Workplace> PlaceAsync(string server)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        Directory.CreateDirectory(Path.Combine(place.Folder, "temp"));
        place.Write(File, Content);
        return place;
    }

    public Task BeginAnewAsync(Workplace place) => place.QueryAsync($"DROP TABLE {Names}; {Tables}");

    /// <summary>By a strategy, it ends as in the file's order.</summary>
    /// <param name="server">where</param>
    /// <param name="strategy">that both take</param>
    /// <param name="outcomes">of single records that there must be</param>
    public async Task ShouldEndAsInTheFilesOrderAsync(string server, string strategy, params string[] outcomes)
    {
        await using var place = await PlaceAsync(server);
        (await place.RunAsync(Words("--no-sort", "--job-id", "plain", "--strategy", strategy))).ShouldExitWith(3);
        var plain = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        var end = await place.RunAsync(Words("--job-id", "sorted", "--strategy", strategy));
        end.ShouldExitWith(3);
        Assert.Matches(
            @"(?m)^note +sorted by \(id\) before it was sent: [\d,]+ of the first 2,000 records have a key that "
                + @"belongs before others \(--no-sort keeps the input's order\)$",
            end.Output);
        Assert.Equal(plain, await OutcomeAsync(place));
        Assert.All(outcomes, outcome => Assert.Contains(outcome, plain, StringComparison.Ordinal));
        ShouldHaveCleanedUp(place);
        Assert.Contains("\"sortedBy\": \"(id)\"", await System.IO.File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")),
            StringComparison.Ordinal);
    }

    /// <summary>Killed again and again, it ends as if it had not been.</summary>
    /// <param name="server">where</param>
    /// <param name="counted">a query that tells how far it is</param>
    /// <param name="due">by the query's answer, when each start is killed</param>
    public async Task ShouldSurviveKillsAsync(string server, string counted, params Predicate<int>[] due)
    {
        await using var place = await PlaceAsync(server);
        (await place.RunAsync(Words(["--job-id", "undisturbed", .. Small]))).ShouldExitWith(3);
        var expected = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        var words = Words(["--job-id", "killed", .. Small]);
        foreach (var isDue in due)
        {
            await place.KillAsync(counted, isDue, words);
        }

        ShouldHaveCleanedUp(place);
        (await place.RunAsync(words)).ShouldExitWith(3);
        Assert.Equal(expected, await OutcomeAsync(place));
        var again = await place.RunAsync(words);

        // An import is known by its content; updates and deletes are done again, which changes nothing.
        var isKnown = Command[0] == "import";
        again.ShouldExitWith(isKnown ? 0 : 3);
        Assert.Equal(isKnown, again.Output.StartsWith("nothing to do: ", StringComparison.Ordinal));
    }

    /// <summary>One that was begun sorted goes on sorted only, and one that was not goes on in the file's order.</summary>
    /// <param name="place">where one record of the content is a reject, about a third of the way by the key</param>
    /// <param name="breakAsync">makes that so, of tables that are new</param>
    /// <param name="mendAsync">ends it</param>
    /// <param name="checkAsync">looks at the table after the first start</param>
    public async Task ShouldGoOnAsItWasBegunAsync(Workplace place, Func<Task> breakAsync, Func<Task> mendAsync, Func<Task> checkAsync)
    {
        string[] words = [.. Command, "--temp-dir", "temp", .. Small];
        await breakAsync();
        var end = await place.RunAsync(words);
        end.ShouldExitWith(4);
        Assert.Matches(@"(?m)^  stopped at the first bad record: [\d,]+ rows (are (in|deleted from) \S+|of \S+ are updated)$", end.Error);
        await checkAsync();

        end = await place.RunAsync([.. words, "--no-sort"]);
        end.ShouldExitWith(9);
        end.ShouldSay("--no-sort: the job was started with its records sorted by (id): leave the option out; or ");
        await mendAsync();
        end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Matches(@"resumed after the first [\d,]+ records by \(id\), which an earlier run had committed", end.Output);

        // The other way round.
        await BeginAnewAsync(place);
        await breakAsync();
        (await place.RunAsync([.. words, "--no-sort", "--job-id", "plain"])).ShouldExitWith(4);
        await mendAsync();
        end = await place.RunAsync([.. words, "--job-id", "plain", "--plan"]);
        Assert.Matches(@"(?m)^  order +the input's: as the job was started$", end.Output);
        (await place.RunAsync([.. words, "--job-id", "plain"])).ShouldExitWith(0);
    }

    private string[] Words(params string[] more) =>
        [.. Command, "--max-rejects", "10000", "--reject-file", RejectFile, "--overwrite", "--report", "report.json", "--temp-dir",
            "temp", .. more];

    private Task<string> OutcomeAsync(Workplace place) => place.OutcomeAsync(Query, RejectFile);

    private static void ShouldHaveCleanedUp(Workplace place) =>
        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
}
