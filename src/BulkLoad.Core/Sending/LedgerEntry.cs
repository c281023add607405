using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Sending;

/// <summary>The open chunk's row in the ledger. Without a ledger it is nothing.</summary>
/// <param name="ledger">stays the caller's; null: there is none</param>
/// <param name="columns">asked before a chunk is committed; null: nobody is</param>
internal sealed class LedgerEntry(JobLedger? ledger, ColumnWatch? columns = null)
{
    private readonly ChunkHash? _hash = ledger is null ? null : new ChunkHash();
    private (int Source, long Record, long Offset)? _first;
    private (int Source, long Record, long Offset)? _last;
    private readonly RecordMarks _superseded = new();
    private bool _isBegun;

    /// <summary>Whether each chunk has one, and so a transaction, though nothing but rejects be in it.</summary>
    public bool IsKept => ledger is not null;

    /// <summary>Before anything of the chunk is sent: takes its place in the ledger, unless that is done.</summary>
    /// <param name="block">of which rows are sent next; null: the chunk has no rows</param>
    public async ValueTask BeginAsync(IServerSession session, RowBlock? block, CancellationToken cancellationToken)
    {
        if (ledger is null || _isBegun)
        {
            return;
        }

        _first ??= FirstOf(block!);
        await ledger.BeginAsync(session, _first.Value.Source, _first.Value.Record, _first.Value.Offset, cancellationToken);
        _isBegun = true;
    }

    /// <summary>A block of the chunk, in the input's order; may be called again for one that was added.</summary>
    public void Add(RowBlock block)
    {
        if (_hash is null || block.RecordCount == 0)
        {
            return;
        }

        var (record, offset) = block.Extent.Last;
        if (_last is { } last && (block.Source < last.Source || (block.Source == last.Source && record <= last.Record)))
        {
            return;
        }

        _first ??= FirstOf(block);
        _last = (block.Source, record, offset);
        _hash.Add(block);
        Mark(block);
    }

    /// <summary>Before the COMMIT: writes down what is in the chunk.</summary>
    /// <exception cref="AlteredTableException">it must not be committed</exception>
    public async ValueTask EndAsync(
        IServerSession session, OpenChunk chunk, RejectLog rejects, RepairLog repairs, CancellationToken cancellationToken)
    {
        if (ledger is null)
        {
            await CheckAsync(session, cancellationToken);
            return;
        }

        await BeginAsync(session, null, cancellationToken);
        var entry = Written = Describe(chunk, rejects, repairs);
        if (columns?.Condition is not { } condition || !await ledger.TryEndAsync(session, entry, condition, cancellationToken))
        {
            await CheckAsync(session, cancellationToken);
            await ledger.EndAsync(session, entry, cancellationToken);
        }
    }

    /// <summary>The chunk as it was written down last; null: it was not.</summary>
    public LedgerChunk? Written { get; private set; }

    /// <summary>The chunk is committed, and what comes next is another one.</summary>
    public void Keep()
    {
        if (Written is { } chunk)
        {
            ledger!.Truth.Add(chunk);
        }

        Clear();
    }

    /// <summary>What comes next is another chunk, or this one once more.</summary>
    public void Clear()
    {
        Written = null;
        _first = null;
        _last = null;
        _isBegun = false;
        _superseded.Clear();
        _hash?.Finish();
    }

    /// <summary>A chunk of several inputs is the whole job, behind which no record can change.</summary>
    private void Mark(RowBlock block)
    {
        for (var row = 0; block.SupersededCount > 0 && block.Source == _first!.Value.Source && row < block.RowCount; row++)
        {
            if (block.IsSuperseded(row))
            {
                _superseded.Add(block.Record(row) - _first.Value.Record);
            }
        }
    }

    private LedgerChunk Describe(OpenChunk chunk, RejectLog rejects, RepairLog repairs)
    {
        var (first, last) = (_first!.Value, _last!.Value);
        return new LedgerChunk
        {
            Source = first.Source,
            FirstRecord = first.Record,
            FirstOffset = first.Offset,
            LastSource = last.Source,
            LastRecord = last.Record,
            LastOffset = last.Offset,
            Content = _hash!.Finish(),
            Taken = chunk.Taken,
            Superseded = _superseded,
            Batches = chunk.Batches,
            Rejects = rejects.OpenByCode,
            Repairs = repairs.OpenByKind,
            Findings = rejects.Positions,
        };
    }

    private ValueTask CheckAsync(IServerSession session, CancellationToken cancellationToken) =>
        columns?.CheckAsync(session, cancellationToken) ?? ValueTask.CompletedTask;

    private static (int Source, long Record, long Offset) FirstOf(RowBlock block) =>
        (block.Source, block.Extent.First.Record, block.Extent.First.Offset);
}
