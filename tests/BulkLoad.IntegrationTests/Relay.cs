using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests;

/// <summary>
/// Forwards one connection to a server from another loopback address, and can stop forwarding what the client sends:
/// a broken network, without a broken machine.
/// </summary>
internal sealed class Relay : IAsyncDisposable
{
    /// <summary>An address of this machine that no test certificate names.</summary>
    public const string Host = "127.0.0.2";

    private readonly TcpListener _listener;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _frozen = new();
    private readonly long _clientBytes;
    private readonly Task _work;

    /// <param name="server">where to forward to</param>
    /// <param name="clientBytes">how many bytes of the client's pass</param>
    /// <param name="address">where to listen</param>
    public Relay(TestServer server, long clientBytes = long.MaxValue, string address = Host)
    {
        _listener = new TcpListener(IPAddress.Parse(address), 0);
        _clientBytes = clientBytes;
        _listener.Start();
        _work = RunAsync(server);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Complete once the client has sent all that passes.</summary>
    public Task Frozen => _frozen.Task;

    /// <summary>Closes both connections; may be called twice.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _work.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task RunAsync(TestServer server)
    {
        using var client = await _listener.AcceptTcpClientAsync(_stop.Token);
        using var upstream = new TcpClient();
        await upstream.ConnectAsync(server.Host, server.Port, _stop.Token);
        await Task.WhenAny(
            ForwardAsync(client.GetStream(), upstream.GetStream(), _clientBytes),
            ForwardAsync(upstream.GetStream(), client.GetStream(), long.MaxValue));
    }

    private async Task ForwardAsync(NetworkStream from, NetworkStream to, long left)
    {
        var buffer = new byte[64 * 1024];
        while (true)
        {
            var count = await from.ReadAsync(buffer, _stop.Token);
            if (count == 0)
            {
                return;
            }

            var passed = (int)Math.Min(count, left);
            await to.WriteAsync(buffer.AsMemory(0, passed), _stop.Token);
            left -= passed;
            if (left == 0)
            {
                // Nothing more is read from this side; only its end is noticed by the other direction or by the test.
                _frozen.TrySetResult();
                await Task.Delay(Timeout.Infinite, _stop.Token);
            }
        }
    }
}
