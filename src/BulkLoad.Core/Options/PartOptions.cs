namespace BulkLoad.Core.Options;

/// <summary>What goes with <c>--part</c>.</summary>
internal static class PartOptions
{
    /// <summary>Options that a part cannot have, whatever the table is, and why.</summary>
    private static readonly (string Option, Func<LoadRequest, bool> IsGiven, string Why)[] WholeOnly =
    [
        ("--create", request => request.Create,
            "each part would make the table by its own records: make it first, with --create --limit 1000 or CREATE TABLE"),
        ("--add-columns", request => request.AddColumns, "each part would add columns by its own records: add them first"),
        ("--limit", request => request.Limit is not null, "it counts the records of the whole file"),
        ("--truncate", request => request.Truncate, "each part would delete what others have loaded: empty the table first"),
        ("--append", request => request.Append, "parts of a file that has grown are other parts"),
        ("--rebuild-indexes", request => request.RebuildIndexes, "another part would be loading while the indexes are dropped"),
    ];

    /// <summary>Options that are no advice where a part is loaded; <c>--on-duplicate</c> is refused when the table is known.</summary>
    public static IReadOnlyList<string> Excluded { get; } = ["--on-duplicate", .. WholeOnly.Select(one => one.Option)];

    /// <exception cref="RequestException">another option does not go with it</exception>
    public static void Check(LoadRequest request)
    {
        if (request.Part is null)
        {
            return;
        }

        RequestException.ThrowIf(
            request.Files.Count > 1 || request.Files.Contains("-"),
            "--part: is of one file: name one, or give each start files of its own");
        foreach (var (option, isGiven, why) in WholeOnly)
        {
            RequestException.ThrowIf(isGiven(request), $"--part with {option}: {why}; leave one out");
        }
    }
}
