using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Forwards connections to a server, counts what passes, and cuts one of them behind so many bytes of one side.</summary>
internal sealed class CuttingRelay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Connection> _connections = [];
    private readonly List<Task> _work = [];
    private readonly TestServer _server;
    private readonly (int Connection, bool IsClients, long Bytes)? _cut;
    private readonly Task _listening;

    /// <param name="server">where to forward to</param>
    /// <param name="cut">the number of the connection, whether the client's bytes are counted or the server's, and how many pass; null: none</param>
    public CuttingRelay(TestServer server, (int Connection, bool IsClients, long Bytes)? cut = null)
    {
        (_server, _cut) = (server, cut);
        _listener.Start();
        _listening = ListenAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Connections that were cut.</summary>
    public int Cuts { get; private set; }

    /// <summary>Bytes that both sides of each connection have sent, in the order in which they were opened.</summary>
    public IReadOnlyList<(long Clients, long Servers)> Passed => [.. _connections.Select(connection => (connection.Clients, connection.Servers))];

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_work).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task ListenAsync()
    {
        while (true)
        {
            var client = await _listener.AcceptTcpClientAsync(_stop.Token);
            var connection = new Connection();
            _connections.Add(connection);
            _work.Add(ForwardAsync(client, connection, _cut is { } cut && cut.Connection == _connections.Count - 1 ? cut : null));
        }
    }

    private async Task ForwardAsync(TcpClient client, Connection connection, (int, bool IsClients, long Bytes)? cut)
    {
        using var _ = client;
        using var upstream = new TcpClient();
        await upstream.ConnectAsync(_server.Host, _server.Port, _stop.Token);
        await await Task.WhenAny(
            CopyAsync(client.GetStream(), upstream.GetStream(), count => connection.Clients += count, cut is { IsClients: true } ? cut.Value.Bytes : long.MaxValue),
            CopyAsync(upstream.GetStream(), client.GetStream(), count => connection.Servers += count, cut is { IsClients: false } ? cut.Value.Bytes : long.MaxValue));
    }

    private async Task CopyAsync(NetworkStream from, NetworkStream to, Action<int> onPassed, long left)
    {
        var buffer = new byte[16 * 1024];
        while (await from.ReadAsync(buffer, _stop.Token) is > 0 and var count)
        {
            var passed = (int)Math.Min(count, left);
            await to.WriteAsync(buffer.AsMemory(0, passed), _stop.Token);
            onPassed(passed);
            left -= passed;
            if (left == 0)
            {
                Cuts++;
                return;
            }
        }
    }

    private sealed class Connection
    {
        public long Clients { get; set; }

        public long Servers { get; set; }
    }
}
