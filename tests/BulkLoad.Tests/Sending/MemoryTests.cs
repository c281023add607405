using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Sending;

/// <summary>What is held of blocks where memory is bounded.</summary>
public sealed class MemoryTests
{
    [Fact]
    public async Task Who_fills_blocks_waits_until_one_is_done_with()
    {
        var pool = new BlockPool(1, 1024, maxAhead: 5000);
        var (first, second, third) = (pool.Rent(), pool.Rent(), pool.Rent());
        await pool.HandOverAsync(first, default);
        await pool.HandOverAsync(second, default);
        var waiting = pool.HandOverAsync(third, default).AsTask();
        Assert.False(waiting.IsCompleted);
        pool.Finish(first);
        await waiting;
        pool.Return(second);
        pool.Return(second);
        await pool.HandOverAsync(first, default);
    }

    [Fact]
    public async Task One_block_is_let_pass_whatever_its_size()
    {
        var pool = new BlockPool(1, 1024, maxAhead: 1);
        await pool.HandOverAsync(pool.Rent(), default);
        await pool.HandOverAsync(pool.Rent(), default);
        using var stop = new CancellationTokenSource();
        var waiting = pool.HandOverAsync(pool.Rent(), stop.Token).AsTask();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Fact]
    public void Blocks_that_are_too_much_to_keep_are_given_up_until_the_next_chunk()
    {
        var pool = new BlockPool(1, 1024);
        var channel = Channel.CreateUnbounded<RowBlock>();
        var feed = new ReplayQueue(channel.Reader, pool, keeps: true, most: 10_000);
        Assert.True(Pass(feed, channel) && Pass(feed, channel));
        Assert.False(Pass(feed, channel), "more is kept than may be");
        Assert.True(feed.HasGivenUp);
        feed.Release();
        Assert.True(Pass(feed, channel) && feed.Keeps);
    }

    private static bool Pass(ReplayQueue feed, Channel<RowBlock> channel)
    {
        channel.Writer.TryWrite(new RowBlock(1, 1024));
        Assert.True(feed.TryRead(out var block));
        feed.Finish(block);
        return feed.Keeps;
    }
}
