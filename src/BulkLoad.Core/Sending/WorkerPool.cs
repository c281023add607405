using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>The sessions of a run: the lead, which is always there, and those beside it that carry chunks at the same time.</summary>
/// <param name="lead">owned from here on</param>
/// <param name="ledger">takes what is committed; stays the caller's; null: nobody keeps it</param>
/// <param name="columns">asked before a chunk is committed; null: nobody is</param>
internal sealed class WorkerPool(WorkerSession lead, Func<CancellationToken, Task<WorkerSession>> openAsync, JobLedger? ledger,
    ColumnWatch? columns = null) : IAsyncDisposable
{
    private readonly List<WorkerSession> _others = [];

    /// <summary>The session that does also what is done once.</summary>
    public WorkerSession Lead => lead;

    /// <summary>The lead as a worker, for a try.</summary>
    public Worker LeadWorker(INarrowed outcome) => WorkerOf(lead, outcome);

    /// <summary>Opens another session.</summary>
    /// <exception cref="BulkLoadException">the server does not let us</exception>
    public async Task<Worker> OpenWorkerAsync(INarrowed outcome, CancellationToken cancellationToken)
    {
        var session = await openAsync(cancellationToken);
        lock (_others)
        {
            _others.Add(session);
        }

        return WorkerOf(session, outcome);
    }

    /// <summary>After a fault: the lead again, with another session where it needs one. The others are opened again when there is work for
    /// them.</summary>
    /// <param name="isElsewhere">whether the server that the lead has reached is of no use any more</param>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndOthersAsync();
        await lead.RenewAsync(isElsewhere, cancellationToken);
    }

    /// <summary>Interrupts what the sessions are running.</summary>
    /// <exception cref="BulkLoadException">it cannot be done</exception>
    public async Task KillQueriesAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        WorkerSession[] sessions;
        lock (_others)
        {
            sessions = [lead, .. _others];
        }

        await Task.WhenAll(sessions.Select(
            session => QueryKiller.KillQueryAsync(options, session.Server, session.Session.Server.ConnectionId, cancellationToken)));
    }

    public async ValueTask DisposeAsync()
    {
        await EndOthersAsync();
        await lead.DisposeAsync();
    }

    private Worker WorkerOf(WorkerSession session, INarrowed outcome) =>
        new(session.Session, session.Sender, session.Narrower, new LedgerEntry(ledger, columns), outcome, session.Watch);

    private async Task EndOthersAsync()
    {
        foreach (var session in _others)
        {
            await session.DisposeAsync();
        }

        _others.Clear();
    }
}
