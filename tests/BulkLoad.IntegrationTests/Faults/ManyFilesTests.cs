namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Many small files: they share chunks, and reports name the first of them.</summary>
public sealed class ManyFilesTests
{
    private const int Files = 250;

    private static readonly string[] Import = ["import", "f/*.csv", "--table", "t", "--rows-per-chunk", "40"];

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Small_files_share_chunks_and_a_stopped_job_resumes_within_them(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));");
        for (var i = 1; i <= Files; i++)
        {
            place.Write($"f/{i:000}.csv", i == 10 ? "id,v\n" : i == 210 ? "id,v\n1210,v\nx,v\n" : $"id,v\n{i},v\n{1000 + i},v\n");
        }

        var plan = await place.RunAsync([.. Import, "--plan"]);
        plan.ShouldExitWith(0);
        Assert.Contains("  f/010.csv: csv, utf-8, 5 B, about 0 records\n  and 240 more files, ", plan.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("f/011.csv", plan.Output, StringComparison.Ordinal);
        (await place.RunAsync(Import)).ShouldExitWith(4);

        // 20 files are a chunk, and the first one has the empty one too.
        Assert.Equal("10\t400\t10", await place.ScalarAsync(
            "SELECT COUNT(*), SUM(taken), SUM(details LIKE '%lastSource%') FROM bulkload_ledger WHERE source >= 0;"));
        Assert.Equal("400", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        var job = await place.ScalarAsync("SELECT job FROM bulkload_ledger WHERE source = -1;");
        Assert.Contains("f/001.csv to f/021.csv  1            2          40     0", (await place.RunAsync("jobs", "show", job)).Output,
            StringComparison.Ordinal);

        // A change before what is committed is found; one after it is taken.
        place.Write("f/005.csv", "id,v\n5,v\n1005,other\n");
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(9);
        end.ShouldSay("f/001.csv to f/021.csv: have changed since job ");
        place.Write("f/005.csv", "id,v\n5,v\n1005,v\n");
        place.Write("f/210.csv", "id,v\n210,v\n1210,v\n");
        end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.Contains("and 240 more files: 480 records, ", end.Output, StringComparison.Ordinal);
        Assert.Contains($"job {job} resumed after record ", end.Output, StringComparison.Ordinal);
        Assert.Equal($"{(2 * Files) - 2}\t{(2 * Files) - 2}", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM t;"));
        Assert.StartsWith(
            "nothing to do: f/001.csv, f/002.csv, f/003.csv", (await place.RunAsync(Import)).Output, StringComparison.Ordinal);
        Assert.Equal("1", await place.ScalarAsync("SELECT MAX(LENGTH(details)) < 1048576 FROM bulkload_ledger;"));
    }
}
