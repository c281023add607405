using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Forwards connections to a server, as far as it lets them pass.</summary>
internal abstract class Forwarder : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _connections = [];
    private Task _listening = Task.CompletedTask;

    /// <param name="server">where to forward to</param>
    protected Forwarder(TestServer server)
    {
        Target = server;
        _listener.Start();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Where connections go that are opened from now on.</summary>
    public TestServer Target { get; set; }

    /// <summary>Connections that were cut.</summary>
    public int Cuts { get; protected set; }

    protected CancellationToken Stopped => _stop.Token;

    /// <summary>Closes all connections, and takes no more; may be called twice.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_connections).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Forwards both directions until one of them ends.</summary>
    protected Task PassAsync(NetworkStream client, NetworkStream upstream) =>
        Task.WhenAny(client.CopyToAsync(upstream, Stopped), upstream.CopyToAsync(client, Stopped));

    /// <summary>Takes connections from now on.</summary>
    protected void Listen() => _listening = ListenAsync();

    /// <summary>Forwards both directions of a connection until it is cut or one of them ends; both are closed then.</summary>
    /// <param name="number">0-based, in the order in which they were opened</param>
    /// <param name="client">the client's side</param>
    /// <param name="upstream">the server's side</param>
    protected abstract Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream);

    /// <summary>Waited for before a connection is forwarded, and it is known where to.</summary>
    protected virtual Task ReadyAsync() => Task.CompletedTask;

    private async Task ListenAsync()
    {
        while (true)
        {
            _connections.Add(ForwardAsync(_connections.Count, await _listener.AcceptTcpClientAsync(Stopped)));
        }
    }

    private async Task ForwardAsync(int number, TcpClient client)
    {
        using var _ = client;
        await ReadyAsync();
        using var upstream = new TcpClient();
        await upstream.ConnectAsync(Target.Host, Target.Port, Stopped);
        await ForwardAsync(number, client.GetStream(), upstream.GetStream());
    }
}
