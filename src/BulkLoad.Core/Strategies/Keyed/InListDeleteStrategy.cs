using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// DELETE ... WHERE key IN (...) with about a thousand keys, in the order of the index, each written as its column has it. Needs no rights
/// but DELETE and SELECT, and no table of its own.
/// </summary>
internal sealed class InListDeleteStrategy : ILoadStrategy
{
    private const int BestKeys = 1000;

    public string Name => "in-list-delete";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts);

    public string Describe(LoadFacts facts) => KeyRules.IsOneByOne(facts)
        ? "one key a statement, since the order decides"
        : $"{KeysPerList(facts, RowsPerBatch(facts)):N0} sorted keys a statement, found by "
            + $"{facts.Key!.Index?.Name ?? "reading the table"}, the next ones on their way; needs no rights but DELETE and SELECT";

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfListDelete(facts, KeysPerList(facts, RowsPerBatch(facts))), 1, 1);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfLists;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{KeySql.Of(facts).SampleDelete()} (up to {Plural.Count(KeysPerList(facts, sizes.RowsPerBatch), "key")})",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new InListDeleteSender(
        session, facts, new ListLimits(KeysPerList(facts, sizes.RowsPerBatch), ListLimits.BytesOf(facts, sizes.BytesPerBatch)),
        sizes.RowsPerBatch);

    /// <summary>Tells for each record what its DELETE came to, without taking lists apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts)
    {
        var pipelined = new PipelinedDeleteStrategy { IsForFaults = true };
        return pipelined.FindObstacle(facts) is null ? pipelined : this;
    }

    private static int RowsPerBatch(LoadFacts facts) => (int)KeySizes.OfLists.Rows.Choose(facts.Request.RowsPerBatch).Value;

    private static int KeysPerList(LoadFacts facts, int rowsPerBatch) =>
        KeyRules.IsOneByOne(facts) ? 1 : Math.Min(Math.Min(BestKeys, rowsPerBatch), facts.Key!.MostListKeys);
}

/// <summary>
/// DELETEs of lists of keys, one sent behind the other. Where one deletes fewer rows than it has keys they are undone: those before it go
/// again, and of its own keys the server is asked which have rows. Where keys are missing it is asked first from then on, as long as they
/// are.
/// </summary>
internal sealed class InListDeleteSender : KeyedSender<KeyBatch>
{
    /// <summary>A list keeps the server busy for milliseconds: these last for the time that an answer takes on a slow route.</summary>
    private const int ListsUnderWay = 16;

    private readonly KeySql _sql;
    private readonly long _maxPacket;
    private readonly bool _isUnique;
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly FoundKeys _found;
    private readonly Pipeline _pipeline = new(mostStatements: ListsUnderWay);

    /// <summary>Lists to send without a look at the answers: fewer where keys have been missing.</summary>
    private int _ahead = int.MaxValue;
    private int _complete;
    private bool _looksFirst;

    /// <param name="facts">with a key</param>
    public InListDeleteSender(IServerSession session, LoadFacts facts, ListLimits limits, int rowsPerBatch)
        : this(session, facts, limits, rowsPerBatch, KeySql.Of(facts))
    {
    }

    private InListDeleteSender(IServerSession session, LoadFacts facts, ListLimits limits, int rowsPerBatch, KeySql sql)
        : base(session, rowsPerBatch, () => new KeyBatch(sql, KeyOrder.OfSets(facts), limits))
    {
        _sql = sql;
        _found = new FoundKeys(sql);
        _maxPacket = facts.Server.MaxAllowedPacket;
        _isUnique = facts.Key!.IsUnique;
        _looksFirst = !_isUnique && limits.Keys > 1;
    }

