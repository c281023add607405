using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>DELETE ... WHERE key IN (...) with about a thousand keys, in the order of the index, each written in its column's form. Needs
/// only the rights DELETE and SELECT, and no table of its own.</summary>
internal sealed class InListDeleteStrategy : ILoadStrategy
{
    public string Name => "in-list-delete";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts);

    public Assessment Assess(LoadFacts facts)
    {
        var keys = KeysPerList(facts, (int)KeySizes.OfLists.Rows.Choose(facts.Request.RowsPerBatch).Value);
        return new Assessment(
            KeyRules.IsOneByOne(facts)
                ? "one key a statement, since the order decides"
                : $"{keys:N0} sorted keys a statement, found by {facts.Key!.Index?.Name ?? "reading the table"}, "
                    + "the next ones on their way; needs no rights but DELETE and SELECT",
            new Cost(KeyCosts.OfListDelete(facts, keys), 1, 1), KeySizes.OfLists);
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{KeySql.Of(facts).SampleDelete()} (up to {Plural.Count(KeysPerList(facts, sizes.RowsPerBatch), "key")})",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new ListSender(session, facts, new DeleteStatement(facts), sizes, KeysPerList(facts, sizes.RowsPerBatch));

    public ILoadStrategy NarrowsBy(LoadFacts facts)
    {
        var pipelined = new PipelinedDeleteStrategy { IsForFaults = true };
        return pipelined.FindObstacle(facts) is null ? pipelined : this;
    }

    private static int KeysPerList(LoadFacts facts, int rowsPerBatch) =>
        KeyRules.IsOneByOne(facts) ? 1 : Math.Min(ListSender.RowsPerList(rowsPerBatch), facts.Key!.MaxListKeys);
}

/// <summary>UPDATE joined with about a thousand rows that the statement contains, in the order of the index, each value written in its
/// column's form. Needs only the rights UPDATE and SELECT, and no table of its own.</summary>
internal sealed class InlineJoinStrategy : ILoadStrategy
{
    public string Name => "inline-join";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts);

    public Assessment Assess(LoadFacts facts)
    {
        var rows = RowsOfDefaultList(facts);
        return new Assessment(
            $"{rows:N0} sorted rows a statement, found by {facts.Key!.Index?.Name ?? "reading the table"}; a third of the "
                + "server's work for single ones, and no rights but UPDATE and SELECT",
            new Cost(KeyCosts.OfListUpdate(facts, rows), 1, 1), KeySizes.OfLists);
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{new UpdateSql(facts).SampleList()} (up to {Plural.Count(ListSender.RowsPerList(sizes.RowsPerBatch), "row")} in the list)",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new ListSender(session, facts, new UpdateStatement(facts), sizes, ListSender.RowsPerList(sizes.RowsPerBatch));

    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();

    /// <summary>For records of the sampled size; a literal may take twice a value's bytes.</summary>
    private static int RowsOfDefaultList(LoadFacts facts)
    {
        var (rows, bytes) = KeySizes.OfLists;
        var maxBytes = ListSender.BytesPerList(facts, bytes.Choose(facts.Request.BytesPerBatch).Value);
        return (int)Math.Clamp(
            maxBytes / (2 * facts.RecordBytes), 1, ListSender.RowsPerList((int)rows.Choose(facts.Request.RowsPerBatch).Value));
    }
}

