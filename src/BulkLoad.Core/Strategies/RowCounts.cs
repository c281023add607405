using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Strategies;

/// <summary>Records whose outcome is known and no reject, by what became of each when it was its turn.</summary>
/// <param name="Inserted">as new rows</param>
/// <param name="Updated">into rows that were there and are others now</param>
/// <param name="Unchanged">into rows that were there and had the same values already</param>
/// <param name="Ignored">for which a row was there, and was left alone</param>
internal readonly record struct RowCounts(long Inserted, long Updated = 0, long Unchanged = 0, long Ignored = 0)
{
    /// <summary>Records whose rows went.</summary>
    public long Deleted { get; init; }

    /// <summary>Records with the key of an earlier one.</summary>
    public long Superseded { get; init; }

    /// <summary>Records whose key no row has, where that is no reject.</summary>
    public long NotFound { get; init; }

    /// <summary>Rows that went; not records, and so not counted among them.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Rows that were found to be changed; not records.</summary>
    public long MatchedRows { get; init; }

    /// <summary>Of <see cref="MatchedRows"/>, those that are others now; 0 where they are not told apart.</summary>
    public long ChangedRows { get; init; }

    /// <summary>Rows that were looked at again, and are there; not records.</summary>
    public long Counted { get; init; }

    /// <summary>Rows that were looked at again, and hold what their records say; not records, and not among
    /// <see cref="Counted"/>.</summary>
    public long Compared { get; init; }

    /// <summary>Rows that were looked at again at least as closely as this.</summary>
    public long Verified(VerifyMode mode) => Compared + (mode == VerifyMode.Count ? Counted : 0);

    /// <summary>Records whose rows were in the table then.</summary>
    public long Present => Inserted + Updated + Unchanged + Ignored;

    /// <summary>Rows of the table that records found.</summary>
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
