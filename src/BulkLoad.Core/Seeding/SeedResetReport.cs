namespace BulkLoad.Core.Seeding;

/// <summary>What a reset does.</summary>
public sealed record SeedResetOptions
{
    /// <summary>Whose tables are put back; null: the connection's default database.</summary>
    public string? Database { get; init; }

    /// <summary>
    /// The schema that has the copies; null: the database's name with <c>_bulkload</c> behind it, or the database itself.
    /// </summary>
    public string? Schema { get; init; }

    /// <summary>Tables that are left as they are.</summary>
    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>Whether tables that were made since the copies were taken are dropped; else they are an error.</summary>
    public bool DropNew { get; init; }

    /// <summary>A database whose tables may be put back whatever its name is; null: none is named.</summary>
    public string? AllowedDatabase { get; init; }
}

/// <summary>A table that was not as it was.</summary>
/// <param name="Name">the table</param>
/// <param name="Deleted">rows that were deleted: they were not there before, or were others</param>
/// <param name="Inserted">rows that were inserted</param>
public sealed record ResetTable(string Name, long Deleted, long Inserted)
{
    /// <summary>Rows that were made right where they stood.</summary>
    public long Updated { get; init; }

    /// <summary>Whether the id that comes next was set back.</summary>
    public bool IsNextIdSet { get; init; }

    /// <summary>Whether anything was done.</summary>
    public bool IsChanged => Deleted + Inserted + Updated > 0 || IsNextIdSet;
}

/// <summary>How a reset went.</summary>
public sealed record SeedResetReport
{
    /// <summary>Whose tables.</summary>
    public required string Database { get; init; }

    /// <summary>Where the copies are, for people.</summary>
    public required string Place { get; init; }

    /// <summary>Tables that were put back, by name.</summary>
    public required IReadOnlyList<ResetTable> Tables { get; init; }

    /// <summary>How many tables were looked at.</summary>
    public required int Looked { get; init; }

    /// <summary>Tables that were dropped, since they were made after the copies.</summary>
    public required IReadOnlyList<string> Dropped { get; init; }

    /// <summary>What to know beside it, for people.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>How long it took, without connecting.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Rows deleted in all tables.</summary>
    public long Deleted => Tables.Sum(table => table.Deleted);

    /// <summary>Rows inserted in all tables.</summary>
    public long Inserted => Tables.Sum(table => table.Inserted);

    /// <summary>Rows updated in all tables.</summary>
    public long Updated => Tables.Sum(table => table.Updated);
}
