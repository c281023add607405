using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>Makes a fault that ended a run into a message that says what stays and how to go on.</summary>
/// <param name="isOneSource">whether record numbers need no file name</param>
/// <param name="unnamedJob">the ledger's name of a job that another start has only if the user says so; null: the same command is the same
/// job</param>
internal sealed class RunFaults(
    LoadRequest request, RejectLog rejects, CommittedState committed, bool isOneSource, int retries = 0, string? unnamedJob = null)
{
    public static bool IsExplained(Exception fault) =>
        fault is BulkLoadException or RefusedRecordException or AlteredTableException or ChannelClosedException or OutOfMemoryException;

    public static bool IsOfRejects(Exception fault) =>
        fault is RefusedRecordException or ChannelClosedException { InnerException: RefusedRecordException };

    public Exception Explain(Exception fault)
    {
        var stays = Stays;
        var canGoOn = !request.IsPreview && committed is { Unproved: null }
            && (committed is { Chunks: > 0, IsInDoubt: false } or { Unknown: not null } || (request.KeepsLedger && committed.IsInDoubt));
        var ending = canGoOn ? $"({stays}; {GoOn()})" : $"({stays})";
        return fault switch
        {
            ChannelClosedException { InnerException: { } inner } => Explain(inner),
            RefusedRecordException refused => ExplainRejects(refused, stays),
            AlteredTableException altered =>
                new PlanException($"{altered.Message} {(request.Kind == JobKind.Import ? ending : $"({stays})")}"),
            ServerException server when server.Kind == FaultKind.Configuration =>
                new PlanException($"the server refused: {server.Message} ({stays})", server),
            ServerException server => new ServerException($"{server.Message}{Advice(server)}{Tried} {ending}", server),
            ConnectException lost => new ServerException(FaultKind.SessionLost, $"{lost.Message}{Tried} {ending}", lost),
            StoppedException stopped => new StoppedException($"{stopped.Message} {ending}"),
            OutOfMemoryException when request.MaxMemory is { } most => MemoryPlan.Exceeded(most, ending, fault),
            TempFileException file => new TempFileException($"{file.Message} {ending}", file),
            MappingException { Missing: var (message, pair) } =>
                new MappingException($"{message} ({stays}; if it is optional, {GoOnWith(pair)})"),
            InputException input => new InputException($"{input.Message} {ending}", input),
            RejectFileException output => new RejectFileException($"{output.Message} {ending}", output),
            ReconciliationException counts =>
                new ReconciliationException(
                    $"{counts.Message} {(committed.Unknown is null ? $"({stays})" : ending)}")
                { IsOfContent = counts.IsOfContent },
            _ => fault,
        };
    }

    /// <summary>What a stop that the user asked for leaves, and how to go on.</summary>
    public string DescribeStop() =>
        !request.IsCheck && !request.IsPreview && (committed.Chunks > 0 || committed.IsInDoubt || committed.Unknown is not null)
        ? $"{Stays}; {GoOn()}"
        : Stays;

    private string Stays =>
        request.IsCheck || request.IsPreview
            ? $"a {(request.IsCheck ? "check" : "preview")} leaves the table as it was"
            : committed.Describe(isOneSource, request.KeepsLedger);

    private string Tried => ChunkRetry.DescribeTries(retries);

    /// <summary>How what is not committed is done.</summary>
    /// <param name="with">an option that the command must have too; empty: none</param>
    private string GoOn(string with = "")
    {
        var (also, option) = with.Length == 0 ? ("", "") : ($"{with} ", $" with {with}");
        var command = $"run the same command{(with.Length == 0 ? " again" : option)}";
        return committed.Unknown is not null ? "look at the table before you continue"
            : unnamedJob is not null ? $"run the same command with {also}--job-id {unnamedJob} and the same input to resume"
            : request.KeepsLedger ? $"{command} to resume" : request.Kind switch
            {
                JobKind.Delete => $"run the same command again with {also}--ignore-missing",

                // What an expression made of a row is not made of it twice.
                JobKind.Update when request.Assignments.Count == 0 => command,
                JobKind.Update => $"update by what follows{option}",
                _ => $"import what follows{option}",
            };
    }

    /// <summary>The same with a pair of <c>--map</c> for a field that need not be there: another field would make another job.</summary>
    private string GoOnWith(string pair) =>
        request.IsCheck || committed is { Chunks: 0, IsInDoubt: false, Unknown: null } ? $"write --map {pair}"
        : request.KeepsLedger && committed.Unknown is null
            ? $"{GoOn($"--map {pair}")} after them; another field makes another job, which starts with the first record"
        : GoOn($"--map {pair}");

    private string Advice(ServerException fault) => fault.Code switch
    {
        1205 => "; another session holds rows of this table, SHOW FULL PROCESSLIST may show which",
        1213 => "; another session works on the same rows",
        1461 => $"; other sessions hold all prepared statements that the server allows: raise max_prepared_stmt_count, or take --strategy "
            + $"{(request.Kind == JobKind.Delete ? "in-list-delete" : "load-data")}",
        1114 => "; the server's disk or the table's space is full",
        _ => "",
    };

    private RejectLimitException ExplainRejects(RefusedRecordException refused, string stays)
    {
        var orIgnore = refused.Reject?.Code == MissingRows.NotFoundCode ? ", or add --ignore-missing," : "";
        var goOn = (request.KeepsLedger && committed.Chunks > 0) || committed.Unknown is not null
            ? $"correct the line{orIgnore} and {GoOn()}"
            : committed.Chunks == 0 ? $"correct the line{orIgnore} and run the same command again" : $"correct the line and {GoOn()}";
        return new RejectLimitException(
            $"{refused.Message} ({rejects.Count} {Plural.For(rejects.Count, "reject")} of {request.MaxRejects} allowed; {stays}; {goOn})");
    }

    /// <summary>Runs something whose faults are explained, by what is so at that moment.</summary>
    public static async Task ExplainAsync(Func<Task> run, Func<RunFaults> faults, CancellationToken stop)
    {
        try
        {
            await run();
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && stop.IsCancellationRequested)
        {
            // The statement was killed, or the session closed, by the stop that the user asked for.
            throw new OperationCanceledException(fault.Message, fault, stop);
        }
        catch (Exception fault) when (IsExplained(fault))
        {
            throw faults().Explain(fault);
        }
    }
}
