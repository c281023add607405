using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>The sessions of a run: the lead, which is always there, and those beside it that carry chunks at the same time.</summary>
/// <param name="lead">owned from here on</param>
/// <param name="ledger">takes what is committed; stays the caller's; null: nobody keeps it</param>
/// <param name="columns">asked before a chunk is committed; null: nobody is</param>
internal sealed class WorkerPool(WorkerSession lead, Func<CancellationToken, Task<WorkerSession>> openAsync, JobLedger? ledger, ColumnWatch? columns = null) : IAsyncDisposable
{
    private readonly List<WorkerSession> _others = [];

    /// <summary>The session that does also what is done once.</summary>
    public WorkerSession Lead => lead;

    /// <summary>The lead's line, for a try.</summary>
    public Worker LineOfLead(INarrowed outcome) => LineOf(lead, outcome);

    /// <summary>Opens another session.</summary>
    /// <exception cref="BulkLoadException">the server does not let us</exception>
    public async Task<Worker> OpenLineAsync(INarrowed outcome, CancellationToken cancellationToken)
    {
        var carrier = await openAsync(cancellationToken);
        lock (_others)
        {
            _others.Add(carrier);
        }

        return LineOf(carrier, outcome);
    }

    /// <summary>After a fault: the lead again, with another session where it needs one. The others are opened again when there is work for them.</summary>
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
        WorkerSession[] carriers;
        lock (_others)
        {
            carriers = [lead, .. _others];
        }

        await Task.WhenAll(carriers.Select(carrier => QueryKiller.KillQueryAsync(options, carrier.Server, carrier.Session.Server.ConnectionId, cancellationToken)));
    }

    public async ValueTask DisposeAsync()
    {
        await EndOthersAsync();
        await lead.DisposeAsync();
    }

    private Worker LineOf(WorkerSession carrier, INarrowed outcome) => new(carrier.Session, carrier.Sender, carrier.Narrower, new LedgerEntry(ledger, columns), outcome, carrier.Watch);

    private async Task EndOthersAsync()
    {
        foreach (var carrier in _others)
        {
            await carrier.DisposeAsync();
        }

        _others.Clear();
    }
}
