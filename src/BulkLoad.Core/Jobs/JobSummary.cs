namespace BulkLoad.Core.Jobs;

/// <summary>A chunk that is committed.</summary>
/// <param name="Source">its input, as the user named it; where the job was sorted, all of them together</param>
/// <param name="FirstRecord">1-based number in there</param>
/// <param name="LastRecord">1-based number, in the last input where the job is one chunk</param>
/// <param name="Taken">records that the server took</param>
/// <param name="Rejected">records that were refused</param>
public sealed record JobChunk(string Source, long FirstRecord, long LastRecord, long Taken, long Rejected);

/// <summary>What the ledger knows of a job.</summary>
public sealed record JobSummary
{
    /// <summary>Its name there.</summary>
    public required string Id { get; init; }

    /// <summary>Whether the ledger's row of it cannot be read; only its name and its chunks are known then.</summary>
    public bool IsUnreadable { get; init; }

    /// <summary>What it does, such as <c>import</c>.</summary>
    public required string Command { get; init; }

    /// <summary><c>database.table</c></summary>
    public required string Table { get; init; }

    /// <summary>Its inputs, as the user named them.</summary>
    public required IReadOnlyList<string> Sources { get; init; }

    /// <summary>Chunks that are committed.</summary>
    public required long Chunks { get; init; }

    /// <summary>Records that the server took.</summary>
    public required long Taken { get; init; }

    /// <summary>Records that were refused.</summary>
    public required long Rejected { get; init; }

    /// <summary>The last commit, as the server wrote it, in UTC.</summary>
    public required string Changed { get; init; }

    /// <summary>When it was done, in UTC; null: it is not.</summary>
    public required DateTime? Completed { get; init; }

    /// <summary>Whether somebody runs it; null where the server cannot say without waiting.</summary>
    public required bool? IsRunning { get; init; }

    /// <summary>Who runs it, or did so last.</summary>
    public required string Runner { get; init; }

    /// <summary>By what its records were sorted, as <c>(id)</c>, and those of a chunk are numbered in that order, over all inputs; null:
    /// they were not.</summary>
    public string? SortedBy { get; init; }

    /// <summary>Indexes that it has dropped, or is about to, and not added again; empty: none.</summary>
    public IReadOnlyList<string> DroppedIndexes { get; init; } = [];

    /// <summary>Where its refused records are; null: nowhere.</summary>
    public required string? RejectFile { get; init; }
}
