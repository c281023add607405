using System.Diagnostics;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>No look-up grows with the ledger: what the server answers is bounded, however many jobs and chunks there are.</summary>
public sealed class LargeLedgerTests(ITestOutputHelper output)
{
    /// <summary>Far less than the ledger's rows have, and more than a start asks of the server.</summary>
    private const long FewBytes = 120_000;

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [CombinatorialServers(false, true)]
    public async Task A_start_and_the_lists_do_not_read_all_jobs(string server, bool areSame)
    {
        var count = LargeLedger.Rows(2_000);
        await using var place = await PlaceAsync(server);
        await using var counter = new ByteCounter(place.Server);
        place.Write("a.csv", "id,v\n1,a\n");
        (await place.RunAsync("import", "a.csv", "--table", "t")).ShouldExitWith(0);
        place.Write("b.csv", "id,v\n2,b\n");
        place.Write("c.csv", "id,v\n3,c\n");
        await AskAsync("empty", FewBytes, "import", "b.csv", "--table", "t");
        (await place.RunAsync("jobs", "forget", "--complete")).ShouldExitWith(0);
        await ShouldBeEmptyAsync(place);
        await place.QueryAsync("TRUNCATE TABLE t; TRUNCATE TABLE bulkload_ledger;");
        (await place.RunAsync("import", "a.csv", "--table", "t")).ShouldExitWith(0);
        await LargeLedger.AddJobsAsync(place, count, areSame);

        await AskAsync("plan", FewBytes, "import", "b.csv", "--table", "t", "--plan");
        Assert.Contains(
            "1 row inserted", (await AskAsync("start", FewBytes, "import", "b.csv", "--table", "t")).Output, StringComparison.Ordinal);
        Assert.StartsWith("nothing to do: a.csv was loaded on ",
            (await AskAsync("known", FewBytes, "import", "a.csv", "--table", "t")).Output, StringComparison.Ordinal);
        var jobs = (await AskAsync("jobs", 2 * FewBytes, "jobs")).Output;
        Assert.Contains($"and {count - 98:N0} jobs more, {count - 98:N0} of them complete: 'bulkload jobs --limit N' lists up to 10,000",
            jobs, StringComparison.Ordinal);
        Assert.Contains("import b.csv -> ", jobs.Split('\n')[1], StringComparison.Ordinal);
        Assert.Equal(5, (await AskAsync("jobs --limit", FewBytes, "jobs", "--limit", "3")).Output.Split('\n').Length - 1);
        Assert.Contains(
            $"{count + 2:N0} jobs, all complete", (await AskAsync("doctor", 2 * FewBytes, "doctor")).Output, StringComparison.Ordinal);

        // What is forgotten leaves no row, and what stays is found.
        Assert.Equal($"{count - 999:N0} complete jobs forgotten\n",
            (await AskAsync("forget", 2_000L * count, "jobs", "forget", "--complete", "--older-than", "50d")).Output);
        Assert.StartsWith("nothing to do: a.csv was loaded on ",
            (await AskAsync("known", FewBytes, "import", "a.csv", "--table", "t")).Output, StringComparison.Ordinal);
        Assert.Contains("1 row inserted",
            (await AskAsync("history", FewBytes + 1_000_000, "import", "c.csv", "--table", "t", "--job-history", "5d")).Output,
            StringComparison.Ordinal);
        Assert.Equal("502", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1;"));
        Assert.Equal("502 complete jobs forgotten\n", (await place.RunAsync("jobs", "forget", "--complete")).Output);
        await ShouldBeEmptyAsync(place);

        Task<ProgramEnd> AskAsync(string what, long most, params string[] args) => RunAsync(place, counter, what, most, args);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_resume_reads_the_chunks_of_its_job_in_pages_and_another_start_none(string server)
    {
        var count = LargeLedger.Rows(25_000);
        await using var place = await PlaceAsync(server);
        await using var counter = new ByteCounter(place.Server);
        await LargeLedger.AddChunksAsync(place, count);
        place.Write("a.csv", "id,v\n1,a\n");
        await RunAsync(place, counter, "start", FewBytes, "import", "a.csv", "--table", "t");
        await RunAsync(place, counter, "jobs", FewBytes, "jobs");
        var job = await place.ScalarAsync("SELECT job FROM bulkload_ledger WHERE source = 0 AND first_record = 2;");
        var show = await RunAsync(place, counter, "show", long.MaxValue, "jobs", "show", job, "--limit", "3");
        Assert.Contains($"the last 3 of {count - 1:N0} chunks (--limit N):\nfile        from record  to record  taken  "
            + $"rejected\nchunks.csv  {count - 3:N0}", show.Output, StringComparison.Ordinal);
        var end =
            await RunAsync(place, counter, "resume", long.MaxValue, "import", "chunks.csv", "--table", "chunked", "--rows-per-chunk", "1");
        Assert.Contains($"resumed after record {count - 1:N0}, which an earlier run had committed", end.Output, StringComparison.Ordinal);
        Assert.Equal($"{count}", await place.ScalarAsync("SELECT COUNT(*) FROM chunked;"));
        await RunAsync(place, counter, "forget", FewBytes, "jobs", "forget", job);
        Assert.Equal("0", await place.ScalarAsync($"SELECT COUNT(*) FROM bulkload_ledger WHERE job = '{job}';"));
    }

    private static async Task ShouldBeEmptyAsync(Workplace place) =>
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger;"));

    private static Task<Workplace> PlaceAsync(string server) =>
        Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));");

    private async Task<ProgramEnd> RunAsync(Workplace place, ByteCounter counter, string what, long most, params string[] args)
    {
        var (before, time) = (counter.Answered, Stopwatch.StartNew());
        using var program = BulkLoadProcess.Start(place, counter.UrlOf(place), args);
        program.Input.Close();
        var end = await program.EndAsync();
        output.WriteLine($"{what}: {time.Elapsed.TotalSeconds:0.00} s, {counter.Answered - before:N0} bytes");
        end.ShouldExitWith(0);
        Assert.InRange(counter.Answered - before, 1, most);
        return end;
    }
}
