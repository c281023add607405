using System.Threading.Channels;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>Blocks in the order in which they were read; those of a chunk that is not committed yet can be had once more.</summary>
/// <param name="input">where they come from</param>
/// <param name="pool">where they go back to</param>
/// <param name="keeps">whether they are kept until <see cref="Release"/>; else no longer than they are used</param>
internal sealed class BlockFeed(ChannelReader<RowBlock> input, BlockPool pool, bool keeps)
{
    private readonly List<RowBlock> _kept = [];
    private int _next;
    private int _finished;

    /// <summary>Whether what is not released can be had once more.</summary>
    public bool Keeps => keeps;

    /// <summary>False at the end. Throws what ended the input early.</summary>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken) =>
        _next < _kept.Count ? ValueTask.FromResult(true) : input.WaitToReadAsync(cancellationToken);

    /// <summary>Takes the next block, if it is here.</summary>
    public bool TryRead(out RowBlock block)
    {
        if (_next < _kept.Count)
        {
            block = _kept[_next++];
            return true;
        }

        if (!input.TryRead(out var fresh))
        {
            block = null!;
            return false;
        }

        block = fresh;
        if (keeps)
        {
            _kept.Add(block);
            _next++;
        }

        return true;
    }

    /// <summary>Looks at the next block, if it is here.</summary>
    public bool TryPeek(out RowBlock block)
    {
        if (_next < _kept.Count)
        {
            block = _kept[_next];
            return true;
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
        foreach (var block in _kept.Take(_finished))
        {
            pool.Return(block);
        }

        _kept.RemoveRange(0, _finished);
        _next -= _finished;
        _finished = 0;
    }

    /// <summary>Goes back to the first block that is not released.</summary>
    public void Rewind() => (_next, _finished) = (0, 0);
}
