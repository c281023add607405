namespace BulkLoad;

/// <summary>Records by their outcome when it was their turn, in the input's order. In an ended job: <c>Read = Inserted + Updated +
/// Unchanged + Deleted + Ignored + Superseded + NotFound + Rejected + NotCommitted</c>; of a check, <c>Read = Accepted + Undecided +
/// Rejected + NotCommitted</c>.</summary>
public sealed record LoadCounts
{
    /// <summary>Records taken from the input, refused ones included; of a resumed job, by an earlier run or by this one.</summary>
    public long Read { get; init; }

    /// <summary>Committed.</summary>
    public long Inserted { get; init; }

    /// <summary>Records that changed or replaced a row with the same key, committed.</summary>
    public long Updated { get; init; }

    /// <summary>Records whose row had these values already.</summary>
    public long Unchanged { get; init; }

    /// <summary>Records skipped, since a row with the same key was there.</summary>
    public long Ignored { get; init; }

    /// <summary>Committed.</summary>
    public long Deleted { get; init; }

    /// <summary>Rows that are gone: more than <see cref="Deleted"/> where a key finds several.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Rows that were found for a change: more than <see cref="Updated"/> and <see cref="Unchanged"/> if a key finds several
    /// rows.</summary>
    public long MatchedRows { get; init; }

    /// <summary>Those of <see cref="MatchedRows"/> whose values have changed; 0: not distinguished.</summary>
    public long ChangedRows { get; init; }

    /// <summary>Records that another one with the same key replaces: of a delete an earlier one, of an update a later one.</summary>
    public long Superseded { get; init; }

    /// <summary>Records whose key no row has, where that is no reject.</summary>
    public long NotFound { get; init; }

    /// <summary>Of a check: records that an import would insert.</summary>
    public long Accepted { get; init; }

    /// <summary>Records of a check without a server that only the server can judge; of a verification, those whose key or value the server
    /// has made.</summary>
    public long Undecided { get; init; }

    /// <summary>Records whose rows are equal to them: of an import some or all of <see cref="Inserted"/>; of a verification, <c>Read =
    /// Verified + Undecided + Rejected + NotCommitted</c>.</summary>
    public long Verified { get; init; }

    /// <summary>By the reader, a rule or the server.</summary>
    public long Rejected { get; init; }

    /// <summary>Records read but rolled back, never sent or, in a check, not judged, because the job stopped early.</summary>
    public long NotCommitted { get; init; }
}
