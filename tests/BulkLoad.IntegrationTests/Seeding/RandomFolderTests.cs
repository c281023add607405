namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Random folders with random edits: after each sync every table is its file, also where the program was killed before.</summary>
public sealed class RandomFolderTests
{
    private const int Usual = 8;

    /// <summary>More folders where somebody asks for them; every third edit has a kill.</summary>
    private static int Folders =>
        int.TryParse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_SEED_FOLDERS"), out var many) ? many : Usual;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task After_each_sync_every_table_is_its_file(string name)
    {
        for (var seed = 1; seed <= Folders; seed++)
        {
            await SeedAsync(Servers.Get(name), seed);
        }
    }

    private static async Task SeedAsync(TestServer server, int seed)
    {
        var folder = new RandomFolder(seed);
        await using var place = await Workplace.CreateAsync(server, folder.Schema);
        var path = Path.Combine(place.Folder, "data");
        folder.Write(path);
        await RunAsync(place, seed, "insert");
        await RequireAsync(place, folder, $"folder {seed}, insert");
        for (var edit = 1; edit <= 3; edit++)
        {
            folder.Edit();
            folder.Write(path);
            if (edit == 2)
            {
                using (Start(place, "sync"))
                {
                    await Task.Delay(new Random(seed).Next(30, 600), TestContext.Current.CancellationToken);
                }
            }

            await RunAsync(place, seed, "sync");
            await RequireAsync(place, folder, $"folder {seed}, edit {edit}");
        }
    }

    private static BulkLoadProcess Start(Workplace place, string mode) =>
        BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place),
            ["seed", "data", "--mode", mode, .. mode == "sync" ? ["--allow-database", place.Database] : Array.Empty<string>()]);

    private static async Task RunAsync(Workplace place, int seed, string mode)
    {
        using var run = Start(place, mode);
        var end = await run.EndAsync();
        Assert.True(end.ExitCode == 0, $"folder {seed}, {mode}: exit {end.ExitCode}\n{end}");
    }

    private static async Task RequireAsync(Workplace place, RandomFolder folder, string when)
    {
        var stored = string.Concat((await place.QueryAsync(folder.Query)).Split((char)10)
            .Where(line => line.Length > 0 && !line.Contains("CONCAT_WS(", StringComparison.Ordinal)).Select(line => line + (char)10));
        Assert.True(stored.TrimEnd('\n') == folder.Expected.TrimEnd('\n'), $"{when}: expected\n{folder.Expected}\nstored\n{stored}");
        Assert.Equal("0", await place.ScalarAsync($"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{place.Database}' "
            + "AND TABLE_NAME LIKE 'bulkload\\_stage\\_%'"));
    }
}
