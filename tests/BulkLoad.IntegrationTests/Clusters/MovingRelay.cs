using System.Net.Sockets;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>What a proxy in front of a cluster does: it sends new connections to one node, then to another one.</summary>
internal sealed class MovingRelay : Forwarder
{
    private readonly Lock _lock = new();
    private CancellationTokenSource _cut = new();
    private TaskCompletionSource _passable = new();

    /// <param name="server">the first node</param>
    public MovingRelay(TestServer server)
        : base(server)
    {
        _passable.SetResult();
        Listen();
    }

    /// <summary>Cuts all connections; those that come go to another node.</summary>
    public void MoveTo(TestServer server)
    {
        Target = server;
        Cut();
    }

    /// <summary>Cuts all connections; nothing that was held back by <see cref="Freeze"/> reaches the other side.</summary>
    public void Cut()
    {
        CancellationTokenSource cut;
        lock (_lock)
        {
            cut = _cut;
            _cut = new CancellationTokenSource();
            Cuts++;
        }

        cut.Cancel();
        _passable.TrySetResult();
    }

    /// <summary>Nothing passes until the next cut.</summary>
    public void Freeze() => _passable = new TaskCompletionSource();

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        CancellationToken cut;
        lock (_lock)
        {
            cut = _cut.Token;
        }

        using var end = CancellationTokenSource.CreateLinkedTokenSource(cut, Stopped);
        await Task.WhenAny(PassAsync(client, upstream, end.Token), PassAsync(upstream, client, end.Token));
        await end.CancelAsync();
    }

    private async Task PassAsync(NetworkStream from, NetworkStream to, CancellationToken end)
    {
        var buffer = new byte[64 * 1024];
        while (await from.ReadAsync(buffer, end) is > 0 and var count)
        {
            await _passable.Task.WaitAsync(end);
            end.ThrowIfCancellationRequested();
            await to.WriteAsync(buffer.AsMemory(0, count), end);
        }
    }
}