/// <summary>Sends statements with lists of rows without a wait between them. If one finds fewer rows than it has records, all are undone:
/// those before it are sent again, and the server is asked which keys have rows; while keys are missing, it is asked first.</summary>
internal sealed class ListSender(IServerSession session, LoadFacts facts, KeyedStatement statement, BatchSizes sizes, int maxKeys)
    : KeyedSender<ListBatch>(session, facts, sizes.RowsPerBatch)
{
    private const int BestRows = 1000;

    /// <summary>The question which keys exist is longer than the list, and both must fit into a packet.</summary>
    private const int ShareOfPacket = 2;

    private readonly long _mostBytes = BytesPerList(facts, sizes.BytesPerBatch);
    private readonly bool _isUnique = facts.Key!.IsUnique;
    private readonly FoundKeys _found = new(statement.Keys);
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly Pipeline _pipeline = new(maxStatements: statement.ListsUnderWay);

    /// <summary>Number of lists to send before the answers are read; smaller after keys were missing.</summary>
    private int _ahead = int.MaxValue;
    private bool _looksFirst = !facts.Key!.IsUnique && maxKeys > 1;

    public static int RowsPerList(int rowsPerBatch) => Math.Min(BestRows, rowsPerBatch);

    public static long BytesPerList(LoadFacts facts, long bytesPerBatch) =>
        Math.Min(bytesPerBatch, facts.Server.MaxAllowedPacket / ShareOfPacket);

    protected override ListBatch CreateBatch() => new(statement.CreateOrder(areAlone: false), statement, maxKeys, _mostBytes);

    protected override async ValueTask<BatchOutcome> SendAsync(ListBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        for (var list = 0; list < batch.ListCount; list++)
        {
            if (batch.Statement(list).Length >= MaxPacket)
            {
                return TooLarge(batch.Statement(list).Length, batch.CountOf(list) == 1 ? batch.Row(list, 0) : null);
            }
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
                var sent = looks
                    ? await LookAndSendAsync(batch, next, missing, onSent, cancellationToken)
                    : await SendListsAsync(batch, next, lists, missing, onSent, cancellationToken);
                onSent = static () => { };
                if (sent.Refusal is not null)
                {
                    return sent.Refusal;
                }

                if (sent.Complete < lists)
                {
                    shortOne = next + sent.Complete;
                    continue;
                }

                taken += sent.Taken;
                next += lists;
            }
            catch (ServerException fault)
                when ((BatchRefusals.AreAboutRows(fault) || statement.IsAboutList(fault)) && Session.IsUsable)
            {
                return await UndoAsync(batch, fault, cancellationToken);
            }
        }

        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing };
    }

    /// <summary>Sends lists without a wait between them. If one finds too few rows, all are undone, and are sent again.</summary>
    private async ValueTask<SentLists> SendListsAsync(
        ListBatch batch, int first, int count, List<int> missing, Action onSent, CancellationToken cancellationToken)
    {
        // The batch's own savepoint, or one after the lists that are settled.
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
            if (statement.Count(answer, keys) is not { } counted)
            {
                return new SentLists { Refusal = await UndoAsync(batch, answer, keys, cancellationToken) };
            }

            if (counted.Count < keys && keys > 1)
            {
                await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(turn), cancellationToken);
                _ahead = Math.Max(1, i);
                return new SentLists { Complete = i };
            }

            // For a key that is alone the count is the answer: it needs no question.
            taken += counted;
            if (counted.Count == 0)
            {
                alone.Add(batch.Row(first + i, 0));
            }
        }

        _ahead = (int)Math.Min(_ahead * 2L, int.MaxValue);
        missing.AddRange(alone);
        return new SentLists { Complete = count, Taken = taken };
    }

    /// <summary>Asks which records of a list have rows, and sends those; the savepoint is set.</summary>
    private async ValueTask<SentLists> LookAndSendAsync(
        ListBatch batch, int list, List<int> missing, Action onSent, CancellationToken cancellationToken)
    {
        onSent();
        var count = batch.CountOf(list);
        await _found.LookAsync(Session, count, (key, column) => batch.Value(list, key, column), _text, cancellationToken);
        _found.AddMissing(count, key => batch.Row(list, key), missing);
        _looksFirst = !_isUnique || _found.Count < count;
        var rows = statement.FirstOfSameRowCounts ? _found.KeepFirst(key => batch.Row(list, key)) : _found.Count;
        var keys = _found.Keys;
        var taken = default(RowCounts);
        if (keys.Count > 0)
        {
            _text.ResetWrittenCount();
            statement.WriteList(_text, batch.Block, keys.Count, key => batch.RowOfBlock(list, keys[key]));
            var answer = await Session.ExecuteAsync(null, _text.WrittenMemory, cancellationToken);
            if (statement.Count(answer, keys.Count) is not { } counted || counted.TouchedRows != rows)
            {
                return new SentLists { Refusal = await UndoAsync(batch, answer, rows, cancellationToken) };
            }

            taken = counted;
        }

        return new SentLists { Complete = 1, Taken = taken with { Superseded = _found.Count - keys.Count } };
    }

    /// <summary>If fewer lists are complete than were sent, none is left in the transaction.</summary>
    private readonly record struct SentLists(int Complete, RowCounts Taken, BatchRefusal? Refusal);
}

/// <param name="maxBytes">limit of a statement; a single key may exceed it</param>
internal sealed class ListBatch(KeyOrder keys, KeyedStatement statement, int maxKeys, long maxBytes) : KeyedBatch(keys)
{
    private readonly List<(int Start, int Count, int TextEnd)> _lists = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    public int ListCount => _lists.Count;

    public RowBlock Block => Keys.Block;

    public ReadOnlyMemory<byte> Statement(int list) =>
        _text.WrittenMemory[(list == 0 ? 0 : _lists[list - 1].TextEnd).._lists[list].TextEnd];

    public int CountOf(int list) => _lists[list].Count;

    /// <returns>0-based in the batch</returns>
    public int Row(int list, int place) => Row(_lists[list].Start + place);

    /// <returns>0-based in the block</returns>
    public int RowOfBlock(int list, int place) => Keys.RowOfBlock(_lists[list].Start + place);

    public ReadOnlySpan<byte> Value(int list, int place, int column) => Keys.Value(_lists[list].Start + place, column);

    protected override void Encode()
    {
        _lists.Clear();
        _text.ResetWrittenCount();
        var (start, bytes) = (0, (long)statement.ListOverhead);
        for (var key = 0; key < Keys.Count; key++)
        {
            // A literal is at most twice as long as its value.
            var keyBytes = (Keys.BytesOf(key) * 2L) + statement.RowOverhead;
            if (key > start && (key - start == maxKeys || bytes + keyBytes > maxBytes))
            {
                Add(start, key - start);
                (start, bytes) = (key, statement.ListOverhead);
            }

            bytes += keyBytes;
        }

        Add(start, Keys.Count - start);
    }

    private void Add(int start, int count)
    {
        if (count > 0)
        {
            statement.WriteList(_text, Keys.Block, count, key => Keys.RowOfBlock(start + key));
            _lists.Add((start, count, _text.WrittenCount));
        }
    }
}
