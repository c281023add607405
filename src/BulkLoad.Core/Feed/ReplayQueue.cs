using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>Blocks in the order in which they were read; those of an uncommitted chunk can be read again. One thread may read while another
/// calls <see cref="Finish"/> and <see cref="Release"/>; all else needs both to stand still.</summary>
/// <param name="keeps">whether blocks are kept until <see cref="Release"/>; otherwise until they are used</param>
/// <param name="most">limit of the memory, in bytes, of finished blocks that are kept; beyond it, all of them are dropped</param>
internal sealed class ReplayQueue(ChannelReader<RowBlock> input, BlockPool pool, bool keeps, long most = long.MaxValue)
    : ChannelReader<RowBlock>
{
    private readonly List<RowBlock> _kept = [];
    private int _next;
    private int _finished;
    private long _finishedBytes;
    private long _records;

    /// <summary>Limit of a chunk's records: one ends before the block that would exceed it, if that is as large as the block before. To be
    /// set before blocks are read.</summary>
    public long MaxRecords { get; set; } = long.MaxValue;

    public bool Keeps => keeps && !HasGivenUp;

    /// <summary>Whether blocks that are not released had to be dropped.</summary>
    public bool HasGivenUp { get; private set; }

    public override ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default) =>
        TryPeek(out _) ? ValueTask.FromResult(true) : input.WaitToReadAsync(cancellationToken);

    public override bool TryRead([MaybeNullWhen(false)] out RowBlock item)
    {
        lock (_kept)
        {
            if (_next < _kept.Count)
            {
                item = _kept[_next++];
                Bound(item);
                return true;
            }
        }

        if (!input.TryRead(out item))
        {
            return false;
        }

        Bound(item);

        if (keeps)
        {
            lock (_kept)
            {
                _kept.Add(item);
                _next++;
            }
        }

        return true;
    }

    public override bool TryPeek([MaybeNullWhen(false)] out RowBlock item)
    {
        lock (_kept)
        {
            if (_next < _kept.Count)
            {
                item = _kept[_next];
                return true;
            }
        }

        return input.TryPeek(out item);
    }

    /// <summary>Called when the outcome of each of a block's records is known.</summary>
    public void Finish(RowBlock block)
    {
        if (!keeps)
        {
            pool.Return(block);
            return;
        }

        _finished++;
        if (most == long.MaxValue)
        {
            return;
        }

        pool.Finish(block);
        _finishedBytes += block.HeldBytes;
        if (_finishedBytes > most)
        {
            ReturnFinished();
            HasGivenUp = true;
        }
    }

    /// <summary>Called when the finished blocks are committed.</summary>
    public void Release()
    {
        ReturnFinished();
        HasGivenUp = false;
    }

    /// <summary>Goes back to the first block that is not released.</summary>
    public void Rewind() => (_next, _finished, _finishedBytes, _records) = (0, 0, 0, 0);

    private void Bound(RowBlock block)
    {
        _records += block.RecordCount;
        block.EndsChunk |= _records + block.RecordCount > MaxRecords;
        _records = block.EndsChunk ? 0 : _records;
    }

    private void ReturnFinished()
    {
        lock (_kept)
        {
            foreach (var block in _kept.Take(_finished))
            {
                pool.Return(block);
            }

            _kept.RemoveRange(0, _finished);
            _next -= _finished;
            _finished = 0;
            _finishedBytes = 0;
        }
    }
}

/// <summary>Records that former starts of the job have committed: the pass over the inputs skips them.</summary>
internal interface ICommittedRecords
{
    long Rejects { get; }

    /// <summary>The last record's 1-based number where the inputs are sorted together; 0: there is none.</summary>
    long LastPlace { get; }

    /// <summary>Whether the record is committed. Called for each record, in the order in which they are sent.</summary>
    /// <param name="source">0-based number of its input</param>
    /// <param name="record">1-based number in its input</param>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    /// <exception cref="PlanException">the input has changed before the last committed record</exception>
    bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes);

    /// <summary>Called at the end of an input.</summary>
    /// <exception cref="PlanException">the input had more records</exception>
    void EndSource(int source);
}

/// <summary>The place up to which this start has committed the inputs.</summary>
/// <param name="Record">its 1-based number in its input; 0: nothing of that input</param>
internal readonly record struct ResumePoint(int Source, long Record, long Rejects)
{
    public bool Has(int source, long record) => source < Source || (source == Source && record <= Record);
}

/// <summary>What is known of records before a pass over the inputs.</summary>
/// <param name="Committed">by former starts of the job; null: nothing</param>
/// <param name="ResumeAt">what this start has committed</param>
/// <param name="Superseded">records that are marked in their blocks; null: none. Stays the caller's</param>
internal sealed record KnownRecords(ICommittedRecords? Committed, ResumePoint ResumeAt = default, RepeatedKeys? Superseded = null)
{
    public static readonly KnownRecords None = new(Committed: null);

    public long Rejects => Math.Max(Committed?.Rejects ?? 0, ResumeAt.Rejects);

    public long LastPlace => Math.Max(Committed?.LastPlace ?? 0, ResumeAt.Record);

    public bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes) =>
        Committed?.Has(source, record, offset, bytes) == true || ResumeAt.Has(source, record);
}
