namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Jobs that read only the first records of their input: <c>--limit</c>.</summary>
public abstract class LimitTests(string server)
{
    /// <summary>One kind of job that is done once, and one that can be done again.</summary>
    public static TheoryData<string, string> Some =>
        [.. from kind in new[] { "import", "delete" } from way in new[] { "plain", "sorted", "pipe" } select (kind, way)];

    [Theory]
    [MemberData(nameof(Some))]
    public async Task Records_behind_the_limit_are_as_if_they_were_not_there(string kind, string way)
    {
        await using var walk = await JobWalk.StartAsync(server, kind, way);
        string[] limit = ["--limit", $"{2 * walk.Width}"];
        await walk.ShouldAsync(0, "abc", $"--limit: only the first {2 * walk.Width:N0} records were read", limit);
        Assert.Equal($"{2 * walk.Width}", await TakenAsync(walk));
        if (walk.CanBeDoneAgain || walk.IsPipe)
        {
            return;
        }

        await walk.ShouldAsync(0, "abc", "^nothing to do: ", limit);
        await walk.ShouldAsync(9, "abc", " begins with all of people.csv, which was ");
        await walk.ShouldAsync(0, "abcd", "--append: the first ", ["--append", "--limit", $"{walk.Width}"]);
        Assert.Equal($"{3 * walk.Width}", await TakenAsync(walk));

        // With --append it is the next ones, and not the first ones of all, that are counted.
        await walk.ShouldAsync(0, "abcd", $"--limit: only the next {walk.Width:N0} record", ["--append", "--limit", $"{walk.Width}"]);
        Assert.Equal($"{4 * walk.Width}", await TakenAsync(walk));
    }

    [Theory]
    [MemberData(nameof(Some))]
    public async Task A_job_with_a_limit_is_resumed(string kind, string way)
    {
        await using var walk = await JobWalk.StartAsync(server, kind, way);
        string[] limit = ["--limit", $"{3 * walk.Width}"];
        await walk.BlockAsync();
        await walk.ShouldAsync(4, "abcd", " the line", limit);
        await walk.MendAsync();
        await walk.ShouldAsync(0, "abcd", "--limit: only the first ", limit);
        Assert.Equal($"{3 * walk.Width}", await TakenAsync(walk));
    }

    private static async Task<string> TakenAsync(JobWalk walk)
    {
        var left = long.Parse(
            await walk.CountAsync(walk.IsImport || walk.Taken == "deleted" ? "TRUE" : "name <> '-'"), CultureInfo.InvariantCulture);
        return $"{(walk.Taken == "deleted" ? (6 * walk.Width) - left : left)}";
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbLimitTests() : LimitTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlLimitTests() : LimitTests(Servers.MySql);
