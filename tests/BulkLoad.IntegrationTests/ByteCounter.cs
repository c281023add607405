using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests;

/// <summary>Forwards connections to a server, keeps what clients send, and counts what it answers.</summary>
internal sealed class ByteCounter : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly TestServer _server;
    private readonly Task _work;
    private readonly MemoryStream _sent = new();
    private long _answered;

    public ByteCounter(TestServer server)
    {
        _server = server;
        _listener.Start();
        _work = AcceptAsync();
    }

    /// <summary>Bytes that the server has sent so far.</summary>
    public long Answered => Interlocked.Read(ref _answered);

    /// <summary>What clients have sent so far, in the order in which it came.</summary>
    public byte[] Sent
    {
        get
        {
            lock (_sent)
            {
                return _sent.ToArray();
            }
        }
    }

    /// <summary>BULKLOAD_URL of a program that is to be counted.</summary>
    public string UrlOf(Workplace place) => BulkLoadProcess.UrlOf(place)
        .Replace($"{_server.Host}:{_server.Port}/", $"127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}/", StringComparison.Ordinal);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _work.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            _ = ForwardAsync(await _listener.AcceptTcpClientAsync(_stop.Token));
        }
    }

    private async Task ForwardAsync(TcpClient client)
    {
        using (client)
        {
            using var upstream = new TcpClient();
            await upstream.ConnectAsync(_server.Host, _server.Port, _stop.Token);
            await Task.WhenAny(CopyAsync(client.GetStream(), upstream.GetStream(), counts: false),
                CopyAsync(upstream.GetStream(), client.GetStream(), counts: true));
        }
    }

    private async Task CopyAsync(NetworkStream from, NetworkStream to, bool counts)
    {
        var buffer = new byte[64 * 1024];
        while (await from.ReadAsync(buffer, _stop.Token) is > 0 and var count)
        {
            if (counts)
            {
                Interlocked.Add(ref _answered, count);
            }
            else
            {
                lock (_sent)
                {
                    _sent.Write(buffer.AsSpan(0, count));
                }
            }

            await to.WriteAsync(buffer.AsMemory(0, count), _stop.Token);
        }
    }
}
