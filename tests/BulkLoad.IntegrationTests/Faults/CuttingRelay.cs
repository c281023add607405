using System.Collections.Concurrent;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Forwards connections to a server, counts what passes, and cuts one of them behind so many bytes of one side.</summary>
internal sealed class CuttingRelay : Forwarder
{
    private readonly ConcurrentDictionary<int, Connection> _connections = [];
    private readonly (int Connection, bool IsClients, long Bytes)? _cut;

    /// <param name="server">where to forward to</param>
    /// <param name="cut">the number of the connection, whether the client's bytes are counted or the server's, and how many pass; null:
    /// none</param>
    public CuttingRelay(TestServer server, (int Connection, bool IsClients, long Bytes)? cut = null)
        : base(server)
    {
        _cut = cut;
        Listen();
    }

    /// <summary>Bytes that both sides of each connection have sent, in the order in which they were opened.</summary>
    public IReadOnlyList<(long Clients, long Servers)> Passed =>
        [.. _connections.OrderBy(entry => entry.Key).Select(entry => (entry.Value.Clients, entry.Value.Servers))];

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        var connection = _connections[number] = new Connection();
        var cut = _cut is { } one && one.Connection == number ? _cut : null;
        await await Task.WhenAny(
            CopyAsync(client, upstream, count => connection.Clients += count, cut is { IsClients: true } ? cut.Value.Bytes : long.MaxValue),
            CopyAsync(
                upstream, client, count => connection.Servers += count, cut is { IsClients: false } ? cut.Value.Bytes : long.MaxValue));
    }

    private async Task CopyAsync(NetworkStream from, NetworkStream to, Action<int> onPassed, long left)
    {
        var buffer = new byte[16 * 1024];
        while (await from.ReadAsync(buffer, Stopped) is > 0 and var count)
        {
            var passed = (int)Math.Min(count, left);
            await to.WriteAsync(buffer.AsMemory(0, passed), Stopped);
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
