using System.Text.Json.Serialization;

namespace BulkLoad.Core.Reports;

/// <summary>What became of the rows that a job had inserted, changed or deleted.</summary>
internal sealed record UndoReport
{
    public const string Inserted = "inserted", Changed = "changed", Deleted = "deleted", InsertedOrChanged = "inserted or changed";

    public required string Job { get; init; }

    /// <summary><c>database.table</c></summary>
    public required string Table { get; init; }

    /// <summary>What the job had done to its rows: one of the words above.</summary>
    public string Change { get; init; } = Inserted;

    public required bool Preview { get; init; }

    /// <summary>Whether each row was looked at; otherwise the same command continues.</summary>
    public required bool Complete { get; init; }

    /// <summary>Deleted or put back, since they were as the job had left them.</summary>
    public long Reversed { get; init; }

    public long KeptChanged { get; init; }

    /// <summary>Kept, since rows refer to them that the job has not inserted, or that are kept.</summary>
    public long KeptReferred { get; init; }

    /// <summary>Kept, since the server does not take them as they were, such as for a unique value that another row has by now.</summary>
    public long KeptRefused { get; init; }

    public long AlreadyGone { get; init; }

    /// <summary>Deleted rows that are there again, as they were.</summary>
    public long AlreadyBack { get; init; }

    /// <summary>Rows that are kept or were gone, with the first keys.</summary>
    public IReadOnlyList<RemainingRows> Others { get; init; } = [];

    /// <summary>Of a full refresh: the name that the former table had; null: the job has inserted rows.</summary>
    public string? FormerTable { get; init; }

    /// <summary>Null: the whole table was refreshed.</summary>
    public string? Partition { get; init; }

    /// <summary>How the former table has come back, or would; null: an earlier start had done it, or the job has inserted rows.</summary>
    public RefreshReport? Exchange { get; init; }

    [JsonIgnore]
    public long Kept => KeptChanged + KeptReferred + KeptRefused;

    [JsonIgnore]
    public long Rows => Kept + Reversed + AlreadyGone + AlreadyBack;
}

/// <param name="Reason">for people, such as <c>kept: changed since</c></param>
/// <param name="Keys">the first primary keys</param>
internal sealed record RemainingRows(string Reason, long Rows, IReadOnlyList<string> Keys);
