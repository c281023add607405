using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// UPDATEs joined with rows in the statement itself, a thousand or so, in the order of the index, each value written as its column has it.
/// Needs no rights but UPDATE and SELECT, and no table of its own.
/// </summary>
internal sealed class InlineJoinStrategy : ILoadStrategy
{
    private const int BestRows = 1000;

    public string Name => "inline-join";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts);

    public string Describe(LoadFacts facts) =>
        $"{RowsOfUsualList(facts):N0} sorted rows a statement, found by {facts.Key!.Index?.Name ?? "reading the table"}; a third of the "
            + "server's work for single ones, and no rights but UPDATE and SELECT";

    /// <summary>Measured with three values a row (docs/strategies.md).</summary>
    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfListUpdate(facts, RowsOfUsualList(facts)), 1, 1);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfLists;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{new UpdateSql(facts).SampleList()} (up to {Plural.Count(RowsPerList(sizes.RowsPerBatch), "row")} in the list)",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new InlineJoinSender(
        session, facts, new ListLimits(RowsPerList(sizes.RowsPerBatch), ListLimits.BytesOf(facts, sizes.BytesPerBatch)),
        sizes.RowsPerBatch);

    /// <summary>Tells for each record what its UPDATE came to, without taking lists apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();

    /// <summary>Rows of a list at the size of the records in the samples, each value as long again where it stands as a literal.</summary>
    private static int RowsOfUsualList(LoadFacts facts)
    {
        var (rows, bytes) = KeySizes.OfLists;
        var most = ListLimits.BytesOf(facts, bytes.Choose(facts.Request.BytesPerBatch).Value);
        return (int)Math.Clamp(most / (2 * facts.RecordBytes), 1, RowsPerList((int)rows.Choose(facts.Request.RowsPerBatch).Value));
    }

    private static int RowsPerList(int rowsPerBatch) => Math.Min(BestRows, rowsPerBatch);
}

/// <summary>
/// UPDATEs by lists of rows, all of a batch on their way at once. Where one finds fewer rows than it has records, the batch is undone, and
/// the server is asked list by list which keys have rows; where keys are missing, it is asked first from then on, as long as they are.
/// </summary>
internal sealed class InlineJoinSender : KeyedSender<UpdateBatch>
{
    private readonly UpdateSql _sql;
    private readonly FoundKeys _found;
    private readonly long _maxPacket;
    private readonly bool _tellsChanges;
    private readonly ArrayBufferWriter<byte> _text = new();
    private bool _looksFirst;

    /// <param name="facts">with a key</param>
    public InlineJoinSender(IServerSession session, LoadFacts facts, ListLimits limits, int rowsPerBatch)
        : this(session, facts, limits, rowsPerBatch, new UpdateSql(facts))
    {
    }

    private InlineJoinSender(IServerSession session, LoadFacts facts, ListLimits limits, int rowsPerBatch, UpdateSql sql)
        : base(session, rowsPerBatch, () => new UpdateBatch(sql, KeyOrder.OfChanges(facts), limits))
    {
        (_sql, _found) = (sql, new FoundKeys(KeySql.Of(facts)));
        _maxPacket = facts.Server.MaxAllowedPacket;
        _tellsChanges = !facts.Request.Key.CountsMatched;
    }

    protected override async ValueTask<BatchOutcome> SendAsync(UpdateBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var superseded = new RowCounts { Superseded = batch.Superseded };
        if (batch.ListCount == 0)
        {
            onSent();
            return superseded;
        }

        if (batch.MostBytes >= _maxPacket)
        {
            return BatchRefusals.OfSize(batch.MostBytes, _maxPacket, "raise that", batch.RowCount == 1 ? 0 : null);
        }

        try
        {
            if (_looksFirst)
            {
                await Session.ExecuteAsync(TransactionSql.Savepoint(0), cancellationToken);
                onSent();
            }
            else if (await SendListsAsync(batch, onSent, cancellationToken) is var (taken, refusal))
            {
                return refusal ?? (BatchOutcome)(taken + superseded);
            }

            var outcome = await LookAndUpdateAsync(batch, cancellationToken);
            return outcome.Refusal is not null ? outcome : (BatchOutcome)(outcome.Taken + superseded) with { Missing = outcome.Missing };
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            // The statement has undone itself; the lists before it have not.
            await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
        }
    }

    /// <summary>Sends all lists.</summary>
    /// <returns>null where rows are missing, and everything is undone</returns>
    private async ValueTask<(RowCounts Taken, BatchRefusal? Refusal)?> SendListsAsync(
        UpdateBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        await PipelineFaults.RunAsync(Session, batch.Pipeline, onSent, cancellationToken);
        if (batch.Pipeline.Faults is [var (_, error), ..])
        {
            throw error;
        }

        var taken = default(RowCounts);
        var areMissing = false;
        for (var list = 0; list < batch.ListCount; list++)
        {
            var answer = batch.Pipeline.Answers[list + 1];
            if (UpdateAnswer.Count(answer, batch.CountOf(list), _tellsChanges) is not { } counted)
            {
                return (default, await RefuseAsync(answer, batch.CountOf(list), list == batch.ListCount - 1, cancellationToken));
            }

            taken += counted;
            areMissing |= counted.MatchedRows < batch.CountOf(list);
        }

        if (!areMissing)
        {
            return (taken, null);
        }

        await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        return null;
    }

    /// <summary>Asks which records have rows, and updates those; the savepoint is set.</summary>
    private async ValueTask<BatchOutcome> LookAndUpdateAsync(UpdateBatch batch, CancellationToken cancellationToken)
    {
        var taken = default(RowCounts);
        var missing = new List<int>();
        for (var list = 0; list < batch.ListCount; list++)
        {
            var count = batch.CountOf(list);
            await _found.LookAsync(Session, count, (record, column) => batch.Value(list, record, column), _text, cancellationToken);
            _found.AddMissing(count, record => batch.Row(list, record), missing);
            if (_found.Count == 0)
            {
                continue;
            }

            _text.ResetWrittenCount();
            _sql.WriteList(_text, batch.Block, _found.Count, record => batch.RowOfBlock(list, _found.Keys[record]));
            var answer = await Session.ExecuteAsync(null, _text.WrittenMemory, cancellationToken);
            if (UpdateAnswer.Count(answer, _found.Count, _tellsChanges) is not { } counted || counted.MatchedRows < _found.Count)
            {
                return await RefuseAsync(answer, _found.Count, isLast: true, cancellationToken);
            }

            taken += counted;
        }

        _looksFirst = missing.Count > 0;
        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing };
    }

    /// <summary>The warnings can be asked for where nothing came behind the list. Undoes the batch.</summary>
    private async ValueTask<BatchRefusal> RefuseAsync(OkResult answer, int rows, bool isLast, CancellationToken cancellationToken)
    {
        var refusal = !isLast ? BatchRefusals.OfCounts(answer, rows)
            : await BatchRefusals.AskAsync(Session, answer, rows, cancellationToken) with { Row = null };
        await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        return refusal;
    }
}
