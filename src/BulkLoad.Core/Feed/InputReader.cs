using System.Runtime.CompilerServices;
using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>One reading of all inputs, at most a few MiB ahead of the side that takes the blocks. Skips what is committed
/// already.</summary>
/// <param name="known">null: nothing</param>
/// <param name="sort">null: records go in the input's order</param>
internal sealed class InputReader(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, KnownRecords? known = null, SortPlan? sort = null)
{
    /// <summary>Limit of the memory, in bytes, of blocks that wait between the two sides; measured: with twice as much an import is no
    /// faster.</summary>
    private const long BytesAhead = 6 * 1024 * 1024;

    private const int MaxBlockBytes = 64 * 1024 * 1024;
    private const int MinBlockRows = 16;
    private const int MaxBlockRows = 65_536;

    public ReadCounts Read { get; } = new(sources.Count);

    /// <summary>Called after each block that <see cref="ReadAsync"/> gives.</summary>
    public Action? OnBlock { get; set; }

    /// <summary>Called after each block that was read to be sorted.</summary>
    public Action? OnSorting { get; set; }

    public int SortBytes { get; init; } = SortedBlockProducer.DefaultMemoryBytes;

    /// <summary>How inputs are divided between several readers.</summary>
    public PieceSizes Pieces { get; init; } = PieceSizes.For(facts);

    /// <summary>Where blocks come from and go back to. As large as the default batch: a chunk of many small ones is in memory at a
    /// time.</summary>
    public BlockPool Blocks { get; } = new(
        facts.RowColumns.Count,
        (int)Math.Min(Math.Min(sizes.BytesPerBatch, (long)(sizes.RowsPerBatch * facts.RecordBytes)) * 5 / 4, MaxBlockBytes),
        (int)Math.Clamp(Math.Min(Math.Min(sizes.RowsPerBatch, sizes.ValuesPerBlock / facts.RowColumns.Count),
        sizes.BytesPerBatch / facts.RecordBytes * 5 / 4), MinBlockRows, MaxBlockRows),
        sizes.Ahead);

    /// <summary>Reads until the end, or until the caller stops. Throws what ended the reading early.</summary>
    /// <returns>blocks in the input's order; each is reused when the next one is taken</returns>
    public async IAsyncEnumerable<RowBlock> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await using var pass = Start(cancellationToken);
        await foreach (var block in pass.ReadAsync(Blocks, cancellationToken))
        {
            yield return block;
            OnBlock?.Invoke();
        }
    }

    /// <summary>Reads until the end, or until it is disposed of.</summary>
    public InputPass Start(CancellationToken cancellationToken)
    {
        var capacity = (int)Math.Clamp(BytesAhead / Blocks.BytesOfBlock, 2, 32);
        var channel = Channel.CreateBounded<RowBlock>(new BoundedChannelOptions(capacity) { SingleReader = true, SingleWriter = true });
        var (output, found) = (new BlockOutput(Blocks, channel.Writer, Read), known ?? KnownRecords.None);
        Func<CancellationToken, Task> pumpAsync = sort is { IsSorted: true }
            ? new SortedBlockProducer(sources, facts, sizes, output, found, sort.Key)
            {
                OnRead = () => OnSorting?.Invoke(),
                MemoryBytes = MemoryPlan.ForSorting(facts.Request, SortBytes),
                Pieces = Pieces,
            }.RunAsync
            : new BlockProducer(sources, facts, sizes, output, found) { BeginsLarge = facts.Server.IsFar, Pieces = Pieces }.RunAsync;
        return new InputPass(channel.Reader, pumpAsync, sources.All(source => source.CanReadAgain), cancellationToken);
    }
}

internal sealed class InputPass : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly Task _pump;
    private readonly bool _isPrompt;

    /// <param name="blocks">completed by the pump, with the fault that ended it early</param>
    /// <param name="pumpAsync">reads; does not throw</param>
    /// <param name="isPrompt">whether it ends soon after a cancellation: a pipe may be silent for hours</param>
    public InputPass(
        ChannelReader<RowBlock> blocks, Func<CancellationToken, Task> pumpAsync, bool isPrompt, CancellationToken cancellationToken)
    {
        (Blocks, _isPrompt) = (blocks, isPrompt);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _pump = Task.Run(() => pumpAsync(_stop.Token), CancellationToken.None);
    }

    public ChannelReader<RowBlock> Blocks { get; }

    /// <summary>All remaining blocks; each goes back to the pool when the next one is taken.</summary>
    public async IAsyncEnumerable<RowBlock> ReadAsync(BlockPool pool, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var block in Blocks.ReadAllAsync(cancellationToken))
        {
            yield return block;
            pool.Return(block);
        }
    }

    /// <summary>Ends the pass; if it is prompt, waits until its counts do not change any more.</summary>
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

