using System.Text.Json.Serialization;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Reports;

internal enum LoadOutcome
{
    /// <summary>Every record is accounted for.</summary>
    Complete,

    /// <summary>Earlier jobs have done everything: this start has sent nothing, and its counts are 0.</summary>
    AlreadyComplete,

    /// <summary>Stopped gracefully by the user; what was committed stays.</summary>
    Interrupted,

    /// <summary>Stopped by <see cref="LoadReport.Failure"/>; what was committed stays.</summary>
    Failed,

    /// <summary>Stopped gracefully, as the request says; <see cref="LoadReport.Failure"/> says why. What was committed stays.</summary>
    Stopped,
}

/// <param name="Name">as the user named it</param>
/// <param name="Bytes">bytes read, as stored (compressed)</param>
internal sealed record SourceReport(string Name, long Records, long Bytes);

/// <summary>Records of a check that only the server can judge; a record may have several reasons.</summary>
/// <param name="Reason">stable kebab-case word</param>
internal sealed record UndecidedCount(string Reason, string Description, long Records);

/// <summary>A fault after which the open chunk was sent again.</summary>
/// <param name="ServerCode">the server's error number, or 0</param>
/// <param name="Wait">before it was sent again</param>
internal sealed record RetryReport(
    string Fault, [property: JsonPropertyName("serverError")] int ServerCode, [property: JsonPropertyName("waitSeconds")] TimeSpan Wait);

/// <param name="Reason">stable kebab-case word, such as <c>max-load</c></param>
internal sealed record WaitReport(string Reason, [property: JsonPropertyName("seconds")] TimeSpan Time);

/// <summary>What became of indexes that a job has dropped to load without them.</summary>
/// <param name="Missing">those that are not added again, as far as the job knows</param>
/// <param name="Dropping">time that dropping took; 0 where an earlier run has done it</param>
internal sealed record RebuildReport(
    IReadOnlyList<string> Indexes,
    IReadOnlyList<string> Missing,
    [property: JsonPropertyName("droppingSeconds")] TimeSpan Dropping,
    [property: JsonPropertyName("addingSeconds")] TimeSpan Adding);

internal enum VerifyResult
{
    Equal,

    /// <summary>Every compared row is equal to its record; nothing is known of others.</summary>
    Partial,

    Different,

    Unverifiable,
}

/// <summary>Whether rows in the table are equal to their records.</summary>
/// <param name="Rows">number of rows that are equal</param>
internal sealed record VerificationReport(VerifyMode Mode, VerifyResult Result, long Rows)
{
    /// <summary>Rows that an earlier run has committed without a comparison.</summary>
    public long EarlierRows { get; init; }

    /// <summary>Of a verification by itself: rejects without a row of their own with their values, by reason code.</summary>
    public IReadOnlyDictionary<string, long> DifferentByReason { get; init; } = new Dictionary<string, long>();

    /// <summary>Rows that cannot be compared, since the server has made their keys or values.</summary>
    public long UndecidedRows { get; init; }

    /// <summary>Why no row could be compared, for people; null: some could.</summary>
    public string? Reason { get; init; }
}

internal sealed record LoadReport
{
    public const int MaxRetriesListed = 100;

    public required LoadOutcome Outcome { get; init; }

    /// <summary>Null: no preview.</summary>
    public PreviewReport? Preview { get; init; }

    /// <summary>Null unless <see cref="LoadOutcome.Failed"/> or <see cref="LoadOutcome.Stopped"/>.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>What is in the table now, after the user has stopped the job; null: the failure says it, or nothing must be said.</summary>
    public string? State { get; init; }

    /// <summary>What the user can do after a stop.</summary>
    public IReadOnlyList<WayOn> WaysOn { get; init; } = [];

    /// <summary>The first line of the report; null: none.</summary>
    public string? Headline { get; init; }

    /// <summary>When jobs with the same content have deleted the rows of these keys, in UTC; null: not known.</summary>
    public DateTime? RepeatOf { get; init; }

    /// <summary>Null: the job ended before it was decided.</summary>
    public LoadPlan? Plan { get; init; }

    public LoadCounts Counts { get; init; } = new();

    /// <summary>Committed transactions.</summary>
    public long Chunks { get; init; }

    /// <summary>Committed statements or packets that carried rows.</summary>
    public long Batches { get; init; }

    /// <summary>Batches that the server refused, and that were sent again in parts to find the bad records.</summary>
    public long NarrowedBatches { get; init; }

