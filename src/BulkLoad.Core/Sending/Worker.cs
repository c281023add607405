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

/// <summary>A session that sends a chunk: its senders, the batch under way, and the chunk's row in the ledger. It is kept from one try to
/// the next, with another session if it has lost the first.</summary>
/// <param name="createSenders">called once for each session</param>
/// <param name="isOwned">whether the first session is disposed of with this; otherwise it stays the caller's</param>
internal sealed class Worker(
    ReadySession ready, Func<IServerSession, SessionSenders> createSenders, LedgerEntry entry, bool isOwned = true) : IAsyncDisposable
{
    private ReadySession _ready = ready;
    private bool _isOwned = isOwned;
    private SessionSenders? _senders;
    private BadRowSearch? _search;
    private long _narrowedBefore;
    private Task<BatchOutcome>? _underWay;
    private (RowBlock Block, int From, int Rows) _sent;

    /// <summary>The last record of the block of which rows were sent last.</summary>
    private (int Source, long Record) _lastBegun;

    public IServerSession Session => _ready.Session;

    public ServerFacts Server => _ready.Server;

    public LedgerEntry Entry => entry;

    public BadRowSearch Search => _search!;

    public long NarrowedBatches => _narrowedBefore + (_search?.Batches ?? 0);

    public bool IsBegun { get; private set; }

    /// <summary>Number of the input, and the last record there, of the rows that were sent last, if their outcome is unknown; null: it is
    /// known.</summary>
    public (int Source, long Record)? Unanswered { get; private set; }

    /// <summary>Number of the input, and the last record there, up to which autocommit may have committed; null: it was off.</summary>
    public (int Source, long Record)? CommittedByItself => _senders?.Watch is { IsAutocommit: true } ? _lastBegun : null;

    private SessionSenders Senders => _senders ??= createSenders(Session);

    /// <summary>Begins a try: no chunk is open.</summary>
    public void Start(INarrowed results)
    {
        _narrowedBefore = NarrowedBatches;
        _search = new BadRowSearch(Senders.Whole, Senders.Narrower, results);
        (IsBegun, _lastBegun) = (false, default);
        entry.Clear();
    }

    /// <summary>Encodes rows of a block, while the batch before may be under way.</summary>
    /// <param name="from">0-based first row</param>
    /// <param name="to">behind the last row that may be in the batch</param>
    public EncodedBatch Encode(RowBlock block, int from, int to) => Senders.Whole.Encode(block, from, to - from);

    /// <summary>Writes the chunk's row in the ledger before anything of the chunk is sent.</summary>
    public async ValueTask BeginAsync(RowBlock block, CancellationToken abort)
    {
        IsBegun = true;
        _lastBegun = (block.Source, block.LastRecord);
        Senders.Watch?.Begin();
        await entry.BeginAsync(Session, block, abort);
        Senders.Watch?.Require();
    }

    /// <summary>Sends a batch, and returns as soon as the server has all of it; see <see cref="AnswerAsync"/>.</summary>
    /// <param name="batch">encoded last; there is no other under way</param>
    /// <param name="from">its first row that is in the batch</param>
    /// <param name="isMoreToCome">whether another batch of the chunk follows at once if this one is accepted</param>
    public async Task SendAsync(EncodedBatch batch, RowBlock block, int from, bool isMoreToCome, CancellationToken abort)
    {
        _sent = (block, from, batch.RowCount);
        Unanswered = (block.Source, block.Record(from + batch.RowCount - 1));
        var sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _underWay = Senders.Whole.SendAsync(batch, isMoreToCome, sent.SetResult, abort).AsTask();
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
        Unanswered = null;
        return new BatchAnswer(_sent.Block, _sent.From, _sent.Rows, outcome);
    }

    /// <summary>Finds the bad records of a batch, and sends the others.</summary>
    public async Task SearchAsync(
        RowBlock block, int from, int to, BatchRefusal? refusal, CancellationToken stop, CancellationToken abort)
    {
        Unanswered = (block.Source, block.Record(to - 1));
        await Search.SendAsync(block, from, to, refusal, stop, abort);
        Unanswered = null;
    }

    /// <summary>Checks before the chunk's COMMIT that its transaction is still the one in which it began. If nothing was begun there is
    /// none.</summary>
    public void EndTransaction()
    {
        if (IsBegun)
        {
            Senders.Watch?.Require();
        }

        Senders.Watch?.End();
    }

    public void Keep()
    {
        IsBegun = false;
        entry.Keep();
    }

    /// <summary>Best effort, without an error, since the first fault is the one to report: if the session is broken the server rolls back
    /// by itself.</summary>
    public async Task RollBackAsync(CancellationToken abort)
    {
        if (_underWay is { } underWay)
        {
            _underWay = null;
            await ((Task)underWay).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        _senders?.Watch?.End();
        if (Session.IsUsable)
        {
            await SendRollBackAsync(abort).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Disposes of the senders, and of the session if it is lost or <paramref name="isElsewhere"/>.</summary>
    /// <param name="isElsewhere">whether the session's server is of no use any more</param>
    public async Task RenewAsync(
        bool isElsewhere, Func<CancellationToken, Task<ReadySession>> connectAsync, CancellationToken cancellationToken)
    {
        await EndSendersAsync();
        if (Session.IsUsable && !isElsewhere)
        {
            return;
        }

        await Session.DisposeAsync();
        _ready = await connectAsync(cancellationToken);
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

    private async Task SendRollBackAsync(CancellationToken abort)
    {
        try
        {
            await Session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
        catch (ServerException) when (Session.IsUsable)
        {
            // An announced load failed in place of the statement.
            await Session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
    }

    private async Task EndSendersAsync()
    {
        var senders = _senders;
        _senders = null;
        await (senders?.DisposeAsync() ?? ValueTask.CompletedTask);
    }
}

/// <param name="Narrower">narrows refused batches; may be the same as <paramref name="Whole"/></param>
/// <param name="Watch">knows whether the chunk's transaction is open; null: nobody does</param>
internal sealed record SessionSenders(IBatchSender Whole, IBatchSender Narrower, TransactionWatch? Watch = null) : IAsyncDisposable
{
    /// <summary>The senders of the chosen strategy, and of the one that finds its bad rows.</summary>
    public static SessionSenders Of(LoadDecision decision, LoadFacts facts, IServerSession session)
    {
        var strategy = decision.Strategy ?? throw new ArgumentException("a worker needs a strategy", nameof(decision));
        var watch = facts.Table.IsTransactional ? session.Transaction : null;
        var usual = Create(strategy);
        var other = strategy.NarrowsBy(facts);
        return new SessionSenders(usual, other == strategy ? usual : Create(other), watch);

        IBatchSender Create(ILoadStrategy by) => new GuardedSender(
            ImageSender.Around(
                VerifyingSender.Around(by.CreateSender(session, facts, decision.Sizes), session, facts), session, facts), session, watch,
            facts.Request.Kind == JobKind.Import ? new ColumnWatch(facts) : null);
    }

    public async ValueTask DisposeAsync()
    {
        if (Narrower != Whole)
        {
            await Narrower.DisposeAsync();
        }

        await Whole.DisposeAsync();
    }
}

/// <summary>Doubts the answers to a batch. Behind a lost transaction they are no word about the rows, whatever the sender makes of them,
/// but a fault. Where a column without a default got no value, the table's columns are looked at again: the plan has seen to all that were
/// there, so that another one has come since then, or a trigger's own statement has failed.</summary>
/// <param name="sender">the strategy at work; owned from here on</param>
/// <param name="watch">null: nobody watches the session</param>
/// <param name="columns">of this session; null: no rows are made</param>
internal sealed class GuardedSender(IBatchSender sender, IServerSession session, TransactionWatch? watch, ColumnWatch? columns)
    : IBatchSender
{
    public EncodedBatch Encode(RowBlock block, int from, int most) => sender.Encode(block, from, most);

    /// <exception cref="AlteredTableException">the rows need a column that they do not have</exception>
    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        BatchOutcome outcome;
        try
        {
            outcome = await sender.SendAsync(batch, isMoreToCome, onSent, cancellationToken);
            if (columns is not null && outcome.Refusal?.Error == ServerError.NoDefaultForField)
            {
                await columns.CheckAsync(session, cancellationToken);
            }
        }
        catch (BulkLoadException fault) when (watch is { IsBroken: true } && fault is not ServerException { EndsTransaction: true })
        {
            throw watch.Fault();
        }

        watch?.Require();
        return outcome;
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();
}

/// <summary>What the server said to a batch.</summary>
/// <param name="From">0-based first one of them</param>
/// <param name="Rows">how many; 0: the block has none, and nothing was sent</param>
internal readonly record struct BatchAnswer(RowBlock Block, int From, int Rows, BatchOutcome Outcome)
{
    /// <summary>Behind the last row.</summary>
    public int To => From + Rows;
}
