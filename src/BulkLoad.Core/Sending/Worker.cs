using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sending.Verifying;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>One session at work on a chunk: the batch under way on it, and the chunk's row in the ledger.</summary>
/// <param name="session">its senders are the only others that use it; stays the caller's</param>
/// <param name="sender">the strategy at work; stays the caller's</param>
/// <param name="narrower">takes refused batches apart; may be the same</param>
/// <param name="entry">writes the chunk down</param>
/// <param name="watch">knows whether the chunk's transaction is open; null: nobody does</param>
internal sealed class Worker(IServerSession session, IBatchSender sender, IBatchSender narrower, LedgerEntry entry, INarrowed results,
    TransactionWatch? watch = null)
{
    private Task<BatchOutcome>? _underWay;
    private (RowBlock Block, int From, int Rows) _sent;

    public IServerSession Session => session;

    public LedgerEntry Entry => entry;

    /// <summary>Takes refused batches of this session apart.</summary>
    public BadRowSearch Search { get; } = new(sender, narrower, results);

    /// <summary>Whether anything of the chunk was sent.</summary>
    public bool IsBegun { get; private set; }

    /// <summary>Whether batches that were taken are so only once <see cref="EndAsync"/> has said it.</summary>
    public bool IsOpen => sender.IsOpen;

    /// <inheritdoc cref="IBatchSender.SpansChunks"/>
    public bool SpansChunks => sender.SpansChunks;

    /// <summary>Encodes rows of a block, while the batch before may be under way.</summary>
    /// <param name="from">0-based first row</param>
    /// <param name="to">behind the last row that may be in the batch</param>
    public EncodedBatch Encode(RowBlock block, int from, int to) => sender.Encode(block, from, to - from);

    /// <summary>Before anything of the chunk is sent: takes its place in the ledger.</summary>
    public async ValueTask BeginAsync(RowBlock block, CancellationToken abort)
    {
        IsBegun = true;
        LastBegun = (block.Source, block.LastRecord);
        watch?.Begin();
        await entry.BeginAsync(session, block, abort);
        watch?.Require();
    }

    /// <summary>Before the chunk's COMMIT: its transaction must be the one that it was begun in.</summary>
    public void EndTransaction()
    {
        watch?.Require();
        watch?.End();
    }

    /// <summary>Number of the input, and the last record there, up to which something may have been committed without this program's doing;
    /// null: nothing can have been.</summary>
    public (int Source, long Record)? CommittedByItself => watch is { IsAutocommit: true } ? LastBegun : null;

    /// <summary>The last record of the block of which rows were sent last.</summary>
    private (int Source, long Record) LastBegun { get; set; }

    /// <summary>Sends a batch, and goes on as soon as the server has all of it: <see cref="AnswerAsync"/>.</summary>
    /// <param name="batch">encoded last; there is no other under way</param>
    /// <param name="from">its first row that is in the batch</param>
    /// <param name="isMoreToCome">whether another batch of the chunk will follow at once if this one is taken</param>
    public async Task SendAsync(EncodedBatch batch, RowBlock block, int from, bool isMoreToCome, CancellationToken abort)
    {
        _sent = (block, from, batch.RowCount);
        var sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _underWay = sender.SendAsync(batch, isMoreToCome, sent.SetResult, abort).AsTask();
        await Task.WhenAny(sent.Task, _underWay);
        entry.Add(block);
    }

    /// <summary>The answer to the batch under way; null: there is none.</summary>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public async ValueTask<BatchAnswer?> AnswerAsync()
    {
        if (_underWay is not { } underWay)
        {
            return null;
        }

        _underWay = null;
        var outcome = await underWay;
        return new BatchAnswer(_sent.Block, _sent.From, _sent.Rows, outcome);
    }

    /// <inheritdoc cref="IBatchSender.EndAsync"/>
    public ValueTask EndAsync(CancellationToken abort) => sender.EndAsync(abort);

    /// <summary>The chunk is committed: what comes next is another one.</summary>
    public void Clear()
    {
        IsBegun = false;
        entry.Keep();
    }

    /// <summary>Best effort, and silent, since the first fault is the one to tell: where the session is broken the server rolls back by
    /// itself.</summary>
    public async Task RollBackAsync(CancellationToken abort)
    {
        if (_underWay is { } underWay)
        {
            _underWay = null;
            await ((Task)underWay).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        watch?.End();
        if (session.IsUsable)
        {
            await SendRollBackAsync(abort).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task SendRollBackAsync(CancellationToken abort)
    {
        try
        {
            await session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
        catch (ServerException) when (session.IsUsable)
        {
            // A load that was announced failed in its place.
            await session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
    }
}

/// <summary>What the server said to a batch.</summary>
/// <param name="From">0-based first one of them</param>
/// <param name="Rows">how many; 0: the block has none, and nothing was sent</param>
internal readonly record struct BatchAnswer(RowBlock Block, int From, int Rows, BatchOutcome Outcome)
{
    /// <summary>Behind the last row.</summary>
    public int To => From + Rows;
}

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
