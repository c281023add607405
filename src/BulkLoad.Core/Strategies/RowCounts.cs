namespace BulkLoad.Core.Strategies;

/// <summary>Records that are no rejects, by their outcome at the time when it was their turn.</summary>
/// <param name="Updated">they have changed an existing row</param>
/// <param name="Unchanged">an existing row had the same values already</param>
/// <param name="Ignored">a row existed, and was left as it was</param>
internal readonly record struct RowCounts(long Inserted, long Updated = 0, long Unchanged = 0, long Ignored = 0)
{
    /// <summary>Records whose rows were deleted.</summary>
    public long Deleted { get; init; }

    /// <summary>Records whose key another record has, which counts instead.</summary>
    public long Superseded { get; init; }

    /// <summary>Records whose key no row has, where that is no reject.</summary>
    public long NotFound { get; init; }

    /// <summary>Deleted rows; not records, and so not in <see cref="Count"/>.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Rows that were found for a change; not records.</summary>
    public long MatchedRows { get; init; }

    /// <summary>Those of <see cref="MatchedRows"/> that got other values; 0 if that is not known.</summary>
    public long ChangedRows { get; init; }

    /// <summary>Rows that a verification has found; not records.</summary>
    public long Counted { get; init; }

    /// <summary>Rows that a verification has compared and found equal to their records; not records, and not in
    /// <see cref="Counted"/>.</summary>
    public long Compared { get; init; }

    /// <summary>Rows that were verified in this mode or a stricter one.</summary>
    public long Verified(VerifyMode mode) => Compared + (mode == VerifyMode.Count ? Counted : 0);

    /// <summary>Records whose rows were in the table afterwards.</summary>
    public long Present => Inserted + Updated + Unchanged + Ignored;

    public long TouchedRows => DeletedRows + MatchedRows;

    public long Count => Inserted + Updated + Unchanged + Ignored + Deleted + Superseded + NotFound;

    public LoadCounts AddTo(LoadCounts counts, VerifyMode? verify) => counts with
    {
        Inserted = Inserted,
        Verified = verify is { } mode ? Verified(mode) : 0,
        Updated = Updated,
        Unchanged = Unchanged,
        Ignored = Ignored,
        Deleted = Deleted,
        Superseded = Superseded,
        NotFound = NotFound,
        DeletedRows = DeletedRows,
        MatchedRows = MatchedRows,
        ChangedRows = ChangedRows,
    };

    public static RowCounts operator +(RowCounts one, RowCounts other) => new(
        one.Inserted + other.Inserted, one.Updated + other.Updated, one.Unchanged + other.Unchanged, one.Ignored + other.Ignored)
    {
        Deleted = one.Deleted + other.Deleted,
        Superseded = one.Superseded + other.Superseded,
        NotFound = one.NotFound + other.NotFound,
        DeletedRows = one.DeletedRows + other.DeletedRows,
        MatchedRows = one.MatchedRows + other.MatchedRows,
        ChangedRows = one.ChangedRows + other.ChangedRows,
        Counted = one.Counted + other.Counted,
        Compared = one.Compared + other.Compared,
    };
}
