using System.Threading.Channels;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>Blocks in the order in which they were read; those of a chunk that is not committed yet can be had once more.</summary>
/// <remarks>One may take them while another finishes and releases; everything else is for when neither does.</remarks>
/// <param name="input">where they come from</param>
/// <param name="pool">where they go back to</param>
/// <param name="keeps">whether they are kept until <see cref="Release"/>; else no longer than they are used</param>
internal sealed class BlockFeed(ChannelReader<RowBlock> input, BlockPool pool, bool keeps) : IBlockQueue
{
    private readonly List<RowBlock> _kept = [];
    private int _next;
    private int _finished;

    /// <summary>Whether what is not released can be had once more.</summary>
    public bool Keeps => keeps;

    /// <inheritdoc/>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken) =>
        TryPeek(out _) ? ValueTask.FromResult(true) : input.WaitToReadAsync(cancellationToken);

    /// <inheritdoc/>
    public bool TryRead(out RowBlock block)
    {
        lock (_kept)
        {
            if (_next < _kept.Count)
            {
                block = _kept[_next++];
                return true;
            }
        }

        if (!input.TryRead(out var fresh))
        {
            block = null!;
            return false;
        }

        block = fresh;
        if (keeps)
        {
            lock (_kept)
            {
                _kept.Add(block);
                _next++;
            }
        }

        return true;
    }

    /// <inheritdoc/>
    public bool TryPeek(out RowBlock block)
    {
        lock (_kept)
        {
            if (_next < _kept.Count)
            {
                block = _kept[_next];
                return true;
            }
        }

        return input.TryPeek(out block!);
    }

    /// <summary>The fate of each of a block's records is known.</summary>
    public void Finish(RowBlock block)
    {
        if (keeps)
        {
            _finished++;
        }
        else
        {
            pool.Return(block);
        }
    }

    /// <summary>What is finished is committed, and not needed any more.</summary>
    public void Release()
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
        }
    }

    /// <summary>Goes back to the first block that is not released.</summary>
    public void Rewind() => (_next, _finished) = (0, 0);
}
