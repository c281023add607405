using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// Forwards connections to a server. Behind so many bytes of one side of a connection all connections are cut, and something is done to the
/// server before anything else reaches it: what answers then is a copy that has become the primary. That may happen several times.
/// </summary>
internal sealed class PromotingRelay : Forwarder
{
    private readonly Queue<(int Connection, bool IsClients, long Bytes)> _cuts;
    private readonly Func<Task> _promoteAsync;
    private readonly Lock _lock = new();
    private Primary _primary;

    /// <param name="server">where to forward to</param>
    /// <param name="promoteAsync">what is done after a cut; all connections are closed then</param>
    /// <param name="cuts">
    /// for each: the connection, by the order in which they were opened since the last one, whether its client's bytes are counted or its
    /// server's, and how many pass
    /// </param>
    public PromotingRelay(TestServer server, Func<Task> promoteAsync, params IEnumerable<(int Connection, bool IsClients, long Bytes)> cuts)
        : base(server)
    {
        (_promoteAsync, _cuts) = (promoteAsync, new(cuts));
        _primary = new Primary(NextCut(), Task.CompletedTask);
        Listen();
    }

    /// <summary>Bytes that both sides of each connection have sent since the last cut, in the order in which they were opened.</summary>
    public IReadOnlyList<(long Clients, long Servers)> Passed =>
        [.. _primary.Connections.Select(connection => (connection.Clients, connection.Servers))];

    /// <summary>What was done after the last cut; fails as that did.</summary>
    public Task Promoted => _primary.Ready;

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        var connection = new Connection();
        Primary primary;
        lock (_lock)
        {
            primary = _primary;
            primary.Connections.Add(connection);
        }

        try
        {
            await primary.Ready.WaitAsync(Stopped);
            using var end = CancellationTokenSource.CreateLinkedTokenSource(primary.Cut.Token, Stopped);
            var isCut = primary.Due is { } due && due.Connection == primary.Connections.IndexOf(connection);
            await Task.WhenAny(
                CopyAsync(client, upstream, bytes => connection.Clients += bytes, isCut && primary.Due!.Value.IsClients),
                CopyAsync(upstream, client, bytes => connection.Servers += bytes, isCut && !primary.Due!.Value.IsClients));

            async Task CopyAsync(NetworkStream from, NetworkStream to, Action<int> onPassed, bool isCounted)
            {
                var left = isCounted ? primary.Due!.Value.Bytes : long.MaxValue;
                var buffer = new byte[16 * 1024];
                while (await from.ReadAsync(buffer, end.Token) is > 0 and var count)
                {
                    var passed = (int)Math.Min(count, left);
                    await to.WriteAsync(buffer.AsMemory(0, passed), end.Token);
                    onPassed(passed);
                    left -= passed;
                    if (left == 0)
                    {
                        Promote(primary);
                        return;
                    }
                }
            }
        }
        finally
        {
            client.Close();
            upstream.Close();
            connection.Closed.SetResult();
        }
    }

    private (int Connection, bool IsClients, long Bytes)? NextCut() => _cuts.TryDequeue(out var cut) ? cut : null;

    private void Promote(Primary primary)
    {
        lock (_lock)
        {
            Cuts++;
            Task[] closed = [.. primary.Connections.Select(connection => connection.Closed.Task)];
            primary.Cut.Cancel();
            _primary = new Primary(NextCut(), PromoteAsync(closed));
        }
    }

    private async Task PromoteAsync(Task[] closed)
    {
        await Task.Yield();
        await Task.WhenAll(closed);
        await _promoteAsync();
    }

    private sealed record Primary((int Connection, bool IsClients, long Bytes)? Due, Task Ready)
    {
        public List<Connection> Connections { get; } = [];

        public CancellationTokenSource Cut { get; } = new();
    }

    private sealed class Connection
    {
        public long Clients { get; set; }

        public long Servers { get; set; }

        public TaskCompletionSource Closed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
