namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// A primary and its replica, which takes no more from some chunk on, and is promoted when the primary is lost: the job ends well with the
/// table that the input says, on the server that answers then. BULKLOAD_TEST_LOSSES, if it is there, has every kind of job lose its primary
/// at every point.
/// </summary>
public sealed class PromotedReplicaTests
{
    private const string Source = "promoted-source";
    private const string Replica = "promoted-replica";
    private const int Chunks = PromotedJob.Rows / PromotedJob.RowsPerChunk;

    /// <summary>The replica takes all that was committed.</summary>
    private const int All = 99;

    private static readonly bool IsLong = TestVariables.Number("BULKLOAD_TEST_LOSSES") is not null;

    private static int Seed => TestVariables.Seed;

    private static readonly string[] Kinds = ["import", "import --threads 3", "update that counts", "delete", "import of a pipe"];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_ends_well_on_a_replica_that_lacks_its_last_chunks(string name)
    {
        try
        {
            var (source, _) = Servers.StartPrivate(name, Source, "log-bin=binlog\nserver-id=1");
            var (replica, _) = Servers.StartPrivate(name, Replica, "server-id=2");
            await Replication.AllowAsync(source);
            var random = new Random(Seed);
            var number = name.Length;
            foreach (var loss in Enum.GetValues<Loss>())
            {
                foreach (var kind in IsLong ? Kinds : [Kinds[number % Kinds.Length]])
                {
                    await FailOverAsync(source, replica, loss, kind, random);
                }

                number++;
            }

            await FailOverAsync(source, replica, Loss.UnheardEnd, "import of a pipe", random, All);
        }
        finally
        {
            Servers.DestroyPrivate(name, Replica);
            Servers.DestroyPrivate(name, Source);
        }
    }

    private static async Task FailOverAsync(
        TestServer source, TestServer replica, Loss loss, string kind, Random random, int? replicated = null)
    {
        await Replication.FollowAsync(source, replica);
        await ServerClient.RunAsync(replica, null, "SET GLOBAL read_only=1;");
        await using var job = await PromotedJob.CreateAsync(source, kind);
        job.Primary = replica;

        // Several sessions have sent chunks behind one that is heard of: one more must be left to send.
        var chunk = random.Next(1, kind.Contains("--threads", StringComparison.Ordinal) ? Chunks - 3 : Chunks);
        var kept = replicated
            ?? (random.Next(6) == 0 ? All : random.Next((loss is Loss.BeforeEnd or Loss.UnheardEnd ? Chunks : chunk) + 1));
        var what = $"seed {Seed}, {kind}, {loss} {chunk}, replicated {kept}";
        if (kept == 0)
        {
            await Replication.CatchUpAsync(source, replica);
            await Replication.StopAsync(replica);
        }

        await using var relay = new FailoverRelay(
            source, loss, chunk, random.Next(1, 20 * PromotedJob.RowsPerChunk),
            async committed =>
            {
                if (committed == kept)
                {
                    await Replication.CatchUpAsync(source, replica);
                    await Replication.StopAsync(replica);
                }
            },
            () => Wait.ForAsync(async () => await ServerClient.ScalarAsync(
                source, job.Place.Database,
                "SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1 AND details NOT LIKE '%\"completed\":%';") == "0"),
            async () =>
            {
                if (kept == All)
                {
                    await Replication.CatchUpAsync(source, replica);
                }

                await Replication.StopAsync(replica);
                await ServerClient.RunAsync(replica, null, "SET GLOBAL read_only=0;");
                return replica;
            });
        var end = await job.RunAsync(relay);
        Assert.True(relay.Cuts > 0, $"{what}: not cut\n{end}");
        await relay.Promoted;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{source.Name}|{what}, heard {relay.Heard}|{end.ExitCode}|{end.Error.Split('\n').LastOrDefault(line => line.Length > 0)}");
        if (job.IsPiped && kept < relay.Heard)
        {
            Assert.True(end.ExitCode == 7, $"{what}: exit {end.ExitCode}\n{end}");
            var last = relay.Heard * PromotedJob.RowsPerChunk;
            var first = (kept * PromotedJob.RowsPerChunk) + 1;
            end.ShouldSay($"records {first:N0}-{last:N0}, which it had committed");
            await job.ShouldHaveAsync(kept * PromotedJob.RowsPerChunk, what);
            return;
        }

        await job.ShouldBeDoneAsync(end, what);
    }
}
