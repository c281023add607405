using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// Forwards connections to a server, without TLS, and cuts those that carry rows at their second COMMIT: before the server has got it, or
/// when it has answered and the client has not heard.
/// </summary>
internal sealed class CommitCutter : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _connections = [];
    private readonly TestServer _server;
    private readonly bool _isDelivered;
    private readonly int _most;
    private readonly Task _work;

    /// <param name="server">where to forward to</param>
    /// <param name="isDelivered">whether the server gets the COMMIT</param>
    /// <param name="most">connections that are cut; those behind them are not</param>
    public CommitCutter(TestServer server, bool isDelivered, int most = 1)
    {
        (_server, _isDelivered, _most) = (server, isDelivered, most);
        _listener.Start();
        _work = ListenAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Connections that were cut.</summary>
    public int Cuts { get; private set; }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _work.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_connections).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task ListenAsync()
    {
        while (true)
        {
            _connections.Add(ForwardAsync(await _listener.AcceptTcpClientAsync(_stop.Token)));
        }
    }

    private async Task ForwardAsync(TcpClient client)
    {
        using var _ = client;
        using var upstream = new TcpClient();
        await upstream.ConnectAsync(_server.Host, _server.Port, _stop.Token);
        var isHeard = true;
        await Task.WhenAny(SendAsync(), AnswerAsync());

        async Task SendAsync()
        {
            var buffer = new byte[64 * 1024];
            var (carriesRows, commits) = (false, 0);
            while (await client.GetStream().ReadAsync(buffer, _stop.Token) is > 0 and var count)
            {
                var bytes = buffer.AsMemory(0, count);
                carriesRows |= bytes.Span.IndexOf("SAVEPOINT bulkload_batch"u8) >= 0;
                commits += carriesRows && bytes.Span.IndexOf("\u0003COMMIT"u8) >= 0 ? 1 : 0;
                if (commits == 2 && Cuts < _most)
                {
                    Cuts++;
                    isHeard = false;
                    if (!_isDelivered)
                    {
                        return;
                    }

                    await upstream.GetStream().WriteAsync(bytes, _stop.Token);
                    await Task.Delay(Timeout.Infinite, _stop.Token);
                }

                await upstream.GetStream().WriteAsync(bytes, _stop.Token);
            }
        }

        async Task AnswerAsync()
        {
            var buffer = new byte[64 * 1024];
            while (await upstream.GetStream().ReadAsync(buffer, _stop.Token) is > 0 and var count)
            {
                if (!isHeard)
                {
                    return;
                }

                await client.GetStream().WriteAsync(buffer.AsMemory(0, count), _stop.Token);
            }
        }
    }
}
