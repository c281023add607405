using System.Net;
using System.Net.Sockets;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>Connecting while a thread is kept ends in time all the same.</summary>
public sealed class KeptThreadTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task A_server_that_takes_the_connection_and_says_nothing_runs_into_the_time_limit()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var options = OptionsFor(listener, TimeSpan.FromMilliseconds(100));
        var fault = await Assert.ThrowsAsync<ConnectException>(() => ConnectAsync(options, default));
        Assert.StartsWith($"cannot connect to {options.Endpoint}: no answer within 0.1 s", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_does_not_take_the_connection_runs_into_the_time_limit()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(0);
        var options = OptionsFor(listener, TimeSpan.FromMilliseconds(100));
        using var waiting = await FillAsync(options);
        var fault = await Assert.ThrowsAsync<ConnectException>(() => ConnectAsync(options, default));
        Assert.StartsWith($"cannot connect to {options.Endpoint}: no answer within 0.1 s", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    public async Task Cancelling_ends_the_wait(int backlog)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(backlog);
        var options = OptionsFor(listener, Patience);
        using var waiting = backlog == 0 ? await FillAsync(options) : null;
        using var cancel = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ConnectAsync(options, cancel.Token));
    }

    private static Task<ServerSession> ConnectAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        Task.Run(() => ServerSession.ConnectAsync(options, cancellationToken), CancellationToken.None)
            .WaitAsync(Patience, CancellationToken.None);

    /// <summary>Connects, which is taken, until one is not: the next one waits, too.</summary>
    private static async Task<Waiting> FillAsync(ConnectionOptions options)
    {
        var waiting = new Waiting();
        Task connecting;
        do
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            waiting.Sockets.Add(socket);
            connecting = socket.ConnectAsync(IPAddress.Loopback, options.Port);
        }
        while (await Task.WhenAny(connecting, Task.Delay(TimeSpan.FromMilliseconds(300))) == connecting);
        return waiting;
    }

    private static ConnectionOptions OptionsFor(TcpListener listener, TimeSpan timeout) => Peers.Options with
    {
        Host = "127.0.0.1",
        Port = ((IPEndPoint)listener.LocalEndpoint).Port,
        ConnectTimeout = timeout,
        KeepsThread = true,
    };

    private sealed class Waiting : IDisposable
    {
        public List<Socket> Sockets { get; } = [];

        public void Dispose() => Sockets.ForEach(socket => socket.Dispose());
    }
}
