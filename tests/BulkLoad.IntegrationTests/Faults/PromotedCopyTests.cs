using System.Diagnostics;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// A run is cut, or the program killed, at a random moment, and what answers from then on mostly lacks the last chunks that were committed,
/// as a copy that was promoted too early: the program ends well only with the table that the input says. BULKLOAD_TEST_LOSSES says how many
/// cuts, and as many kills, there are in all; BULKLOAD_TEST_SEED repeats them as far as the machine does.
/// </summary>
public abstract class PromotedCopyTests(string server)
{
    private const int Kinds = 12;

    /// <summary>Runs until one is cut, or killed, before its end.</summary>
    private static readonly int MaxTries = Losses > 0 ? 4 : 1;

    private static readonly int Rounds = Losses > 0 ? (Losses + (2 * Kinds) - 1) / (2 * Kinds) : 1;

    private static int Losses => TestVariables.Number("BULKLOAD_TEST_LOSSES") ?? 0;

    private static int Seed => TestVariables.Seed;

    [Theory]
    [InlineData("import")]
    [InlineData("import --strategy load-data")]
    [InlineData("import --strategy multi-row-insert")]
    [InlineData("import --threads 3")]
    [InlineData("import --atomic")]
    [InlineData("import of rejects")]
    [InlineData("import sorted")]
    [InlineData("update")]
    [InlineData("update that counts")]
    [InlineData("update --threads 3")]
    [InlineData("delete")]
    [InlineData("delete --threads 3")]
    public async Task The_table_is_what_the_input_says_whatever_was_lost(string kind)
    {
        // Each its own.
        var random = new Random(Seed + (server + kind).Sum(letter => letter * 7919));
        await using var job = await PromotedJob.CreateAsync(Servers.Get(server), kind);
        await using var relay = new PromotingRelay(job.Place.Server, () => Task.CompletedTask);
        var clock = Stopwatch.StartNew();
        var end = await job.RunAsync(relay);
        var usual = clock.Elapsed;
        await job.ShouldBeDoneAsync(end, "undisturbed");
        await job.KeepLedgerAsync();
        for (var round = 1; round <= Rounds; round++)
        {
            for (var (tries, isCut) = (0, false); tries < MaxTries && !isCut; tries++)
            {
                isCut = await CutAsync(job, random, relay.Passed, $"seed {Seed}, round {round}: ");
            }

            for (var (tries, isKilled) = (0, false); tries < MaxTries && !isKilled; tries++)
            {
                (isKilled, usual) = await KillAsync(job, random, usual, $"seed {Seed}, round {round}, killed: ");
            }
        }
    }

    /// <summary>The sessions are lost when the job is registered, and before the records are read, which takes a while.</summary>
    [Fact]
    public async Task A_sorted_import_begins_again_that_has_lost_its_sessions()
    {
        await using var job = await PromotedJob.CreateAsync(Servers.Get(server), "import sorted");
        await using var whole = new PromotingRelay(job.Place.Server, () => Task.CompletedTask);
        await job.ShouldBeDoneAsync(await job.RunAsync(whole), "undisturbed");
        await job.BeginAnewAsync();
        await using var relay = new PromotingRelay(
            job.Place.Server, () => Task.CompletedTask, [(1, true, whole.Passed[1].Clients / 2)]);
        await job.ShouldBeDoneAsync(await job.RunAsync(relay), "cut");
        Assert.Equal(1, relay.Cuts);
    }

    /// <returns>whether it was cut</returns>
    private static async Task<bool> CutAsync(
        PromotedJob job, Random random, IReadOnlyList<(long Clients, long Servers)> usual, string round)
    {
        await job.BeginAnewAsync();
        var told = new StringBuilder(round);
        var cuts = Enumerable.Range(0, random.Next(3) == 0 ? 2 : 1).Select(_ => CutOf(random, usual)).ToArray();
        await using var relay = new PromotingRelay(job.Place.Server, PromoteAsync, cuts);
        var end = await job.RunAsync(relay);
        await relay.Promoted;
        var what = $"{string.Join(", ", cuts.Take(relay.Cuts))} {told}";
        if (end.ExitCode == job.GoodExit)
        {
            await job.ShouldBeDoneAsync(end, what);
            Report(job, relay.Cuts > 0 ? "cut" : "not cut", what, end, null);
            return relay.Cuts > 0;
        }

        // The server says that it is the same, and so nothing but somebody's hand can have taken the job out.
        Assert.True(job.IsForgotten && end.ExitCode == 9, $"{what}: exit {end.ExitCode}\n{end}");
        var again = await job.RunAsync();
        await job.ShouldBeDoneAsync(again, $"{what}: after {end}");
        Report(job, "cut", what, end, again);
        return true;

        async Task PromoteAsync() => told.Append(await job.PromoteAsync(random)).Append("; ");
    }

    /// <returns>whether it was killed, and what a run takes, as far as is known now</returns>
    private static async Task<(bool IsKilled, TimeSpan Usual)> KillAsync(PromotedJob job, Random random, TimeSpan usual, string round)
    {
        await job.BeginAnewAsync();
        using var program = job.Start();
        var clock = Stopwatch.StartNew();
        var delay = usual * Late(random);
        while (!program.HasEnded && clock.Elapsed < delay)
        {
            await Task.Delay(1);
        }

        var ran = clock.Elapsed;
        if (!program.HasEnded)
        {
            program.Signal("KILL");
        }

        var end = await program.EndAsync();
        if (end.ExitCode == job.GoodExit)
        {
            await job.ShouldBeDoneAsync(end, round);
            Report(job, "not killed", round, end, null);
            return (false, ran);
        }

        var what = round + await job.PromoteAsync(random);
        var again = await job.RunAsync();
        await job.ShouldBeDoneAsync(again, what);
        Report(job, "kill", what, end, again);
        return (true, usual);
    }

    /// <summary>Half of the cuts are in what the server says, which is little but tells of commits.</summary>
    private static (int Connection, bool IsClients, long Bytes) CutOf(Random random, IReadOnlyList<(long Clients, long Servers)> usual)
    {
        var connection = random.Next(usual.Count);
        var isClients = random.Next(2) == 0;
        return (connection, isClients, 1 + (long)(Late(random) * (isClients ? usual[connection].Clients : usual[connection].Servers)));
    }

    /// <summary>From 0 to 1, and rather late than early: nothing can be lost before it is committed.</summary>
    private static double Late(Random random) => Math.Max(random.NextDouble(), random.NextDouble());

    private static void Report(PromotedJob job, string fault, string what, ProgramEnd end, ProgramEnd? again)
    {
        var last = end.Error.Split('\n').LastOrDefault(line => line.Length > 0);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{job.Place.Server.Name}|{job.Kind}|{fault}|{what}|{end.ExitCode}|{again?.ExitCode}|{last}");
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbPromotedCopyTests() : PromotedCopyTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlPromotedCopyTests() : PromotedCopyTests(Servers.MySql);
