using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Sends batches of rows that are found by their keys. Two take turns: one is encoded while the other is under way.</summary>
internal abstract class KeyedSender<TBatch>(IServerSession session, LoadFacts facts, int rowsPerBatch) : IBatchSender
    where TBatch : KeyedBatch
{
    private readonly TBatch?[] _batches = new TBatch?[2];
    private int _turn;

    protected IServerSession Session { get; } = session;

    protected LoadFacts Facts { get; } = facts;

    protected long MaxPacket { get; } = facts.Server.MaxAllowedPacket;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1] ??= CreateBatch();
        batch.Fill(block, from, CountRows(block, from, most));
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var keyed = (TBatch)batch;
        if (keyed.KeyCount > 0)
        {
            return await SendAsync(keyed, onSent, cancellationToken);
        }

        onSent();
        return new RowCounts { Superseded = keyed.Superseded };
    }

    public ValueTask DisposeAsync() => Prepared?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <summary>Closed with the sender; null: it prepares nothing.</summary>
    protected virtual LazyStatement? Prepared => null;

    protected abstract TBatch CreateBatch();

    /// <param name="batch">with at least one key</param>
    /// <inheritdoc cref="IBatchSender.SendAsync"/>
    protected abstract ValueTask<BatchOutcome> SendAsync(TBatch batch, Action onSent, CancellationToken cancellationToken);

    protected virtual int CountRows(RowBlock block, int from, int most) => Math.Min(Math.Min(most, block.RowCount - from), rowsPerBatch);

    /// <summary>Undoes a batch over a statement's answer. The warnings are asked for where the record is alone: nothing came
    /// behind.</summary>
    /// <param name="sent">rows that the statement was to find</param>
    /// <exception cref="ReconciliationException">the engine cannot roll back</exception>
    protected async ValueTask<BatchRefusal> UndoAsync(KeyedBatch batch, OkResult answer, long sent, CancellationToken cancellationToken)
    {
        var refusal = batch.RowCount > 1
            ? BatchRefusals.OfCounts(answer, sent)
            : await BatchRefusals.AskAsync(Session, answer, sent, cancellationToken);
        if (!Facts.Table.IsTransactional)
        {
            throw BatchRefusals.NotUndone(refusal);
        }

        await RollBackAsync(cancellationToken);
        return refusal;
    }

    /// <summary>Undoes a batch of which a statement has failed, and so undone itself; those before it have not. Its rows have another order
    /// than the batch's.</summary>
    protected async ValueTask<BatchRefusal> UndoAsync(KeyedBatch batch, ServerException fault, CancellationToken cancellationToken)
    {
        await RollBackAsync(cancellationToken);
        return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
    }

    protected ValueTask<OkResult> RollBackAsync(CancellationToken cancellationToken) =>
        Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);

    protected BatchRefusal TooLarge(long bytes, int? row) => BatchRefusals.OfSize(bytes, MaxPacket, "raise that", row);
}

/// <summary>Rows of a block in the order of their keys, in the form in which they are sent.</summary>
internal abstract class KeyedBatch(KeyOrder keys) : EncodedBatch
{
    public int KeyCount => Keys.Count;

    /// <summary>Rows that are not sent, since another one with the same key is.</summary>
    public int Superseded => Keys.Repeated;

    protected KeyOrder Keys { get; } = keys;

    /// <summary>The row of a key, 0-based in the batch.</summary>
    public int Row(int key) => Keys.Row(key);

    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        Keys.Fill(block, from, rows);
        Encode();
    }

    /// <summary>Encodes all keys, instead of what was encoded before.</summary>
    protected abstract void Encode();
}

/// <summary>How much goes together where rows are found by their keys.</summary>
internal static class KeySizes
{
    /// <summary>Bytes of a batch, whatever its statements.</summary>
    public static SizeRange Bytes { get; } = new(
        "bytes-per-batch", 1024 * 1024, "little to undo when a batch fails", int.MaxValue, "the program");

    /// <summary>Batches that go as lists.</summary>
    public static (SizeRange Rows, SizeRange Bytes) OfLists { get; } =
        (new SizeRange("rows-per-batch", 100_000, "sorted together: neighbours lie on the same pages", int.MaxValue, "the program"), Bytes);

    /// <summary>Batches that go as one statement a row.</summary>
    public static (SizeRange Rows, SizeRange Bytes) OfRows { get; } =
        (new SizeRange("rows-per-batch", 10_000, "long enough that the server never waits", int.MaxValue, "the program"), Bytes);
}
