using System.Text.Json.Serialization;

namespace BulkLoad.Core.Reports;

/// <summary>What became of the rows that a job had inserted.</summary>
internal sealed record UndoReport
{
    public required string Job { get; init; }

    /// <summary><c>database.table</c></summary>
    public required string Table { get; init; }

    public required bool Preview { get; init; }

    /// <summary>Whether each row was looked at; otherwise the same command continues.</summary>
    public required bool Complete { get; init; }

    /// <summary>Deleted, since they were as the job had inserted them.</summary>
    public long Reversed { get; init; }

    public long KeptChanged { get; init; }

    /// <summary>Kept, since rows refer to them that the job has not inserted, or that are kept.</summary>
    public long KeptReferred { get; init; }

    public long AlreadyGone { get; init; }

    /// <summary>Rows that are kept or were gone, with the first keys.</summary>
    public IReadOnlyList<RemainingRows> Others { get; init; } = [];

    /// <summary>Of a full refresh: the name that the former table had; null: the job has inserted rows.</summary>
    public string? FormerTable { get; init; }

    /// <summary>Null: the whole table was refreshed.</summary>
    public string? Partition { get; init; }

    /// <summary>How the former table has come back, or would; null: an earlier start had done it, or the job has inserted rows.</summary>
    public RefreshReport? Exchange { get; init; }

    [JsonIgnore]
    public long Kept => KeptChanged + KeptReferred;

    [JsonIgnore]
    public long Rows => Kept + Reversed + AlreadyGone;
}

/// <param name="Reason">for people, such as <c>kept: changed since</c></param>
/// <param name="Keys">the first primary keys</param>
internal sealed record RemainingRows(string Reason, long Rows, IReadOnlyList<string> Keys);
