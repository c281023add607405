using System.Runtime.CompilerServices;
using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>One reading of all inputs beside whoever takes the blocks, who is never more than a few MiB behind. What is committed already
/// is skipped.</summary>
/// <param name="superseded">records that are marked in their blocks; null: none. Stays the caller's</param>
internal sealed class InputReader(
    IReadOnlyList<LoadSource> sources, LoadRequest request, LoadFacts facts, BatchSizes sizes, RepeatedKeys? superseded = null,
    ICommittedRecords? committed = null, ResumePoint behind = default, SortPlan? sort = null)
{
    /// <summary>Bytes of memory of blocks that may wait between the two sides; measured: with twice as much an import is no
    /// faster.</summary>
    private const long BytesAhead = 6 * 1024 * 1024;

    private const int MostBlockBytes = 64 * 1024 * 1024;
    private const int LeastBlockRows = 16;
    private const int MostBlockRows = 65_536;

    public ReadCounts Read { get; } = new(sources.Count);

    /// <summary>Called after each block that was read to be sorted.</summary>
    public Action? OnSorting { get; set; }

    public int SortBytes { get; init; } = SortedBlockProducer.MemoryBytes;

    /// <summary>Where blocks come from and go back to. As large as the usual batch is: a chunk of many small ones is in memory at a
    /// time.</summary>
    public BlockPool Blocks { get; } = new(
        facts.RowColumns.Count,
        (int)Math.Min(Math.Min(sizes.BytesPerBatch, (long)(sizes.RowsPerBatch * facts.RecordBytes)) * 5 / 4, MostBlockBytes),
        (int)Math.Clamp(Math.Min(Math.Min(sizes.RowsPerBatch, sizes.ValuesPerBlock / facts.RowColumns.Count),
        sizes.BytesPerBatch / facts.RecordBytes * 5 / 4), LeastBlockRows, MostBlockRows),
        sizes.Ahead);

    /// <summary>Reads until the end, or until nobody takes the next block. What ended the reading early is thrown to who does.</summary>
    /// <returns>blocks in the input's order; each is used again once the next one is asked for</returns>
    public async IAsyncEnumerable<RowBlock> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await using var pass = Start(cancellationToken);
        await foreach (var block in pass.ReadAsync(Blocks, cancellationToken))
        {
            yield return block;
        }
    }

    /// <summary>Begins to read, until the end or until it is disposed of.</summary>
    public InputPass Start(CancellationToken cancellationToken)
    {
        var capacity = (int)Math.Clamp(BytesAhead / Blocks.BytesOfBlock, 2, 32);
        var channel = Channel.CreateBounded<RowBlock>(new BoundedChannelOptions(capacity) { SingleReader = true, SingleWriter = true });
        Func<CancellationToken, Task> pumpAsync = sort is { IsSorted: true }
            ? new SortedBlockProducer(sources, request, sizes, facts, sort.Key, Read, Blocks, channel.Writer, committed, behind,
                () => OnSorting?.Invoke(), MemoryPlan.ForSorting(request, SortBytes)).RunAsync
            : new BlockProducer(sources, request, sizes, facts.Server.Zone, Read, Blocks, superseded, channel.Writer, committed, behind)
            {
                BeginsLarge = facts.Server.IsFar,
            }.RunAsync;

        return new InputPass(channel.Reader, pumpAsync, sources.All(source => source.CanReadAgain), cancellationToken);
    }
}

internal sealed class InputPass : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly Task _pump;
    private readonly bool _isPrompt;

    /// <param name="blocks">what it gives; completed by the pump, with what ended it early</param>
    /// <param name="pumpAsync">reads; does not throw</param>
    /// <param name="isPrompt">whether it ends when it is asked to: a pipe may have nothing to say for hours</param>
    public InputPass(
        ChannelReader<RowBlock> blocks, Func<CancellationToken, Task> pumpAsync, bool isPrompt, CancellationToken cancellationToken)
    {
        (Blocks, _isPrompt) = (blocks, isPrompt);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _pump = Task.Run(() => pumpAsync(_stop.Token), CancellationToken.None);
    }

    /// <summary>In the input's order.</summary>
    public ChannelReader<RowBlock> Blocks { get; }

    /// <summary>All blocks that are left; each goes back to the pool once the next one is asked for.</summary>
    public async IAsyncEnumerable<RowBlock> ReadAsync(BlockPool pool, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var block in Blocks.ReadAllAsync(cancellationToken))
        {
            yield return block;
            pool.Return(block);
        }
    }

    /// <summary>Ends it, and where that is prompt waits until its counts do not change any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        if (_isPrompt || Blocks.Completion.IsCompleted)
        {
            await _pump;
        }

        _stop.Dispose();
    }
}

/// <summary>What the reading side has seen; written by one thread, read by others.</summary>
internal sealed class ReadCounts(int sources)
{
    private readonly long[] _records = new long[sources];
    private readonly long[] _bytes = new long[sources];

    public long Records => _records.Sum();

    public long Bytes => _bytes.Sum();

    public long RecordsOf(int source) => Interlocked.Read(ref _records[source]);

    public long BytesOf(int source) => Interlocked.Read(ref _bytes[source]);

    public void SetRecords(int source, long records) => Interlocked.Exchange(ref _records[source], records);

    public void SetBytes(int source, long bytes) => Interlocked.Exchange(ref _bytes[source], bytes);
}

/// <summary>The pass over the inputs that feeds the sending side, one at a time.</summary>
internal sealed class InputFeed : IAsyncDisposable
{
    private InputPass? _pass;
    private ReplayQueue? _feed;
    private InputReader? _ahead;

    /// <summary>The feed of a pass that still has all that is not committed; null: it takes another pass.</summary>
    public ReplayQueue? Kept => _ahead is null && _feed is { Keeps: true } ? _feed : null;

    /// <summary>Whether the pass has given up some of what is not committed: only another pass has all of it.</summary>
    public bool HasGivenUp => _feed is { HasGivenUp: true };

    /// <summary>Begins a pass that somebody may need soon: <see cref="TakeAhead"/>.</summary>
    /// <param name="keeps">whether a chunk can be had once more until it is committed</param>
    /// <param name="most">bytes of memory of what is kept</param>
    public void ReadAhead(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        _ahead = reading;
        _pass = reading.Start(cancellationToken);
        _feed = new ReplayQueue(_pass.Blocks, reading.Blocks, keeps, most);
    }

    /// <summary>The pass that was begun ahead, once; null: there is none.</summary>
    public (InputReader Reading, ReplayQueue Feed)? TakeAhead()
    {
        var ahead = _ahead;
        _ahead = null;
        return ahead is null ? null : (ahead, _feed!);
    }

    public async Task<ReplayQueue> StartAsync(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        await DisposeAsync();
        _ahead = null;
        _pass = reading.Start(cancellationToken);
        return _feed = new ReplayQueue(_pass.Blocks, reading.Blocks, keeps, most);
    }

    /// <summary>The pass is of no use any more: another one begins with the inputs.</summary>
    public async Task ForgetAsync()
    {
        await DisposeAsync();
        (_pass, _feed, _ahead) = (null, null, null);
    }

    public ValueTask DisposeAsync() => _pass?.DisposeAsync() ?? ValueTask.CompletedTask;
}
