using System.Threading.Channels;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>A pass over the inputs that is under way.</summary>
internal sealed class InputPass : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly Task _pump;
    private readonly bool _isPrompt;

    /// <param name="blocks">what it gives; completed by the pump, with what ended it early</param>
    /// <param name="pumpAsync">reads; does not throw</param>
    /// <param name="isPrompt">whether it ends when it is told to: a pipe may have nothing to say for hours</param>
    public InputPass(ChannelReader<RowBlock> blocks, Func<CancellationToken, Task> pumpAsync, bool isPrompt, CancellationToken cancellationToken)
    {
        (Blocks, _isPrompt) = (blocks, isPrompt);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _pump = Task.Run(() => pumpAsync(_stop.Token), CancellationToken.None);
    }

    /// <summary>In the input's order.</summary>
    public ChannelReader<RowBlock> Blocks { get; }

    /// <summary>Ends it, and where that is prompt waits until its counts stand still.</summary>
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
