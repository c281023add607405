using System.Numerics;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

internal interface INarrowed
{
    /// <summary>The server took these rows, in one batch.</summary>
    ValueTask TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop);

    /// <summary>The server refused this row, sent alone.</summary>
    ValueTask RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop);
}

/// <summary>Sends the rows of a refused batch again in smaller batches, in the input's order, until each bad row was sent alone. The row
/// that the server named is tried first; if it named none, the refused range is cut until one row is left. The size of the next batch
/// follows from the distance between refused rows, also from one block to the next: if nearly every row is bad, it is one row, and if bad
/// rows are rare again, it is the whole batch.</summary>
/// <param name="wholeBatches">sends whole batches</param>
/// <param name="narrower">finds bad records with less work; may be the same</param>
internal sealed class BadRowSearch(IBatchSender wholeBatches, IBatchSender narrower, INarrowed results)
{
    /// <summary>A range of more than <see cref="FewRows"/> rows is cut into so many pieces: a refused piece costs little, and accepted
    /// pieces are done.</summary>
    private const int Pieces = 8;

    private const int FewRows = 256;
    private const int Whole = int.MaxValue;

    /// <summary>A statement costs about as much as so many rows: balances the cost of small batches and of refused ones.</summary>
    private const long RowsOfAStatement = 40;

    /// <summary>Bad rows are rare after so many whole batches without one.</summary>
    private const long RareBatches = 4;

    private int _window = Whole;

    /// <summary>Rows that were accepted since the last bad one; null: there was none.</summary>
    private long? _apart;

    private int _whole;

    /// <summary>Whether the last bad row was far from the one before it.</summary>
    private bool _isRare;

    /// <summary>Whether the next rows should be sent by <see cref="SendAsync"/>, since bad ones have been close together.</summary>
    public bool IsCautious => _window < Whole;

    /// <summary>Number of batches that were refused and sent again in parts.</summary>
    public long Batches { get; private set; }

    /// <summary>Called when rows were accepted without this search.</summary>
    public void Pass(int rows) => _apart += rows;

    /// <summary>Sends rows of a block until the outcome of each is known.</summary>
    /// <param name="refusal">of a batch of exactly these rows; null: they have not been sent yet</param>
    public async Task SendAsync(RowBlock block, int from, int to, BatchRefusal? refusal, CancellationToken stop, CancellationToken abort)
    {
        var search = new Search(to);
        _whole = Math.Max(_whole, to - from);
        if (refusal is not null && to - from == 1)
        {
            await results.RefuseAsync(block, from, refusal, stop);
            Mark();
            return;
        }

        Batches += refusal is null ? 0 : 1;
        var next = from;
        if (refusal is { Kind: RefusalKind.PartlyTaken })
        {
            next += await KeepAsync(block, next, refusal, stop);
        }
        else if (refusal is not null)
        {
            search.Refuse(from, to - from, refusal);
        }

        while (next < to)
        {
            stop.ThrowIfCancellationRequested();
            var max = search.IsOn ? search.Step(next) : Math.Min(_window, to - next);
            var (rows, outcome) = await SendBatchAsync(narrower, block, next, max, abort);
            if (outcome.Refusal is { Kind: RefusalKind.TooLarge } && rows == 1)
            {
                (_, outcome) = await SendBatchAsync(wholeBatches, block, next, 1, abort);
            }

            if (outcome is { Refusal: null, WasDuplicate: false })
            {
                await results.TakeAsync(block, next, rows, outcome, stop);
                search.Take(next += rows);
                Widen(rows);
            }
            else if (rows > 1 && outcome.Refusal!.Kind == RefusalKind.PartlyTaken)
            {
                Batches++;
                search = new Search(to) { TrustsNames = search.TrustsNames };
                next += await KeepAsync(block, next, outcome.Refusal, stop);
            }
            else if (rows > 1)
            {
                Batches += search.IsOn ? 0 : 1;
                search.Refuse(next, rows, outcome.Refusal!);
            }
            else
            {
                await ReportAsync(block, next, outcome, stop);
                search = new Search(to) { TrustsNames = search.TrustsNames };
                next++;
                Mark();
            }
        }

        if (_isRare)
        {
            _window = Whole;
        }
    }