    protected override async ValueTask<BatchOutcome> SendAsync(KeyBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        if (FindTooLarge(batch) is { } tooLarge)
        {
            return tooLarge;
        }

        var taken = new RowCounts { Superseded = batch.Superseded };
        var missing = new List<int>();
        if (_looksFirst)
        {
            await Session.ExecuteAsync(TransactionSql.Savepoint(0), cancellationToken);
        }

        var shortOne = batch.ListCount;
        for (var next = 0; next < batch.ListCount;)
        {
            var looks = _looksFirst || next == shortOne;
            var lists = looks ? 1 : Math.Min(_ahead, (shortOne > next ? shortOne : batch.ListCount) - next);
            try
            {
                var (found, refusal) = looks
                    ? await LookAndDeleteAsync(batch, next, missing, onSent, cancellationToken)
                    : await SendListsAsync(batch, next, lists, missing, onSent, cancellationToken);
                onSent = static () => { };
                if (refusal is not null)
                {
                    await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
                    return refusal;
                }

                if (found is { } settled)
                {
                    taken += settled;
                    next += lists;
                }
                else
                {
                    shortOne = next + _complete;
                }
            }
            catch (ServerException fault)
                when ((BatchRefusals.AreAboutRows(fault) || fault.Code == KeySql.NoIndexForList) && Session.IsUsable)
            {
                // The statement has undone itself; the lists before it and behind it have not.
                await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
                return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
            }
        }

        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing };
    }

    /// <summary>
    /// Deletes the rows of lists, one sent behind the other. Where one comes short they are all undone, and <see cref="_complete"/> says
    /// how many before it did not.
    /// </summary>
    /// <param name="first">0-based number</param>
    /// <param name="missing">takes the rows whose key is not there</param>
    /// <param name="onSent">called once the first ones are on their way</param>
    /// <returns>neither: they were undone, and come again</returns>
    private async ValueTask<(RowCounts? Taken, BatchRefusal? Refusal)> SendListsAsync(
        KeyBatch batch, int first, int count, List<int> missing, Action onSent, CancellationToken cancellationToken)
    {
        // The batch's own mark, or one behind what is settled of it.
        var turn = first == 0 ? 0 : 1;
        _pipeline.Clear();
        _pipeline.Add(TransactionSql.SavepointBytes(turn));
        for (var list = first; list < first + count; list++)
        {
            _pipeline.Add(batch.Statement(list).Span);
        }

        await PipelineFaults.RunAsync(Session, _pipeline, onSent, cancellationToken);
        if (_pipeline.Faults.Count > 0)
        {
            throw _pipeline.Faults[0].Error;
        }

        var (taken, alone) = (default(RowCounts), new List<int>());
        for (var i = 0; i < count; i++)
        {
            var answer = _pipeline.Answers[i + 1];
            var keys = batch.CountOf(first + i);
            if (answer.Warnings > 0 || (_isUnique && answer.AffectedRows > (ulong)keys))
            {
                return (null, await RefuseAsync(answer, keys, batch.RowCount, cancellationToken));
            }

            if (keys == 1 && answer.AffectedRows != 1)
            {
                // A key that stands alone needs no question.
                taken += new RowCounts { Deleted = answer.AffectedRows == 0 ? 0 : 1, DeletedRows = (long)answer.AffectedRows };
                if (answer.AffectedRows == 0)
                {
                    alone.Add(batch.Row(first + i, 0));
                }
            }
            else if (answer.AffectedRows == (ulong)keys)
            {
                taken += new RowCounts { Deleted = keys, DeletedRows = keys };
            }
            else
            {
                await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(turn), cancellationToken);
                (_complete, _ahead) = (i, Math.Max(1, i));
                return (null, null);
            }
        }

        _ahead = (int)Math.Min(_ahead * 2L, int.MaxValue);
        missing.AddRange(alone);
        return (taken, null);
    }

    private async ValueTask<(RowCounts? Taken, BatchRefusal? Refusal)> LookAndDeleteAsync(
        KeyBatch batch, int list, List<int> missing, Action onSent, CancellationToken cancellationToken)
    {
        onSent();
        var count = batch.CountOf(list);
        await _found.LookAsync(Session, count, (key, column) => batch.Value(list, key, column), _text, cancellationToken);
        _found.AddMissing(count, key => batch.Row(list, key), missing);
        _looksFirst = !_isUnique || _found.Count < count;
        var rows = _found.KeepFirst(key => batch.Row(list, key));
        var keys = _found.Keys;
        if (keys.Count > 0)
        {
            _text.ResetWrittenCount();
            _sql.WriteDelete(keys.Count, (key, column) => batch.Value(list, keys[key], column), _text);
            var answer = await Session.ExecuteAsync(null, _text.WrittenMemory, cancellationToken);
            if (answer.Warnings > 0 || answer.AffectedRows != (ulong)rows)
            {
                return (null, await RefuseAsync(answer, rows, batch.RowCount, cancellationToken));
            }
        }

        return (new RowCounts { Deleted = keys.Count, Superseded = _found.Count - keys.Count, DeletedRows = rows }, null);
    }

    /// <summary>The warnings can be asked for where nothing came behind them.</summary>
    private async ValueTask<BatchRefusal> RefuseAsync(OkResult answer, long expected, int rows, CancellationToken cancellationToken)
    {
        var sent = (int)Math.Min(expected, int.MaxValue);
        return rows > 1 ? BatchRefusals.OfCounts(answer, sent) : await BatchRefusals.AskAsync(Session, answer, sent, cancellationToken);
    }

    private BatchRefusal? FindTooLarge(KeyBatch batch)
    {
        for (var list = 0; list < batch.ListCount; list++)
        {
            if (batch.Statement(list).Length >= _maxPacket)
            {
                return BatchRefusals.OfSize(
                    batch.Statement(list).Length, _maxPacket, "raise that", batch.CountOf(list) == 1 ? batch.Row(list, 0) : null);
            }
        }

        return null;
    }
}
