using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>INSERTs after a savepoint that undoes them: as many of full size as a batch has rows for, sent without a wait, or a single
/// smaller one. The statement has placeholders for its rows (the full size is prepared once, a smaller rest when it comes), or one prepared
/// row is executed in bulk; rows for which neither works are literal text.</summary>
/// <param name="isBulk">whether the server executes one prepared row for many</param>
internal sealed class InsertSender(IServerSession session, InsertForm form, LoadFacts facts, int fullRows, bool isBulk) : IBatchSender
{
    /// <summary>The length before a value or the comma after it, with room to spare.</summary>
    private const long LengthOverhead = 9;

    /// <summary>Literal text may be far longer than the values in it.</summary>
    private const int MaxBytesAhead = 4 * 1024 * 1024;

    private readonly DuplicateForm _inserted = form.Duplicates == DuplicateForm.ReplaceAlone ? DuplicateForm.Plain : form.Duplicates;
    private readonly int _fixedBytes = Encoding.UTF8.GetByteCount(form.Head + form.Ending + form.OwnIdEnding);
    private readonly long _rowOverhead =
        form.Tail.ByteCount + facts.Columns.Sum(column => LengthOverhead + new LiteralForm(column).Overhead);
    private readonly InsertStatements _statements =
        new(session, form.Head, facts.Columns, form.Tail, form.Ending, isBulk ? 1 : fullRows);
    private readonly InsertStatements _ownIdStatements =
        new(session, form.Head, facts.Columns, form.Tail, form.OwnIdEnding, isBulk ? 1 : fullRows);
    private readonly InsertStatements _replaceStatements = new(session, form.ReplaceHead, facts.Columns, form.Tail, "", 1);
    private readonly RefusedRowFinder _rows = new(session);
    private readonly long _maxPacket = facts.Server.MaxAllowedPacket;
    private readonly bool _canPrepare = facts.Server.MaxPreparedStatements > 0;

    // A mark can be the value of a placeholder that is alone, not of one within a function (error 4032).
    private readonly bool _canMarkDefaults = isBulk && facts.Columns.All(column => ColumnSql.Placeholder(column) == "?");
    private readonly InsertBatch[] _batches = [CreateBatch(form, facts, fullRows, isBulk), CreateBatch(form, facts, fullRows, isBulk)];
    private readonly int _valueReads = Math.Max(1, form.Tail.MaxReads);
    private readonly bool _undoes = facts.Table.UndoesBatches;
    private readonly bool _undoesStatements = facts.Table.IsTransactional && facts.Table.UndoPart != UndoPart.Row;
    private readonly string? _mark = facts.Table.UndoesBatches ? TransactionSql.Savepoint(0) : null;
    private readonly bool _keepsIds = facts.Request.KeepsIds;
    private ulong? _idStep;
    private int _turn;

    public EncodedBatch Encode(RowBlock block, int from, int max)
    {
        var hasOwnIds = HasOwnId(block, from);
        var isLiteral = IsLiteral(block);
        var alike = CountAlike(block, from, max, hasOwnIds);
        var rows = FitIntoPacket(block, from, alike);
        var batch = _batches[_turn++ & 1];
        batch.Begin(isLiteral, hasOwnIds);

        // The first statement of full size goes alone, since it is prepared when it is sent.
        var statement = isLiteral ? null : (hasOwnIds ? _ownIdStatements : _statements).Full;
        if (!_undoes || rows < fullRows || alike / fullRows <= 1 || (statement is null && !isLiteral))
        {
            batch.Fill(block, from, rows);
            return batch;
        }

        // As many of full size as there are rows for; the rest becomes another batch.
        for (var next = from; from + alike - next >= fullRows && batch.Pipeline.ByteCount < MaxBytesAhead
            && FitIntoPacket(block, next, fullRows) == fullRows; next += fullRows)
        {
            batch.Add(block, next, fullRows, statement);
        }

        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var insert = (InsertBatch)batch;

        // A server closes the session at a packet of max_allowed_packet bytes, so such a row is never sent.
        if (insert.Pipeline.Count == 0 && insert.PacketBytes >= _maxPacket)
        {
            return BatchRefusals.OfSize(
                insert.PacketBytes, _maxPacket, "raise that, or use --strategy load-data", batch.RowCount == 1 ? 0 : null);
        }

        _rows.Begin();
        if (!_undoesStatements && !_rows.IsReady)
        {
            await _rows.StartAgainAsync(cancellationToken);
        }

        try
        {
            return await SendAsync(insert, onSent, cancellationToken);
        }
        finally
        {
            _rows.End();
        }
    }