    /// <summary>The rows before the refused one are in the table; the refused one comes next, alone.</summary>
    /// <returns>number of these rows</returns>
    private async Task<int> KeepAsync(RowBlock block, int from, BatchRefusal refusal, CancellationToken stop)
    {
        var kept = refusal.Row!.Value;
        if (kept > 0)
        {
            await results.TakeAsync(block, from, kept, new RowCounts(kept), stop);
            Pass(kept);
        }

        _window = 1;
        return kept;
    }

    private static async Task<(int Rows, BatchOutcome Outcome)> SendBatchAsync(
        IBatchSender sender, RowBlock block, int from, int max, CancellationToken abort)
    {
        var batch = sender.Encode(block, from, max);
        return (batch.RowCount, await sender.SendAsync(batch, isMoreToCome: false, static () => { }, abort));
    }

    private ValueTask ReportAsync(RowBlock block, int row, BatchOutcome outcome, CancellationToken stop) => outcome.Refusal is { } refusal
        ? results.RefuseAsync(block, row, refusal, stop)
        : results.TakeAsync(block, row, 1, outcome, stop);

    /// <summary>Rounds down to a power of two, so that the same sizes come again, for which senders have statements.</summary>
    private static int Round(int rows) => 1 << BitOperations.Log2((uint)rows);

    /// <summary>Called at a bad row: the next one is probably as far from it as it was from the last one.</summary>
    private void Mark()
    {
        var rare = RareBatches * _whole;
        var apart = Math.Min(_apart ?? rare, rare);
        (_isRare, _window, _apart) = (apart == rare, BestFor(apart), 0);
    }

    private void Widen(int rows)
    {
        Pass(rows);
        _window = _apart >= RareBatches * _whole ? Whole : Math.Max(_window, BestFor(_apart ?? 0));
    }

    /// <summary>The batch size with the lowest cost if one in so many rows is bad: half of a refused batch is wasted, and so is the cost of
    /// further statements.</summary>
    private static int BestFor(long apart) => Round((int)Math.Max(1, Math.Min(apart, Math.Sqrt(apart * RowsOfAStatement))));

    private sealed class Search(int to)
    {
        private int _end;
        private int? _named;

        /// <summary>The refused statement of a batch of several: the rows before it were accepted. If it is sent alone, the server may name
        /// the row. To = 0: not known.</summary>
        private (int From, int To) _statement;

        /// <summary>Whether a bad row is known to be before <see cref="_end"/>.</summary>
        public bool IsOn => _end > 0;

        /// <summary>Whether the rows that the server named have been the bad ones so far.</summary>
        public bool TrustsNames { get; set; } = true;

        public void Refuse(int from, int rows, BatchRefusal refusal)
        {
            _statement = refusal.Among is { } among && among.Rows < rows ? (from + among.From, from + among.From + among.Rows) : default;
            _end = _statement.To > 0 ? _statement.To : from + rows;
            _named = TrustsNames && refusal.Row is { } row && row < rows ? from + row : null;
        }

        /// <summary>Rows up to here were accepted.</summary>
        public void Take(int next)
        {
            if (_named < next)
            {
                (_named, TrustsNames) = (null, false);
            }

            if (next >= Math.Min(_end, to))
            {
                _end = 0;
            }
        }

        /// <summary>Number of rows to send next: those before the named row, that row, those before the refused statement, that statement,
        /// or a piece of the rest.</summary>
        public int Step(int next)
        {
            var left = _end - next;
            if (_named is { } named)
            {
                return Math.Max(1, named - next);
            }

            if (next < _statement.To)
            {
                return next < _statement.From ? _statement.From - next : left;
            }

            return Round(Math.Max(1, left > FewRows ? left / Pieces : left / 2));
        }
    }
}
