namespace BulkLoad.Core.Options;

/// <summary>What goes with <c>--part</c>.</summary>
internal static class PartOptions
{
    /// <summary>Options that a part cannot have, whatever the table is, and why.</summary>
    private static readonly OptionConflict[] WholeOnly =
    [
        new("--create", request => request.Create,
            "each part would make the table by its own records: make it first, with --create --limit 1000 or CREATE TABLE"),
        new("--add-columns", request => request.AddColumns, "each part would add columns by its own records: add them first"),
        new("--limit", request => request.Limit is not null, "it counts the records of the whole file"),
        new("--truncate", request => request.Truncate, "each part would delete what others have loaded: empty the table first"),
        new("--append", request => request.Append, "parts of a file that has grown are other parts"),
        new("--rebuild-indexes", request => request.RebuildIndexes, "another part would be loading while the indexes are dropped"),
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
        OptionConflict.Check(request, "--part", WholeOnly);
    }
}