    /// <summary>Null: it has none.</summary>
    public string? Job { get; init; }

    /// <summary>Those of <see cref="Chunks"/> that an earlier run of the job has committed.</summary>
    public long EarlierChunks { get; init; }

    /// <summary>Part of <see cref="Counts"/>.</summary>
    public LoadCounts EarlierCounts { get; init; } = new();

    public int Retries { get; init; }

    public IReadOnlyList<RetryReport> FirstRetries { get; init; } = [];

    /// <summary>By reason, in alphabetical order.</summary>
    public IReadOnlyList<WaitReport> Waits { get; init; } = [];

    /// <summary>Null: none was asked for. Empty: the server has none.</summary>
    public IReadOnlyList<ReplicaReport>? Replicas { get; init; }

    /// <summary>Null: no index was dropped.</summary>
    public RebuildReport? Rebuild { get; init; }

    /// <summary>Null: not asked for, or the job ended before.</summary>
    public RefreshReport? Refresh { get; init; }

    /// <summary>Null: the command is no undo, or it ended before a row was looked at.</summary>
    public UndoReport? Undo { get; init; }

    /// <summary>Null: not asked for, or the job ended before.</summary>
    public VerificationReport? Verification { get; init; }

    /// <summary>By reason code, in alphabetical order.</summary>
    public IReadOnlyDictionary<string, long> RejectsByReason { get; init; } = new Dictionary<string, long>();

    /// <summary>Repaired records and skipped lines of committed chunks, by the kind of dirt, in alphabetical order.</summary>
    public IReadOnlyDictionary<string, long> RepairsByKind { get; init; } = new Dictionary<string, long>();

    /// <summary>Why only the server can judge records of a check; the most general reasons first.</summary>
    public IReadOnlyList<UndecidedCount> UndecidedByReason { get; init; } = [];

    /// <summary>Whether a check continued beyond the reject at which an import would have stopped.</summary>
    public bool IsBeyondMaxRejects { get; init; }

    /// <summary>The first hundred, in the order of the input.</summary>
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>Rejects of the chunk that was rolled back because they were too many: the last ones of all.</summary>
    public long UncommittedRejects { get; init; }

    /// <summary>The file with the refused records of committed chunks, and behind them <see cref="UncommittedRejects"/>; null:
    /// none.</summary>
    public string? RejectFile { get; init; }

    public string? RejectReasonsFile { get; init; }

    /// <summary>The file with the ids that the server has generated for committed rows; null: none.</summary>
    public string? IdsFile { get; init; }

    /// <summary>Number of ids in <see cref="IdsFile"/>, those of the job's earlier starts too; null: there is none, or it cannot be
    /// read.</summary>
    public long? IdsInFile { get; init; }

    public IReadOnlyList<SourceReport> Sources { get; init; } = [];

    /// <summary>Choices, fallbacks and guesses, for people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The <see cref="Notes"/> on guesses, and on what was made.</summary>
    public IReadOnlyList<string> Choices { get; init; } = [];

    /// <summary>From the first connection to the last answer.</summary>
    public TimeSpan Elapsed { get; init; }
}

internal sealed class WaitTimes
{
    private readonly SortedDictionary<string, TimeSpan> _times = new(StringComparer.Ordinal);

    public IReadOnlyList<WaitReport> Reports => [.. _times.Select(entry => new WaitReport(entry.Key, entry.Value))];

    public void Add(string reason, TimeSpan time) => _times[reason] = _times.GetValueOrDefault(reason) + time;
}

/// <summary>A replica that was watched.</summary>
/// <param name="GreatestLag">age of the oldest commit that it lacked</param>
/// <param name="Waited">how long the job waited for it</param>
internal sealed record ReplicaReport(
    string Endpoint, [property: JsonPropertyName("greatestLagSeconds")] TimeSpan GreatestLag,
    [property: JsonPropertyName("waitedSeconds")] TimeSpan Waited);

/// <summary>A table that has become exactly the input.</summary>
/// <param name="Way"><c>swap</c> or <c>diff</c></param>
/// <param name="Reason">why that way, for people</param>
internal sealed record RefreshReport(string Way, string Reason)
{
    public long RowsBefore { get; init; }

    public long RowsAfter { get; init; }

    /// <summary>By the primary key; null: the table has none, as below.</summary>
    public long? NewRows { get; init; }

    public long? ChangedRows { get; init; }

    public long? GoneRows { get; init; }

    public long? UnchangedRows { get; init; }

