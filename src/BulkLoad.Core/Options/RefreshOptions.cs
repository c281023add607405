namespace BulkLoad.Core.Options;

/// <summary>How a table becomes exactly the input.</summary>
internal enum RefreshWay
{
    /// <summary>By exchange where nothing of the table would be lost, else by difference.</summary>
    Auto,

    /// <summary>A new table is loaded beside it, and takes its name.</summary>
    Swap,

    /// <summary>A new table is loaded beside it; what differs is changed in one transaction.</summary>
    Diff,

    /// <summary>A new table is loaded beside it, and its rows are exchanged with those of one partition.</summary>
    Partition,
}

/// <summary>That a table is made exactly the input, at once.</summary>
/// <param name="KeepOld">whether the former table is kept under another name</param>
internal sealed record RefreshOptions(RefreshWay Way, bool KeepOld = false)
{
    public const double UsualMinRows = 50;

    /// <summary>Percent of the table's rows that the input must have at least; 0: any number will do.</summary>
    public double MinRows { get; init; } = UsualMinRows;

    /// <summary>Of the table, which alone becomes the input; null: the whole table.</summary>
    public string? Partition { get; init; }

    /// <summary>Asked once before the table is changed. Null: nobody is asked.</summary>
    public Func<RefreshQuestion, bool>? Confirm { get; init; }

    /// <summary>Options that a full refresh cannot have, and why.</summary>
    private static readonly OptionConflict[] Excluded =
    [
        new("--on-duplicate", request => request.OnDuplicate != DuplicateMode.Error, "the table would not be exactly the input"),
        new("--truncate", request => request.Truncate, "it replaces the table without a time in which that is empty"),
        new("--append", request => request.Append, "nothing of the table stays"),
        new("--create", request => request.Create, "a new table has nothing to replace"),
        new("--add-columns", request => request.AddColumns, "the table beside has the table's columns: add them first, with ALTER TABLE"),
        new("--part", request => request.Part is not null, "a part is not the whole table"),
        new("--preview-file", request => request.PreviewFile is not null, "--preview alone shows the first rows that change"),
        new("--reload", request => request.Reload, "it loads everything in any case"),
    ];

    /// <exception cref="RequestException">another option does not go with it</exception>
    public static void Check(LoadRequest request)
    {
        if (request.Refresh is null)
        {
            return;
        }

        OptionConflict.Check(request, "--full-refresh", Excluded);

        RequestException.ThrowIf(
            request.Refresh is { Partition: not null, Way: not RefreshWay.Auto },
            "--full-refresh=swap and =diff are of a whole table, and a partition is always exchanged: leave out the way, or --partition");

        RequestException.ThrowIf(
            request.Table is null && (request.Files.Count > 1 || request.Files[0].AsSpan().ContainsAny("*?[")),
            "--full-refresh: name the table with --table");
    }
}

/// <summary>The question before a table becomes the input.</summary>
/// <param name="Changes">counts of rows, for people</param>
/// <param name="Rows">that the table has</param>
internal sealed record RefreshQuestion(string Table, string Endpoint, string Changes, long Rows);

internal static class RefreshWays
{
    /// <summary>Those that can be asked for, by their words on the command line.</summary>
    public static IReadOnlyList<(string Word, RefreshWay Way)> All { get; } =
        [("auto", RefreshWay.Auto), ("swap", RefreshWay.Swap), ("diff", RefreshWay.Diff)];

    public static string Of(RefreshWay way) => way == RefreshWay.Partition ? "exchange" : All.First(one => one.Way == way).Word;
}
