using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Sends batches of rows that are found by their keys. There are two batches: one is encoded while the other is sent.</summary>
internal abstract class KeyedSender<TBatch>(IServerSession session, LoadFacts facts, int rowsPerBatch) : IBatchSender
    where TBatch : KeyedBatch
{
    private readonly TBatch?[] _batches = new TBatch?[2];
    private int _turn;

    protected IServerSession Session { get; } = session;

    protected LoadFacts Facts { get; } = facts;

    protected long MaxPacket { get; } = facts.Server.MaxAllowedPacket;

    public EncodedBatch Encode(RowBlock block, int from, int max)
    {
        var batch = _batches[_turn++ & 1] ??= CreateBatch();
        batch.Fill(block, from, CountRows(block, from, max));
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

    /// <param name="batch">has at least one key</param>
    /// <inheritdoc cref="IBatchSender.SendAsync"/>
    protected abstract ValueTask<BatchOutcome> SendAsync(TBatch batch, Action onSent, CancellationToken cancellationToken);

    protected virtual int CountRows(RowBlock block, int from, int max) => Math.Min(Math.Min(max, block.RowCount - from), rowsPerBatch);

    /// <summary>Undoes a batch because of an answer. Asks for warnings only if the record was alone: nothing came after it.</summary>
    /// <param name="sent">number of rows that the statement should find</param>
    /// <exception cref="ReconciliationException">the engine cannot roll back</exception>
    protected async ValueTask<BatchRefusal> UndoAsync(KeyedBatch batch, OkResult answer, long sent, CancellationToken cancellationToken)
    {
        var refusal = batch.RowCount > 1
            ? BatchRefusals.OfCounts(answer, sent)
            : await BatchRefusals.AskAsync(Session, answer, sent, cancellationToken);
        if (!Facts.Table.UndoesBatches)
        {
            throw BatchRefusals.NotUndone(refusal);
        }

        await RollBackAsync(cancellationToken);
        return refusal;
    }

    /// <summary>Undoes a batch of which a statement has failed: that one has undone itself, those before it have not. The failing row is
    /// not named, since its rows have another order than the batch's.</summary>
    protected async ValueTask<BatchRefusal> UndoAsync(KeyedBatch batch, ServerException fault, CancellationToken cancellationToken)
    {
        await RollBackAsync(cancellationToken);
        return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
    }

    protected ValueTask<OkResult> RollBackAsync(CancellationToken cancellationToken) =>
        Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);

    protected BatchRefusal TooLarge(long bytes, int? row) => BatchRefusals.OfSize(bytes, MaxPacket, "raise that", row);
}

internal abstract class KeyedBatch(KeyOrder keys) : EncodedBatch
{
    public int KeyCount => Keys.Count;

    /// <summary>Number of rows that are not sent, since another one with the same key is.</summary>
    public int Superseded => Keys.Repeated;

    protected KeyOrder Keys { get; } = keys;

    /// <returns>0-based in the batch</returns>
    public int Row(int key) => Keys.Row(key);

    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        Keys.Fill(block, from, rows);
        Encode();
    }

    /// <summary>Encodes all keys; replaces what was encoded before.</summary>
    protected abstract void Encode();
}

internal static class KeySizes
{
    public static SizeRange Bytes { get; } = new(
        "bytes-per-batch", 1024 * 1024, "little to undo when a batch fails", int.MaxValue, "the program");

    public static (SizeRange Rows, SizeRange Bytes) OfLists { get; } =
        (new SizeRange("rows-per-batch", 100_000, "sorted together: neighbours lie on the same pages", int.MaxValue, "the program"), Bytes);

    public static (SizeRange Rows, SizeRange Bytes) OfRows { get; } =
        (new SizeRange("rows-per-batch", 10_000, "long enough that the server never waits", int.MaxValue, "the program"), Bytes);
}
