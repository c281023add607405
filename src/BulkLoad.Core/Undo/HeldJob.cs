using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Undo;

/// <summary>A job of the ledger whose row stays locked as long as this is open, so that nobody starts the job.</summary>
internal sealed class HeldJob : IAsyncDisposable
{
    private readonly ConnectionOptions _connection;
    private readonly ServerFacts _server;
    private readonly LedgerSql _sql;
    private IServerSession _session;

    private HeldJob(ConnectionOptions connection, ServerFacts server, LedgerSql sql, IServerSession session, FoundJob found) =>
        (_connection, _server, _sql, _session, Found) = (connection, server, sql, session, found);

    public FoundJob Found { get; private set; }

    public string Id => Found.Id;

    public JobRecord Job => Found.Job;

    /// <summary>In the order in which their records were sent.</summary>
    public ChunkList Chunks { get; private set; } = ChunkList.None;

    /// <exception cref="PlanException">there is no such job, or a process runs it</exception>
    public static async Task<HeldJob> OpenAsync(
        ConnectionOptions connection, ServerFacts server, LedgerSql sql, string id, CancellationToken cancellationToken)
    {
        var session = await LedgerSession.OpenAsync(connection, server, cancellationToken);
        try
        {
            var held = new HeldJob(connection, server, sql, session, await LockAsync(session, sql, id, cancellationToken));
            held.Chunks = await LedgerSession.ReadChunksAsync(session, sql, held.Found, cancellationToken);
            LedgerPieces.RequireComplete(held.Chunks, id);
            return held;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    /// <summary>Keeps in the ledger how far the job is undone, and locks it again.</summary>
    /// <param name="mark">null: not at all</param>
    /// <exception cref="PlanException">somebody has forgotten the job, or runs it</exception>
    public async Task MarkAsync(UndoMark? mark, CancellationToken cancellationToken)
    {
        await TryTwiceAsync(
            async () =>
            {
                var marked = Job with { Undo = mark };
                await _session.QueryAllAsync([_sql.UpdateJob(Id, marked.Write()), TransactionSql.Commit], cancellationToken);
                Found = await LockAsync(_session, _sql, Id, cancellationToken);
            },
            cancellationToken);
    }

    /// <summary>The same input can be imported again.</summary>
    public async Task ForgetAsync(CancellationToken cancellationToken)
    {
        try
        {
            await TryTwiceAsync(
                async () => await _session.QueryAllAsync(
                    [.. _sql.DeleteJob(Id, Job.Family, Found.Rows), TransactionSql.Commit], cancellationToken),
                cancellationToken);
        }
        catch (UnknownJobException)
        {
            // The COMMIT was done, and only its answer was lost.
        }
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    /// <summary>The session was idle for as long as the rows took, and may be lost.</summary>
    private async Task TryTwiceAsync(Func<Task> run, CancellationToken cancellationToken)
    {
        try
        {
            await run();
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !cancellationToken.IsCancellationRequested)
        {
            await _session.DisposeAsync();
            _session = await LedgerSession.OpenAsync(_connection, _server, cancellationToken);
            Found = await LockAsync(_session, _sql, Id, cancellationToken);
            var chunks = await LedgerSession.ReadChunksAsync(_session, _sql, Found, cancellationToken);
            if (chunks.Tally != Chunks.Tally)
            {
                throw new PlanException($"job {Id} was continued by another start while the connection to the ledger was lost: its new "
                    + "rows are not in what was looked at; run the same command again");
            }

            await run();
        }
    }

    private static async Task<FoundJob> LockAsync(
        IServerSession session, LedgerSql sql, string id, CancellationToken cancellationToken)
    {
        try
        {
            if (await LedgerSession.LockAsync(session, sql, id, cancellationToken) is { } details)
            {
                return await new LedgerView(sql, session, holds: true, cancellationToken).CompleteAsync(FoundJob.Read([id, details]));
            }
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // No ledger: no job.
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            throw new PlanException($"the ledger {sql.DisplayName} cannot be used: {fault.Message}", fault);
        }

        throw new UnknownJobException($"the ledger {sql.DisplayName} knows no job {id}: 'bulkload jobs' lists them");
    }

    private sealed class UnknownJobException(string message) : PlanException(message);
}
