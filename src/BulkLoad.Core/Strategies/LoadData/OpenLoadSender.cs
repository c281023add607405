using System.Runtime.ExceptionServices;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>One LOAD DATA statement for many batches, for an engine that cannot roll back: an empty table of such an engine gets its
/// secondary indexes sorted, and in one go, at the end of the statement. Whether the batches were taken is known only then, by their
/// count.</summary>
/// <param name="keys">tells whether a batch continues the statement: no row of it may be a duplicate; null: the server has nothing to
/// refuse</param>
/// <param name="alone">encodes, and sends batches that do not go on with it; owned from here on</param>
/// <param name="spansChunks">whether it may be that of all chunks of a file</param>
internal sealed class OpenLoadSender(IServerSession session, LocalLoad load, NewKeys? keys, LoadDataSender alone, bool spansChunks)
    : IBatchSender
{
    /// <summary>In the statement that is open; 0: none is.</summary>
    private long _rows;

    /// <summary>Why what it took is not known.</summary>
    private Exception? _fault;

    public bool IsOpen => _rows > 0 || _fault is not null;

    public bool SpansChunks => spansChunks && IsOpen;

    public EncodedBatch Encode(RowBlock block, int from, int most) => alone.Encode(block, from, most);

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var text = (LoadDataText)batch;
        if (text.RowCount == 1 && !isMoreToCome)
        {
            // Alone the server says what it has against it.
            await EndAsync(cancellationToken);
            return await alone.SendAsync(batch, isMoreToCome: false, onSent, cancellationToken);
        }

        if (!await GoesOnAsync(text, cancellationToken))
        {
            return await alone.SendAsync(batch, isMoreToCome: false, onSent, cancellationToken);
        }

        await session.ServeAsync(load, text.Content, cancellationToken);
        _rows += text.RowCount;
        onSent();
        return new RowCounts(text.RowCount);
    }

    public async ValueTask EndAsync(CancellationToken cancellationToken)
    {
        if (_fault is not null)
        {
            ExceptionDispatchInfo.Throw(_fault);
        }

        if (_rows == 0)
        {
            return;
        }

        try
        {
            await CheckAsync(
                await session.LoadLocalAsync(load, ReadOnlyMemory<byte>.Empty, null, null, cancellationToken), cancellationToken);
            _rows = 0;
        }
        catch (Exception fault)
        {
            _fault = fault is ServerException { Kind: FaultKind.Data } refusal
                ? BatchRefusals.NotUndone(BatchRefusals.OfError(refusal))
                : fault;
            ExceptionDispatchInfo.Throw(_fault);
        }
    }

    public ValueTask DisposeAsync() => alone.DisposeAsync();

    /// <summary>Whether a batch can stand in the statement that is open, or in one that begins with it. Where it cannot, none is
    /// open.</summary>
    private async ValueTask<bool> GoesOnAsync(LoadDataText text, CancellationToken cancellationToken)
    {
        if (keys is null || text.Rows is not var (block, from))
        {
            return true;
        }

        if (_rows > 0)
        {
            if (keys.GoOn(block, from, text.RowCount))
            {
                return true;
            }

            await EndAsync(cancellationToken);
        }

        return await keys.AreBehindAllAsync(block, from, text.RowCount, cancellationToken);
    }

    /// <exception cref="ReconciliationException">the server took other rows than it was sent</exception>
    private async ValueTask CheckAsync(OkResult answer, CancellationToken cancellationToken)
    {
        if (answer.Warnings > 0 || answer.AffectedRows != (ulong)_rows)
        {
            throw BatchRefusals.NotUndone(await BatchRefusals.AskAsync(session, answer, _rows, cancellationToken));
        }
    }
}

/// <summary>Whether rows can be no duplicates: their integer key rises from one to the next, and to where the table has none.</summary>
internal sealed class NewKeys(IServerSession session, string database, string table, string column, int place)
{
    /// <summary>The key of the last row of those that rose last.</summary>
    private Int128 _last;

    /// <summary>Whether the table has no key between the first row's and the last one's.</summary>
    public async ValueTask<bool> AreInAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows, Int128.MinValue)
        && await HasNoneAsync(
            KeySql.AnyBetween(database, table, column, Text(block, from), Text(block, from + rows - 1)), cancellationToken);

    /// <summary>Whether the table has no key from the first row's on, so that rows which <see cref="GoOn"/> can be no duplicates either as
    /// long as nobody else adds any.</summary>
    public async ValueTask<bool> AreBehindAllAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows, Int128.MinValue)
        && await HasNoneAsync(KeySql.AnyFrom(database, table, column, Text(block, from)), cancellationToken);

    /// <summary>Whether the rows rise from the last ones on that did.</summary>
    public bool GoOn(RowBlock block, int from, int rows) => DoRise(block, from, rows, _last);

    private async ValueTask<bool> HasNoneAsync(string question, CancellationToken cancellationToken) =>
        (await session.QueryAsync(question, cancellationToken)).Rows.Count == 0;

    private bool DoRise(RowBlock block, int from, int rows, Int128 last)
    {
        for (var row = from; row < from + rows; row++)
        {
            // Canonical integers: digits with a minus at most. One that is NULL or a default gets an id that nobody knows yet.
            if (block.Get(row, place, out var value) != CellState.Value
                || !Int128.TryParse(value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var key) || key <= last)
            {
                return false;
            }

            last = key;
        }

        _last = last;
        return true;
    }

    private string Text(RowBlock block, int row)
    {
        block.Get(row, place, out var value);
        return Encoding.ASCII.GetString(value);
    }
}
