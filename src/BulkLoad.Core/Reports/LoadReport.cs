using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Reports;

/// <summary>How a job ended.</summary>
internal enum LoadOutcome
{
    /// <summary>Every record is accounted for.</summary>
    Complete,

    /// <summary>All that there was to do had been done by earlier jobs: this start has sent nothing, and its counts are 0.</summary>
    AlreadyComplete,

    /// <summary>Stopped gracefully by the user; what was committed stays.</summary>
    Interrupted,

    /// <summary>Stopped by <see cref="LoadReport.Failure"/>; what was committed stays.</summary>
    Failed,

    /// <summary>Stopped gracefully, as the request says; <see cref="LoadReport.Failure"/> says why. What was committed stays.</summary>
    Stopped,
}

/// <summary>Records by their outcome when it was their turn, in the input's order. In an ended job: <c>Read = Inserted + Updated +
/// Unchanged + Deleted + Ignored + Superseded + NotFound + Rejected + NotCommitted</c>; of a check, <c>Read = Accepted + Undecided +
/// Rejected + NotCommitted</c>.</summary>
internal sealed record LoadCounts
{
    /// <summary>Records taken from the input, refused ones included; of a resumed job, by an earlier run or by this one.</summary>
    public long Read { get; init; }

    /// <summary>Records that became new rows, committed.</summary>
    public long Inserted { get; init; }

    /// <summary>Records that changed or replaced a row with the same key, committed.</summary>
    public long Updated { get; init; }

    /// <summary>Records whose row with the same key had their values already.</summary>
    public long Unchanged { get; init; }

    /// <summary>Records skipped, since a row with the same key was there.</summary>
    public long Ignored { get; init; }

    /// <summary>Records whose rows are gone, committed.</summary>
    public long Deleted { get; init; }

    /// <summary>Records that another one with the same key replaces: of a delete an earlier one, of an update a later one.</summary>
    public long Superseded { get; init; }

    /// <summary>Records whose key no row has, where that is no reject.</summary>
    public long NotFound { get; init; }

    /// <summary>Rows that are gone: more than <see cref="Deleted"/> where a key finds several.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Rows that were found to be changed: more than <see cref="Updated"/> and <see cref="Unchanged"/> where a key finds
    /// several.</summary>
    public long MatchedRows { get; init; }

    /// <summary>Of <see cref="MatchedRows"/>, those that have changed values now; 0 where they are not distinguished.</summary>
    public long ChangedRows { get; init; }

    /// <summary>Of a check: records that an import would insert.</summary>
    public long Accepted { get; init; }

    /// <summary>Of a check that asked no server: records that only the server can judge. Of a verification: those whose key or value it
    /// made.</summary>
    public long Undecided { get; init; }

    /// <summary>Records whose rows were found to be what they say: of an import some or all of <see cref="Inserted"/>; of a verification,
    /// <c>Read = Verified + Undecided + Rejected + NotCommitted</c>.</summary>
    public long Verified { get; init; }

    /// <summary>Records refused by the reader, a rule or the server.</summary>
    public long Rejected { get; init; }

    /// <summary>Records read but rolled back, never sent or, in a check, not judged, because the job stopped early.</summary>
    public long NotCommitted { get; init; }
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
internal sealed record RetryReport(string Fault, int ServerCode, TimeSpan Wait);

/// <summary>Time that a job has waited for the sake of others.</summary>
/// <param name="Reason">stable kebab-case word, such as <c>max-load</c></param>
internal sealed record WaitReport(string Reason, TimeSpan Time);

/// <summary>What became of indexes that a job has dropped to load without them.</summary>
/// <param name="Missing">those that are not added again, as far as the job knows</param>
/// <param name="Dropping">time that dropping took; 0 where an earlier run has done it</param>
internal sealed record RebuildReport(IReadOnlyList<string> Indexes, IReadOnlyList<string> Missing, TimeSpan Dropping, TimeSpan Adding);

internal enum VerifyResult
{
    /// <summary>Every row is what its record says.</summary>
    Equal,

    /// <summary>Every row that was looked at is; of others nothing is known.</summary>
    Partial,

    /// <summary>Rows are not what their records say.</summary>
    Different,

    /// <summary>Nothing can be said.</summary>
    Unverifiable,
}

/// <summary>Whether rows in the table are what the records say.</summary>
/// <param name="Rows">that are what their records say</param>
internal sealed record VerificationReport(VerifyMode Mode, VerifyResult Result, long Rows)
{
    /// <summary>Rows that an earlier run of the job has committed without comparing them.</summary>
    public long EarlierRows { get; init; }

