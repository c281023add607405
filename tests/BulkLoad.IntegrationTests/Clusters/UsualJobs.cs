namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>Jobs that must end alike on every engine and behind every router: an import with refused records, updates, and an import over
/// what is there.</summary>
internal static class UsualJobs
{
    /// <summary>Of the table t.</summary>
    public const string Columns = "(id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0, name VARCHAR(20) NOT NULL)";

    public const int Rows = 2000;

    /// <summary>Every such record has the key of the one before it.</summary>
    private const int Refused = 700;

    private static readonly string[] Rejects = ["--max-rejects", "5", "--overwrite", "--reject-file", "bad.csv"];

    /// <param name="place">with an empty table t</param>
    /// <param name="more">options of all</param>
    /// <returns>how they ended</returns>
    public static async Task<ProgramEnd[]> RunAsync(Workplace place, params string[] more)
    {
        place.Write("people.csv", "id,name\n" + Lines(1, Rows, id => $"{(id % Refused == 0 ? id - 1 : id)},name-{id}"));
        var imported = await place.RunAsync(["import", "people.csv", "--table", "t", .. Rejects, .. more]);
        imported.ShouldExitWith(3);
        Assert.Equal("id,name\n699,name-700\n1399,name-1400\n", await RejectsAsync());
        await ShouldHaveAsync(Rows - 2, updated: 0);

        // A row that is updated twice shows, and two keys are those of no row.
        place.Write("keys.csv", "id\n" + Lines(1, Rows, id => $"{id}"));
        var updated = await place.RunAsync(["update", "keys.csv", "--table", "t", "--set", "n=n+1", .. Rejects, .. more]);
        updated.ShouldExitWith(3);
        Assert.Equal("id\n700\n1400\n", await RejectsAsync());
        await ShouldHaveAsync(Rows - 2, updated: Rows - 2);

        place.Write("more.csv", "id,name\n" + Lines(Rows - 499, Rows + 500, id => $"{id},name-{id}"));
        var merged = await place.RunAsync(["import", "more.csv", "--table", "t", "--on-duplicate", "update", .. more]);
        merged.ShouldExitWith(0);
        await ShouldHaveAsync(Rows + 498, updated: Rows - 2);
        return [imported, updated, merged];

        Task<string> RejectsAsync() => File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"));

        async Task ShouldHaveAsync(int rows, int updated) => Assert.Equal(
            $"{rows}\t{rows}\t{updated}\t{Math.Sign(updated)}",
            await place.ScalarAsync("SELECT COUNT(*), SUM(name = CONCAT('name-', id)), SUM(n), MAX(n) FROM t;"));
    }

    private static string Lines(int first, int last, Func<int, string> line) =>
        string.Concat(Enumerable.Range(first, last - first + 1).Select(id => line(id) + "\n"));
}
