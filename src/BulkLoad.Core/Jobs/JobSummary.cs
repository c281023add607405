using System.Text.Json.Serialization;
using BulkLoad.Core.Ledger;

namespace BulkLoad.Core.Jobs;

/// <param name="Count">all jobs, listed or not</param>
internal sealed record JobPage(IReadOnlyList<JobSummary> Jobs, long Count, long Complete);

/// <param name="Source">the input as the user named it; of a sorted job, all inputs together</param>
/// <param name="FirstRecord">1-based number in the source</param>
/// <param name="LastRecord">1-based number, in the last input where the chunk has several</param>
internal sealed record JobChunk(
    [property: JsonPropertyName("file")] string Source, long FirstRecord, long LastRecord, long Taken, long Rejected);

internal sealed record JobSummary
{
    public required string Id { get; init; }

    /// <summary>Whether the job's row cannot be read; then only its id and its chunks are known.</summary>
    public bool IsUnreadable { get; init; }

    /// <summary>Such as <c>import</c>.</summary>
    public required string Command { get; init; }

    /// <summary><c>database.table</c></summary>
    public required string Table { get; init; }

    /// <summary>The first inputs, as the user named them.</summary>
    public required IReadOnlyList<string> Sources { get; init; }

    public required int SourceCount { get; init; }

    /// <summary>Size in bytes and last write in UTC of a single file. Null: there are several inputs, or the input is a pipe.</summary>
    public (long Bytes, DateTime Changed)? Written { get; init; }

    public required long Chunks { get; init; }

    /// <summary>Number of records that the server took.</summary>
    public required long Taken { get; init; }

    public required long Rejected { get; init; }

    /// <summary>Time of the last commit in UTC, as the server wrote it.</summary>
    public required string Changed { get; init; }

    /// <summary>In UTC; null: it is not complete.</summary>
    public required DateTime? Completed { get; init; }

    /// <summary>Null: the server cannot say without waiting.</summary>
    public required bool? IsRunning { get; init; }

    /// <summary>The process that runs it, or ran it last.</summary>
    public required string Runner { get; init; }

    /// <summary>The key by which records were sorted, as <c>(id)</c>: their numbers are places in that order. Null: unsorted.</summary>
    public string? SortedBy { get; init; }

    /// <summary>Indexes that the job has dropped, or is about to drop, and has not added again.</summary>
    public IReadOnlyList<string> DroppedIndexes { get; init; } = [];

    /// <summary>Whether somebody has begun to take back what it has done.</summary>
    public bool IsBeingUndone { get; init; }

    /// <summary>The former table that its full refresh has left; null: none.</summary>
    public KeptTable? Kept { get; init; }

    /// <summary>Whether its rows can be taken back, as far as its row and the table tell; null: nobody has looked.</summary>
    public UndoOutlook? Undo { get; init; }

    /// <summary>Null: there is none.</summary>
    public required string? RejectFile { get; init; }
}