/// <summary>Takes the blocks of the reading side.</summary>
/// <param name="writer">of the bounded channel to the sending side</param>
internal sealed class BlockOutput(BlockPool blocks, ChannelWriter<RowBlock> writer, ReadCounts read)
{
    public BlockPool Blocks => blocks;

    public ReadCounts Read => read;

    public RowBlock Rent(int source)
    {
        var block = blocks.Rent();
        block.Source = source;
        return block;
    }

    public async ValueTask WriteAsync(RowBlock block, CancellationToken cancellationToken)
    {
        await blocks.HandOverAsync(block, cancellationToken);
        await writer.WriteAsync(block, cancellationToken);
    }

    /// <param name="fault">that ended the reading early; null: the reading came to its end</param>
    public void Complete(Exception? fault = null) => writer.Complete(fault);
}

/// <summary>Counts of the reading side; written by one thread, read by others.</summary>
internal sealed class ReadCounts(int sources)
{
    private readonly long[] _records = new long[sources];
    private readonly long[] _bytes = new long[sources];

    private long _allRecords, _allBytes;

    public long Records => Interlocked.Read(ref _allRecords);

    public long Bytes => Interlocked.Read(ref _allBytes);

    public long RecordsOf(int source) => Interlocked.Read(ref _records[source]);

    public long BytesOf(int source) => Interlocked.Read(ref _bytes[source]);

    public void SetRecords(int source, long records) =>
        Interlocked.Add(ref _allRecords, records - Interlocked.Exchange(ref _records[source], records));

    public void SetBytes(int source, long bytes) =>
        Interlocked.Add(ref _allBytes, bytes - Interlocked.Exchange(ref _bytes[source], bytes));
}

/// <summary>The passes over the inputs that feed the sending side, one at a time.</summary>
internal sealed class InputFeed : IAsyncDisposable
{
    private InputPass? _pass;
    private ReplayQueue? _feed;
    private InputReader? _ahead;

    /// <summary>The feed of a pass that still has all that is not committed; null: another pass is needed.</summary>
    public ReplayQueue? Kept => _ahead is null && _feed is { Keeps: true } ? _feed : null;

    /// <summary>Whether the pass has dropped blocks that are not committed: only another pass has all of them.</summary>
    public bool HasGivenUp => _feed is { HasGivenUp: true };

    /// <summary>Begins a pass.</summary>
    /// <param name="keeps">whether a chunk can be read again until it is committed</param>
    /// <param name="most">limit of the memory, in bytes, of what is kept</param>
    public async Task<ReplayQueue> StartAsync(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        await ForgetAsync();
        return Start(reading, keeps, most, cancellationToken);
    }

    /// <summary>Begins the first pass early: see <see cref="TakeAhead"/>.</summary>
    public void ReadAhead(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        _ahead = reading;
        Start(reading, keeps, most, cancellationToken);
    }

    /// <summary>The pass that was begun early, once; null: there is none.</summary>
    public (InputReader Reading, ReplayQueue Feed)? TakeAhead()
    {
        var ahead = _ahead;
        _ahead = null;
        return ahead is null ? null : (ahead, _feed!);
    }

    /// <summary>Drops the pass: the next one begins at the start of the inputs.</summary>
    public async Task ForgetAsync()
    {
        await DisposeAsync();
        (_pass, _feed, _ahead) = (null, null, null);
    }

    public ValueTask DisposeAsync() => _pass?.DisposeAsync() ?? ValueTask.CompletedTask;

    private ReplayQueue Start(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        _pass = reading.Start(cancellationToken);
        return _feed = new ReplayQueue(_pass.Blocks, reading.Blocks, keeps, most);
    }
}
