using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Server;
using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Sending;

/// <summary>Adds to a fault that ended a run what is in the table now, and what the user can do.</summary>
/// <param name="table">its name, for people</param>
/// <param name="isOneSource">whether record numbers need no file name</param>
/// <param name="unnamedJob">the ledger's name of a job that another start resumes only if the user names it; null: the same command is the
/// same job</param>
/// <param name="primary">host and port of the server that takes changes in place of the one that was reached last; null: not known</param>
internal sealed class RunFaults(
    LoadRequest request, RejectLog rejects, CommittedState committed, string table, bool isOneSource, int retries = 0,
    string? unnamedJob = null, string? primary = null)
{
    public static bool IsExplained(Exception fault) =>
        fault is BulkLoadException or RefusedRecordException or AlteredTableException or ChannelClosedException or OutOfMemoryException;

    public static bool IsOfRejects(Exception fault) =>
        fault is RefusedRecordException or ChannelClosedException { InnerException: RefusedRecordException };

    public Exception Explain(Exception fault)
    {
        var told = fault switch
        {
            ChannelClosedException { InnerException: { } inner } => Explain(inner),
            RefusedRecordException refused => new RejectLimitException(refused.Message),
            AlteredTableException altered => new PlanException(altered.Message),
            ServerException { Kind: FaultKind.Configuration } server => new PlanException($"the server refused: {server.Message}", server),
            ServerException server => new ServerException($"{server.Message}{Advice(server)}{Tried}", server),
            ConnectException lost => new ServerException(FaultKind.SessionLost, $"{lost.Message}{Tried}", lost),
            OutOfMemoryException when request.MaxMemory is { } most => MemoryPlan.Exceeded(most, fault),
            MappingException { Missing: var (message, _) } => new MappingException(message),
            _ => fault,
        };
        if (told is BulkLoadException { State: null } ended)
        {
            ended.End(
                fault is RefusedRecordException ? $"{Limit}: {Stays}" : Stays,
                !request.Mode.Writes ? null : committed.DescribeChunks(isOneSource), [.. ended.WaysOn, .. WaysOn(fault)]);
        }

        return told;
    }

    /// <summary>For a stop that the user asked for.</summary>
    public (string State, IReadOnlyList<WayOn> WaysOn) DescribeStop() => (Stays, CanGoOn ? [GoOn()] : []);

    private string Stays =>
        !request.Mode.Writes ? CommittedState.DescribeNothing(request)
            : committed.Describe(request.Kind, table, isOneSource, request.KeepsLedger);

    private string Tried => ChunkRetry.DescribeTries(retries);

    private string Limit => request.MaxRejects == RejectLimit.None && rejects.Count == 1 ? "stopped at the first bad record"
        : $"stopped after {Plural.Count(rejects.Count, "reject")}, where --max-rejects is {request.MaxRejects}";

    /// <summary>Whether the job can be resumed; otherwise the same command just begins.</summary>
    private bool CanGoOn => request.Mode.Writes && committed.Unproved is null
        && (committed is { Chunks: > 0, IsInDoubt: false } or { Unknown: not null } || (request.KeepsLedger && committed.IsInDoubt));

    private IEnumerable<WayOn> WaysOn(Exception fault) => fault switch
    {
        RefusedRecordException refused => AfterReject(refused),
        MappingException { Missing: var (_, pair) } => [GoOnWith(pair)],
        AlteredTableException => request.Kind == JobKind.Import && CanGoOn ? [GoOn()] : [],
        ServerException { IsReadOnly: true } when CanGoOn =>
            [primary is null ? GoOn() : new WayOn($"run the same command against {primary} to continue")],
        ServerException { Kind: FaultKind.Configuration } => [],
        MappingException or RequestException or PlanException => [],
        ReconciliationException when committed.Unknown is null => [],
        _ => CanGoOn ? [GoOn()] : [],
    };

    private WayOn GoOn() => committed.Unknown is not null ? new WayOn("look at the table before you continue")
        : unnamedJob is not null ? new WayOn("to continue, with the same input") { Words = ["--job-id", unnamedJob] }
        : request.KeepsLedger ? new WayOn("run the same command to continue")
        : request.Kind switch
        {
            JobKind.Delete => new WayOn("to delete the others") { Words = request.Key.IgnoreMissing ? [] : ["--ignore-missing"] },

            // An expression must not be applied to a row twice.
            JobKind.Update when request.Assignments.Count == 0 => new WayOn("run the same command again"),
            JobKind.Update => new WayOn($"update by {committed.DescribeRest(isOneSource)}"),
            _ => new WayOn($"import {committed.DescribeRest(isOneSource)}"),
        };

    /// <summary>Advice with a pair of <c>--map</c> for an optional field: another field would make another job.</summary>
    private WayOn GoOnWith(string pair) => new(
        request.Mode.IsCheck || committed is { Chunks: 0, IsInDoubt: false, Unknown: null } ? $"if it is optional, write --map {pair}"
        : request.KeepsLedger && committed.Unknown is null
            ? $"if it is optional, write --map {pair}{(unnamedJob is null ? "" : $" and --job-id {unnamedJob}")} to continue; another "
                + "field makes another job, which starts with the first record"
        : committed.Unknown is not null ? "look at the table before you continue"
        : $"if it is optional, write --map {pair}; {GoOn().Purpose}");

    private IEnumerable<WayOn> AfterReject(RefusedRecordException refused)
    {
        if (!request.Mode.Writes)
        {
            yield break;
        }

        if (refused.Reject?.Code == MissingRows.NotFoundCode)
        {
            yield return new WayOn("to pass over keys that no row has") { Words = ["--ignore-missing"] };
        }

        var onward = GoOn();
        yield return (committed.Unknown, committed.Chunks) switch
        {
            (null, 0) => new WayOn("correct the line, and run the same command again"),
            (null, _) when request.KeepsLedger && unnamedJob is null => new WayOn("correct the line, and run the same command to continue"),
            _ => onward with { Purpose = $"correct the line; {onward.Purpose}" },
        };
    }

    private string Advice(ServerException fault) => fault.Error switch
    {
        LockWaitTimeout => "; another session holds rows of this table, SHOW FULL PROCESSLIST may show which",
        LockDeadlock => "; another session works on the same rows",
        MaxPreparedStmtCountReached =>
            "; other sessions hold all prepared statements that the server allows: raise max_prepared_stmt_count, or take --strategy "
            + $"{(request.Kind == JobKind.Delete ? "in-list-delete" : "load-data")}",
        _ when fault.IsOfFullTable => $"; {ServerException.FullText}",
        _ => "",
    };

    /// <summary>Explains the faults of a run by the state at that moment.</summary>
    public static async Task ExplainAsync(Func<Task> run, Func<RunFaults> faults, CancellationToken stop)
    {
        try
        {
            await run();
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && stop.IsCancellationRequested)
        {
            // The user's stop has killed the statement, or closed the session.
            throw new OperationCanceledException(fault.Message, fault, stop);
        }
        catch (Exception fault) when (IsExplained(fault))
        {
            throw faults().Explain(fault);
        }
    }
}
