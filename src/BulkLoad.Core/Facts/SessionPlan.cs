namespace BulkLoad.Core.Facts;

/// <summary>How many sessions carry rows, and why.</summary>
/// <param name="WatchedKeys">keys, as 0-based places of their columns in the rows, that must rise through the input for records of several
/// chunks to be under way at a time, since no two of them can have the same key then; none where no key could be met twice</param>
internal sealed record SessionPlan(int Most, string Reason, IReadOnlyList<IReadOnlyList<int>> WatchedKeys)
{
    /// <summary>Whether of records with the same key all but one must be known, and not be sent, before the first one is.</summary>
    public bool NeedsDistinctKeys { get; init; }

    /// <summary>Whether behind a record whose watched key does not rise all wait, and not it alone: a session that has run into a duplicate
    /// in a secondary index keeps others out of the gap before it (InnoDB, next-key locks), for which a record that waits for its turn may
    /// be meant.</summary>
    public bool AllWait { get; init; }

    /// <summary>As many as may be tried while it runs, where more than <see cref="Most"/> may be; else 0.</summary>
    public int MostTried { get; init; }

    /// <summary>Whether a profile says how many.</summary>
    public bool IsMeasured { get; init; }

    public static SessionPlan One(string reason) => new(1, reason, []);
}