    private async ValueTask<BatchOutcome> SendAsync(InsertBatch insert, Action onSent, CancellationToken cancellationToken)
    {
        var outcome = await SendAsync(insert, insert.HasOwnIds ? _ownIdStatements : _statements, _inserted, onSent, cancellationToken);
        if (outcome.Refusal is { Error: ServerError.DupEntry } && insert.RowCount == 1)
        {
            outcome = await ResolveAsync(insert, outcome, cancellationToken);
        }

        return insert.HasOwnIds && outcome.Taken.Inserted < outcome.Taken.Count ? await CheckIdsAsync(outcome, cancellationToken)
            : outcome.Ids.Count > 0 ? outcome with { Ids = await RequireStepAsync(outcome.Ids, cancellationToken) }
            : outcome;
    }

    /// <summary>Gives the ids their distance, which another session may change for all (a cluster does when it grows).</summary>
    private async ValueTask<GeneratedIds[]> RequireStepAsync(IReadOnlyList<GeneratedIds> ids, CancellationToken cancellationToken)
    {
        var step = ulong.Parse((await session.QueryAsync(SessionSql.IdStep, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
        if ((_idStep ??= step) != step || ids.Any(run => run.First == 0))
        {
            throw new ReconciliationException("--ids-file: the server does not tell the ids of its rows, or auto_increment_increment was "
                + "changed while they were inserted: nothing of this chunk was committed");
        }

        return [.. ids.Select(run => run with { Step = step })];
    }

    private GeneratedIds[] IdsOf(ReadOnlySpan<OkResult> answers, int rows)
    {
        if (!_keepsIds)
        {
            return [];
        }

        var ids = new GeneratedIds[answers.Length];
        for (var i = 0; i < ids.Length; i++)
        {
            ids[i] = new GeneratedIds(answers[i].LastInsertId, 0, rows);
        }

        return ids;
    }

    public async ValueTask DisposeAsync()
    {
        await _statements.DisposeAsync();
        await _ownIdStatements.DisposeAsync();
        await _replaceStatements.DisposeAsync();
    }

    /// <param name="counts">how its answer counts; <see cref="DuplicateForm.ReplaceAlone"/>: sent as REPLACE</param>
    private async ValueTask<BatchOutcome> SendAsync(
        InsertBatch batch, InsertStatements statements, DuplicateForm counts, Action onSent, CancellationToken cancellationToken)
    {
        if (batch.Pipeline.Count > 0)
        {
            return await SendSeveralAsync(batch, counts, onSent, cancellationToken);
        }

        var underWay = batch.IsLiteral
            ? session.ExecuteAsync(_mark, counts == DuplicateForm.ReplaceAlone ? batch.ToReplace() : batch.Text, cancellationToken)
            : session.ExecuteAsync(
                _mark, await statements.GetAsync(batch.PlaceholderRows, cancellationToken), batch.Parameters, cancellationToken);
        return await SettleAsync(underWay, batch.RowCount, counts, onSent, cancellationToken);
    }

    private async ValueTask<BatchOutcome> SendSeveralAsync(
        InsertBatch batch, DuplicateForm counts, Action onSent, CancellationToken cancellationToken)
    {
        batch.Pipeline.OnSent = onSent;
        await session.RunAsync(batch.Pipeline, cancellationToken);
        var outcome = batch.ReadAnswers(counts);
        if (outcome.Refusal is null)
        {
            _rows.Count(batch.RowCount);
            outcome = outcome with { Ids = IdsOf(batch.Pipeline.Answers[1..], batch.StatementRows) };
        }
        else
        {
            await session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
            await _rows.StartAgainAsync(cancellationToken);
        }

        return outcome;
    }

    private static InsertBatch CreateBatch(InsertForm form, LoadFacts facts, int fullRows, bool isBulk) => new(
        form, facts.Columns, new RowEncoder(facts.RowColumns, InsertSql.OrderOf(facts.Columns, form.Tail)), fullRows, isBulk);

    /// <summary>Handles a single row that is a duplicate: its INSERT has failed with that error.</summary>
    private async ValueTask<BatchOutcome> ResolveAsync(InsertBatch batch, BatchOutcome refused, CancellationToken cancellationToken)
    {
        if (batch.HasOwnIds && form.OwnIdsAreNew)
        {
            return refused;
        }

        switch (form.Duplicates)
        {
            case DuplicateForm.SkipAlone:
                return (BatchOutcome)new RowCounts(0, Ignored: 1) with { WasDuplicate = true };
            case DuplicateForm.ReplaceAlone:
                _rows.Forget();
                return await SendAsync(batch, _replaceStatements, DuplicateForm.ReplaceAlone, static () => { }, cancellationToken)
                    with
                { WasDuplicate = true };
            default:
                return refused;
        }
    }

    /// <summary>Rows without an id were taken for duplicates; checks that this was not because no id is left.</summary>
    private async ValueTask<BatchOutcome> CheckIdsAsync(BatchOutcome outcome, CancellationToken cancellationToken)
    {
        if (form.IsLastIdUsed is not { } query || (await session.QueryAsync(query, cancellationToken)).Scalar != "1")
        {
            return outcome;
        }

        await UndoAsync(null, cancellationToken);
        return new BatchRefusal(
            0, "the server has no id left to give: a row has the largest one, and every new row looks like its duplicate", null);
    }

    /// <summary>Whether the server generates the row's id, and such rows need statements of their own.</summary>
    private bool HasOwnId(RowBlock block, int row) =>
        form.AreAllOwnIds || (form.OwnId is { } column && block.Get(row, column, out _) != CellState.Value);

    private int CountAlike(RowBlock block, int from, int max, bool hasOwnIds)
    {
        if (form.OwnId is null)
        {
            return max;
        }

        var end = from + Math.Min(max, block.RowCount - from);
        var row = from + 1;
        while (row < end && HasOwnId(block, row) == hasOwnIds)
        {
            row++;
        }

        return row - from;
    }

    /// <summary>The number of rows that fit into one packet: values, lengths before them, and literal text at its longest.</summary>
    private int FitIntoPacket(RowBlock block, int from, int max)
    {
        var rows = Math.Min(Math.Min(fullRows, max), block.RowCount - from);
        while (rows > 1 && ((long)block.ByteCountOf(from, rows) * _valueReads * (IsLiteral(block) ? 2 : 1)) + (rows * _rowOverhead)
            + _fixedBytes + BinaryParameters.PacketOverhead >= _maxPacket)
        {
            rows /= 2;
        }

        return rows;
    }

    private bool IsLiteral(RowBlock block) => !_canPrepare || (block.HasDefaults && !_canMarkDefaults);

    /// <summary>Judges a batch's answer, and asks for warnings before they are cleared. A failed statement has undone itself.</summary>
    private async ValueTask<BatchOutcome> SettleAsync(
        ValueTask<OkResult> underWay, int rows, DuplicateForm counts, Action onSent, CancellationToken cancellationToken)
    {
        // It is one packet: what the socket has not taken yet is little.
        onSent();
        OkResult answer;
        try
        {
            answer = await underWay;
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault))
        {
            var refusal = BatchRefusals.OfError(fault);
            if (rows > 1 && session.IsUsable)
            {
                var found = await _rows.FindAsync(refusal, cancellationToken);
                return _undoesStatements
                    ? found
                    : found.Row < rows
                    ? found with { Kind = RefusalKind.PartlyTaken }
                    : throw BatchRefusals.NotUndone(refusal);
            }

            if (session.IsUsable)
            {
                await _rows.CountRefusedAsync(refusal, cancellationToken);
            }

            return refusal;
        }

        if (answer.Warnings == 0 && AnswerCounts.Read(counts, answer, rows) is { } taken)
        {
            _rows.Count(rows);
            return (BatchOutcome)taken with { Ids = IdsOf([answer], rows) };
        }

        var warned = BatchRefusals.OfAnswer(
            answer.AffectedRows, rows, await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
        await UndoAsync(warned, cancellationToken);
        return warned;
    }

    /// <exception cref="ReconciliationException">the engine cannot roll back</exception>
    private async ValueTask UndoAsync(BatchRefusal? refusal, CancellationToken cancellationToken)
    {
        if (!_undoes)
        {
            throw BatchRefusals.NotUndone(refusal ?? new BatchRefusal(0, "the server has no id left to give", null));
        }

        await session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
    }
}

/// <summary>Prepared INSERTs by their number of rows: the full size for the whole run, and the few sizes that were used last, since
/// narrowing repeats small ones. The server holds each until it makes room or the run ends.</summary>
/// <param name="fullRows">the size that never makes room</param>
internal sealed class InsertStatements(
    IServerSession session, string head, IReadOnlyList<TableColumn> columns, SetText tail, string ending, int fullRows) : IAsyncDisposable
{
    private const int MaxSmaller = 12;

    private readonly List<(int Rows, LazyStatement Statement)> _smaller = [];
    private readonly LazyStatement _full = new(session, () => InsertSql.Prepared(head, columns, tail, fullRows, ending));

    /// <summary>Null: it was not needed yet.</summary>
    public PreparedStatement? Full => _full.Prepared;

    /// <summary>Valid until the next call.</summary>
    public async ValueTask<PreparedStatement> GetAsync(int rows, CancellationToken cancellationToken)
    {
        if (rows == fullRows)
        {
            return await _full.GetAsync(cancellationToken);
        }

        var found = _smaller.FindIndex(entry => entry.Rows == rows);
        var statement = found >= 0 ? _smaller[found].Statement
            : new LazyStatement(session, () => InsertSql.Prepared(head, columns, tail, rows, ending));
        if (found < 0 && _smaller.Count == MaxSmaller)
        {
            found = 0;
            await _smaller[0].Statement.DisposeAsync();
        }

        if (found >= 0)
        {
            _smaller.RemoveAt(found);
        }

        _smaller.Add((rows, statement));
        return await statement.GetAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (_, statement) in _smaller)
        {
            await statement.DisposeAsync();
        }

        await _full.DisposeAsync();
    }
}
