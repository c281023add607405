using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sending.Verifying;
using BulkLoad.Core.Server;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>The session that carries the chunks with its senders; another one is opened where it is lost.</summary>
/// <param name="session">the first one</param>
/// <param name="isOwned">whether that session ends with this; else it stays the caller's</param>
/// <param name="connect">opens another one, set up as the first</param>
internal sealed class WorkerSession(
    LoadDecision decision, LoadFacts facts, IServerSession session, ServerFacts server, bool isOwned,
        Func<CancellationToken, Task<ReadySession>> connect) : IAsyncDisposable
{
    private readonly ILoadStrategy _strategy = decision.Strategy
        ?? throw new ArgumentException("a worker needs a strategy", nameof(decision));
    private bool _isOwned = isOwned;
    private IBatchSender? _sender;
    private IBatchSender? _narrower;

    public IServerSession Session { get; private set; } = session;

    /// <summary>What its server said of itself.</summary>
    public ServerFacts Server { get; private set; } = server;

    /// <summary>What the session's answers say of its transaction; null: nobody watches them, or the table has none.</summary>
    public TransactionWatch? Watch => facts.Table.IsTransactional ? Session.Transaction : null;

    public IBatchSender Sender => _sender ??= Create(_strategy);

    /// <summary>Takes refused batches apart; may be the same.</summary>
    public IBatchSender Narrower => _strategy.NarrowsBy(facts) is var other && other == _strategy ? Sender : _narrower ??= Create(other);

    /// <summary>Gives up the senders, and the session where it is lost or <paramref name="isElsewhere"/>.</summary>
    /// <param name="isElsewhere">whether the server that it leads to is of no use any more</param>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndSendersAsync();
        if (Session.IsUsable && !isElsewhere)
        {
            return;
        }

        await Session.DisposeAsync();
        (Session, Server) = await connect(cancellationToken);
        _isOwned = true;
    }

    public async ValueTask DisposeAsync()
    {
        await EndSendersAsync();
        if (_isOwned)
        {
            await Session.DisposeAsync();
        }
    }

    private IBatchSender Create(ILoadStrategy strategy) =>
        WatchedSender.Around(VerifyingSender.Around(strategy.CreateSender(Session, facts, decision.Sizes), Session, facts), Watch);

    private async Task EndSendersAsync()
    {
        await (_narrower?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_sender?.DisposeAsync() ?? ValueTask.CompletedTask);
        (_sender, _narrower) = (null, null);
    }
}