    /// <summary>Of a verification by itself: records that have no own row with their values, by reason code; they are among the
    /// rejects.</summary>
    public IReadOnlyDictionary<string, long> DifferentByReason { get; init; } = new Dictionary<string, long>();

    /// <summary>Rows whose keys or values the server has made; they cannot be compared.</summary>
    public long UndecidedRows { get; init; }

    /// <summary>Why nothing can be said of any row, for people; null: something can.</summary>
    public string? Reason { get; init; }
}

internal sealed record LoadReport
{
    public const int MaxRetriesListed = 100;

    public required LoadOutcome Outcome { get; init; }

    /// <summary>What would change, where only that was asked for: the counts say what would become of the records. Null: it is no
    /// preview.</summary>
    public PreviewReport? Preview { get; init; }

    /// <summary>Why it failed; null unless <see cref="LoadOutcome.Failed"/> or <see cref="LoadOutcome.Stopped"/>.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>Of a job that the user stopped: what is in the table now; of others the failure says it, or nothing has to be
    /// said.</summary>
    public string? State { get; init; }

    /// <summary>How a job that the user stopped goes on.</summary>
    public IReadOnlyList<WayOn> WaysOn { get; init; } = [];

    /// <summary>What somebody has to know first, in one line; null: nothing but the counts.</summary>
    public string? Headline { get; init; }

    /// <summary>Of a delete: when the rows of its keys were deleted by jobs with the same content, in UTC; null: by none that is
    /// known.</summary>
    public DateTime? RepeatOf { get; init; }

    /// <summary>What was decided; null where the job ended before.</summary>
    public LoadPlan? Plan { get; init; }

    public LoadCounts Counts { get; init; } = new();

    /// <summary>Transactions committed.</summary>
    public long Chunks { get; init; }

    /// <summary>Statements or packets that carried rows and were committed.</summary>
    public long Batches { get; init; }

    /// <summary>Batches that the server did not take as sent, and that were sent again in parts to find the records at fault.</summary>
    public long NarrowedBatches { get; init; }

    /// <summary>The job's name in the ledger; null where it has none.</summary>
    public string? Job { get; init; }

    /// <summary>Chunks of <see cref="Chunks"/> that an earlier run of the job has committed.</summary>
    public long EarlierChunks { get; init; }

    /// <summary>Records of those, as <see cref="Counts"/> has them too.</summary>
    public LoadCounts EarlierCounts { get; init; } = new();

    /// <summary>How often chunks were sent again after faults that pass.</summary>
    public int Retries { get; init; }

    public IReadOnlyList<RetryReport> FirstRetries { get; init; } = [];

    /// <summary>How long the job has waited for the sake of others, by reason, in alphabetical order.</summary>
    public IReadOnlyList<WaitReport> Waits { get; init; } = [];

    /// <summary>What became of indexes that were dropped; null: none was.</summary>
    public RebuildReport? Rebuild { get; init; }

    /// <summary>The result of the verification; null: it was not asked for, or the job ended before.</summary>
    public VerificationReport? Verification { get; init; }

    /// <summary>Refused records by their reason code, in alphabetical order.</summary>
    public IReadOnlyDictionary<string, long> RejectsByReason { get; init; } = new Dictionary<string, long>();

    /// <summary>Repaired records and skipped lines, by the kind of dirt, in alphabetical order; of committed chunks.</summary>
    public IReadOnlyDictionary<string, long> RepairsByKind { get; init; } = new Dictionary<string, long>();

    /// <summary>Of a check: why only the server can judge records; most general reasons first.</summary>
    public IReadOnlyList<UndecidedCount> UndecidedByReason { get; init; } = [];

    /// <summary>Whether a check continued to the end where an import would have stopped at a refused record.</summary>
    public bool IsBeyondMaxRejects { get; init; }

    /// <summary>The first hundred refused records, in the order of the input.</summary>
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>Refused records of the chunk that was rolled back because there were too many of them: of all, the last ones.</summary>
    public long UncommittedRejects { get; init; }

    /// <summary>The file that holds the refused records of what was committed, and after them those of <see cref="UncommittedRejects"/>;
    /// null where there is none.</summary>
    public string? RejectFile { get; init; }