    /// <summary>How long the exchange took, or the transaction that changed what differed.</summary>
    [JsonPropertyName("exchangeSeconds")]
    public TimeSpan Exchange { get; init; }

    /// <summary>The former table, with its database; null: it is gone.</summary>
    public string? OldTable { get; init; }

    /// <summary>How the former table comes back; null: it does not.</summary>
    public UndoWords? Undo { get; init; }
}

/// <summary>What names a job to undo.</summary>
/// <param name="LedgerSchema">where the ledger is; null: in the connection's database</param>
internal sealed record UndoWords(string Job, string? LedgerSchema)
{
    /// <summary>Behind the program's name.</summary>
    public IReadOnlyList<string> Words => LedgerSchema is null ? ["undo", Job] : ["undo", Job, "--ledger-schema", LedgerSchema];

    /// <param name="tableSchema">that of the job's table</param>
    public static UndoWords Of(string job, LoadRequest request, string tableSchema) =>
        new(job, (request.LedgerSchema ?? tableSchema) is var schema && schema == request.Connection.Database ? null : schema);
}

/// <summary>What the caller gives to a job, and when it began. <paramref name="Progress"/> must be quick.</summary>
internal sealed record JobServices(ILogger Log, TimeProvider Time, IProgress<LoadProgress>? Progress = null)
{
    public long Started { get; } = Time.GetTimestamp();

    public TimeSpan Elapsed => Time.GetElapsedTime(Started);
}

/// <summary>A change of a row in a preview.</summary>
/// <param name="Kind">inserted, updated or deleted</param>
/// <param name="Key">the row's primary key</param>
/// <param name="Values">of an update: column, value that is there, value that comes</param>
internal sealed record RowChange(string Kind, string Key, IReadOnlyList<ChangedValue> Values);

internal sealed record ChangedValue(string Column, string? Before, string? After);

/// <summary>What a preview has found, beside the counts of the report: nothing was written.</summary>
internal sealed record PreviewReport
{
    public long InsertedRows { get; init; }

    public long UpdatedRows { get; init; }

    /// <summary>With <c>--truncate</c> all present rows.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Of these, the ones that <c>--truncate</c> deletes: neither <see cref="Changes"/> nor the file has them.</summary>
    internal long EmptiedRows { get; init; }

    internal long AllChanges => InsertedRows + UpdatedRows + DeletedRows;

    /// <summary>Rows that the server would refuse for a foreign key or a unique value that only it compares; not among
    /// <see cref="LoadReport.FirstRejects"/>.</summary>
    public long RefusedRows => RefusedRecords + RefusedOthers;

    /// <summary>Why the counts may differ from those of the command, for people, each after the word "since"; empty: they are
    /// exact.</summary>
    public IReadOnlyList<string> NotExact { get; init; } = [];

    /// <summary>Columns by which its rows are named; empty: the table has no such key, and no row is shown.</summary>
    public required IReadOnlyList<string> Key { get; init; }

    /// <summary>The first of the rows that are inserted, updated or deleted.</summary>
    public IReadOnlyList<RowChange> Changes { get; init; } = [];

    internal long RefusedRecords => RefusedInserts + RefusedUpdates + RefusedDeletes;

    internal long RefusedInserts { get; init; }

    internal long RefusedUpdates { get; init; }

    internal long RefusedDeletes { get; init; }

    /// <summary>Refused records that may insert, update or delete: it is not known which.</summary>
    internal long RefusedOthers { get; init; }

    /// <summary>Reasons of these refusals, and changes of other tables' rows, for people.</summary>
    public IReadOnlyList<string> Findings { get; init; } = [];

    /// <summary>With all changes; null: not asked for.</summary>
    public string? File { get; init; }

    /// <summary>Where the command would stop; null: it would come to its end.</summary>
    public PreviewStop? Stop { get; init; }
}

/// <summary>The reject at which the command would stop, since it exceeds <c>--max-rejects</c>.</summary>
/// <param name="Source">file; null: it is not known which record it is</param>
/// <param name="Line">from 1; null: it is not known</param>
/// <param name="Record">from 1; null: it is not known</param>
/// <param name="CommittedRecords">records of the chunks that would be committed before it; null: it is not known</param>
/// <param name="Stays">what would be in the table then, for people, such as <c>nothing was committed</c></param>
internal sealed record PreviewStop(
    [property: JsonPropertyName("file")] string? Source, long? Line, long? Record, long? CommittedRecords, string Stays);
