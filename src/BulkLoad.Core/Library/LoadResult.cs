using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad;

/// <summary>What a job has done.</summary>
public sealed record LoadResult
{
    internal LoadResult(LoadReport report, Func<string, string> reword)
    {
        (Counts, Chunks, Batches, Retries) = (report.Counts, report.Chunks, report.Batches, report.Retries);
        (Job, EarlierCounts, Elapsed) = (report.Job, report.EarlierCounts, report.Elapsed);
        IsNothingNew = report.Outcome == LoadOutcome.AlreadyComplete;
        Strategy = report.Plan?.Strategy;
        RejectsByReason = report.RejectsByReason;
        Notes = [.. new[] { report.Headline }.OfType<string>().Concat(report.Notes).Select(reword)];
        Waits = [.. report.Waits.Select(wait => new KeyValuePair<string, TimeSpan>(wait.Reason, wait.Time))];
    }

    /// <summary>Records by what became of them; of a resumed job all of its runs together.</summary>
    public LoadCounts Counts { get; }

    /// <summary>The part of <see cref="Counts"/> that earlier runs of the job have done.</summary>
    public LoadCounts EarlierCounts { get; }

    /// <summary>Whether earlier runs had done everything already.</summary>
    public bool IsNothingNew { get; }

    /// <summary>Committed transactions.</summary>
    public long Chunks { get; }

    /// <summary>Committed statements or packets that carried rows.</summary>
    public long Batches { get; }

    /// <summary>How often a chunk was sent again.</summary>
    public int Retries { get; }

    /// <summary>The strategy that carried the rows; null: the job ended before it was chosen.</summary>
    public string? Strategy { get; }

    /// <summary>The job's name in the ledger; null: it has none.</summary>
    public string? Job { get; }

    /// <summary>Refused records by reason, such as <c>out-of-range</c>.</summary>
    public IReadOnlyDictionary<string, long> RejectsByReason { get; }

    /// <summary>How long the job has waited for others, by reason.</summary>
    public IReadOnlyList<KeyValuePair<string, TimeSpan>> Waits { get; }

    /// <summary>Choices and guesses of the job, for people.</summary>
    public IReadOnlyList<string> Notes { get; }

    /// <summary>From the first connection to the last answer.</summary>
    public TimeSpan Elapsed { get; }
}

/// <summary>A record that was refused, and changed nothing.</summary>
public sealed record RejectedRow
{
    internal RejectedRow(Reject reject, object? row, string message)
    {
        (Row, Record, Line) = (row, reject.Record, reject.Line);
        (Column, Reason, ServerErrorNumber, Message) = (reject.Column, reject.Code, reject.ServerCode, message);
    }

    /// <summary>The object itself; of a file, null.</summary>
    public object? Row { get; }

    /// <summary>The 1-based number of the record among those of the job.</summary>
    public long Record { get; }

    /// <summary>The 0-based index of the object among those of the job.</summary>
    public long Index => Record - 1;

    /// <summary>Of a file, the 1-based line on which the record starts; 0: it has no lines.</summary>
    public long Line { get; }

    /// <summary>The column at fault, or null.</summary>
    public string? Column { get; }

    /// <summary>A stable word, such as <c>out-of-range</c> (docs/codes.md).</summary>
    public string Reason { get; }

    /// <summary>The server's error number, or 0: it was refused before it was sent.</summary>
    public int ServerErrorNumber { get; }

    /// <summary>Why, for people.</summary>
    public string Message { get; }
}

/// <summary>The id that the server has generated for an inserted row.</summary>
public readonly record struct GeneratedId
{
    internal GeneratedId(object? row, string source, long record, ulong id) => (Row, Source, Record, Id) = (row, source, record, id);

    /// <summary>The object itself; of a file, null.</summary>
    public object? Row { get; }

    /// <summary>The name of the file or stream that has the record; of an object, its type's.</summary>
    public string Source { get; }

    /// <summary>The 1-based number of the record in <see cref="Source"/>; of an object, among those of the job.</summary>
    public long Record { get; }

    /// <summary>The 0-based index of the object among those of the job.</summary>
    public long Index => Record - 1;

    /// <summary>The value of the AUTO_INCREMENT column; above 0.</summary>
    public ulong Id { get; }
}

/// <summary>A job failed after it had begun: <see cref="Result"/> says what is committed.</summary>
public sealed class LoadFailedException : BulkLoadException
{
    internal LoadFailedException(BulkLoadException cause, string message, LoadResult result)
        : base(message, cause.InnerException)
    {
        (ErrorCode, ServerErrorNumber, Result) = (cause.ErrorCode, cause.ServerErrorNumber, result);
        (State, Committed) = (cause.State, cause.Committed);
    }

    /// <inheritdoc/>
    public override BulkErrorCode ErrorCode { get; }

    /// <inheritdoc/>
    public override int ServerErrorNumber { get; }

    /// <summary>What the job has done before it failed.</summary>
    public LoadResult Result { get; }
}

/// <summary>A job was cancelled: its open chunk was undone, and <see cref="Result"/> says what is committed.</summary>
public sealed class LoadCanceledException : OperationCanceledException
{
    internal LoadCanceledException(LoadResult result, CancellationToken token)
        : base("the job was cancelled", token) => Result = result;

    /// <summary>What the job has done before it was cancelled.</summary>
    public LoadResult Result { get; }
}

/// <summary>What a job would do.</summary>
public sealed record BulkPlan
{
    internal BulkPlan(LoadPlan plan, Func<string, string> reword)
    {
        (Table, Strategy) = (plan.Table, plan.Strategy);
        Strategies = [.. plan.Verdicts.Select(one => new BulkVerdict(one.Strategy, one.IsFit, reword(one.Reason)))];
        Columns = [.. plan.Columns.Where(one => one.Column is not null).Select(one => one.Column!)];
        Notes = [.. plan.Notes.Select(reword)];
        Server = $"{plan.Server.Kind} {plan.Server.Version}";
    }

    /// <summary><c>database.table</c>.</summary>
    public string Table { get; }

    /// <summary>Kind and version of the server.</summary>
    public string Server { get; }

    /// <summary>The strategy that would carry the rows.</summary>
    public string? Strategy { get; }

    /// <summary>All strategies, with the reason why each would serve or not; the chosen one first.</summary>
    public IReadOnlyList<BulkVerdict> Strategies { get; }

    /// <summary>The columns that records fill.</summary>
    public IReadOnlyList<string> Columns { get; }

    /// <summary>Choices and guesses, for people.</summary>
    public IReadOnlyList<string> Notes { get; }
}

/// <summary>Why a strategy would carry the rows, or would not.</summary>
/// <param name="Strategy">its name</param>
/// <param name="IsFit">whether it can keep every promise here</param>
/// <param name="Reason">for people</param>
public sealed record BulkVerdict(string Strategy, bool IsFit, string Reason);