    public string? RejectReasonsFile { get; init; }

    public IReadOnlyList<SourceReport> Sources { get; init; } = [];

    /// <summary>Choices, fallbacks and guesses that were made on the way, for people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The <see cref="Notes"/> that say what was guessed or made.</summary>
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

/// <summary>How far a running job is.</summary>
/// <param name="BytesRead">bytes of input whose records are settled, as stored (compressed), about; of what is only read, the bytes that
/// were</param>
/// <param name="TotalBytes">bytes of all inputs; null where one is a pipe</param>
/// <param name="RecordsSent">records that the server has taken</param>
/// <param name="RecordsCommitted">records that are safe</param>
/// <param name="Held">why nothing is sent at present, for people; null: something is</param>
internal readonly record struct LoadProgress(
    long BytesRead, long? TotalBytes, long RecordsSent, long RecordsCommitted, string? Held = null);

/// <summary>What the caller gives to a job, and when it began. <paramref name="Progress"/> must be quick.</summary>
internal sealed record JobServices(ILogger Log, TimeProvider Time, IProgress<LoadProgress>? Progress = null)
{
    public long Started { get; } = Time.GetTimestamp();

    public TimeSpan Elapsed => Time.GetElapsedTime(Started);
}

/// <summary>A row that a preview says would change.</summary>
/// <param name="Kind">inserted, updated or deleted</param>
/// <param name="Key">the row's primary key</param>
/// <param name="Values">of an update: column, value that is there, value that comes</param>
internal sealed record RowChange(string Kind, string Key, IReadOnlyList<(string Column, string? Before, string? After)> Values);

/// <summary>What a preview has found, beside the counts of the report: nothing was written.</summary>
/// <param name="Key">columns by which its rows are named; empty: the table has no such key, and no row is shown</param>
internal sealed record PreviewReport(IReadOnlyList<string> Key)
{
    /// <summary>Rows that would be there in addition.</summary>
    public long InsertedRows { get; init; }

    /// <summary>Rows that would have another value.</summary>
    public long UpdatedRows { get; init; }

    /// <summary>Rows that would be gone; of <c>--truncate</c> all that are there.</summary>
    public long DeletedRows { get; init; }

    /// <summary>Of these, the ones that <c>--truncate</c> deletes: neither <see cref="Changes"/> nor the file has them.</summary>
    public long EmptiedRows { get; init; }

    /// <summary>The first of these rows.</summary>
    public IReadOnlyList<RowChange> Changes { get; init; } = [];

    public long AllChanges => InsertedRows + UpdatedRows + DeletedRows;

    /// <summary>Why the counts may differ from those of the command, for people, each after the word "since"; empty: they are the
    /// same.</summary>
    public IReadOnlyList<string> NotExact { get; init; } = [];

    /// <summary>Where the command would stop; null: it would come to its end.</summary>
    public PreviewStop? Stop { get; init; }

    /// <summary>Rows that the server would refuse for a foreign key or a unique value that only it compares; not among
    /// <see cref="LoadReport.FirstRejects"/>.</summary>
    public long RefusedRows => RefusedRecords + RefusedOthers;

    /// <summary>The records that count as rejects.</summary>
    internal long RefusedRecords => RefusedInserts + RefusedUpdates + RefusedDeletes;

    internal long RefusedInserts { get; init; }

    internal long RefusedUpdates { get; init; }

    internal long RefusedDeletes { get; init; }

    /// <summary>Refused records of which it is not known whether they insert, update or delete.</summary>
    internal long RefusedOthers { get; init; }

    /// <summary>What these would be refused for, and what would come of other tables' rows, for people.</summary>
    public IReadOnlyList<string> Findings { get; init; } = [];

    /// <summary>The file with all changes; null: none was asked for.</summary>
    public string? File { get; init; }
}

/// <summary>The reject at which the command would stop, since it has more than <c>--max-rejects</c> allows.</summary>
/// <param name="Source">file; null: it is not known which record it is</param>
/// <param name="Line">from 1; 0 where it is not known</param>
/// <param name="Record">from 1; 0 where it is not known</param>
/// <param name="CommittedRecords">records of the chunks that would be committed before it; null: it is not known</param>
/// <param name="Stays">what would be in the table then, for people, such as <c>nothing was committed</c></param>
internal sealed record PreviewStop(string? Source, long Line, long Record, long? CommittedRecords, string Stays);
