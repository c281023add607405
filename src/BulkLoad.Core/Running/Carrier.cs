using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Running;

/// <summary>The session that carries the chunks with its senders; another one is opened where it is lost.</summary>
/// <param name="strategy">makes the senders</param>
/// <param name="facts">that it was chosen by</param>
/// <param name="sizes">of its batches</param>
/// <param name="first">stays the caller's</param>
/// <param name="connect">opens another one, set up as the first</param>
internal sealed class Carrier(
    ILoadStrategy strategy, LoadFacts facts, BatchSizes sizes, IServerSession first, Func<CancellationToken, Task<(IServerSession Session, ServerFacts Server)>> connect) : IAsyncDisposable
{
    private readonly IServerSession _first = first;
    private IBatchSender? _sender;
    private IBatchSender? _narrower;

    public IServerSession Session { get; private set; } = first;

    /// <summary>What its server said of itself.</summary>
    public ServerFacts Server { get; private set; } = facts.Server;

    public IBatchSender Sender => _sender ??= strategy.CreateSender(Session, facts, sizes);

    /// <summary>Takes refused batches apart; may be the same.</summary>
    public IBatchSender Narrower => strategy.NarrowsBy(facts) is var other && other == strategy ? Sender : _narrower ??= other.CreateSender(Session, facts, sizes);

    /// <summary>Gives up the senders, and the session where it is lost or <paramref name="isElsewhere"/>.</summary>
    /// <param name="isElsewhere">whether the server that it leads to is of no use any more</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="ConnectException">no other one could be opened</exception>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndSendersAsync();
        if (Session.IsUsable && !isElsewhere)
        {
            return;
        }

        await Session.DisposeAsync();
        (Session, Server) = await connect(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await EndSendersAsync();
        if (Session != _first)
        {
            await Session.DisposeAsync();
        }
    }

    private async Task EndSendersAsync()
    {
        await (_narrower?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_sender?.DisposeAsync() ?? ValueTask.CompletedTask);
        (_sender, _narrower) = (null, null);
    }
}
