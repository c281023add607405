using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// Forwards connections to a server, without TLS, and cuts those that carry rows at their second COMMIT: before the server has got it, or
/// when it has answered and the client has not heard.
/// </summary>
internal sealed class CommitCutter : Forwarder
{
    private readonly bool _isDelivered;
    private readonly int _most;

    /// <param name="server">where to forward to</param>
    /// <param name="isDelivered">whether the server gets the COMMIT</param>
    /// <param name="most">connections that are cut; those behind them are not</param>
    public CommitCutter(TestServer server, bool isDelivered, int most = 1)
        : base(server)
    {
        (_isDelivered, _most) = (isDelivered, most);
        Listen();
    }

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        var isHeard = true;
        await Task.WhenAny(SendAsync(), AnswerAsync());

        async Task SendAsync()
        {
            var buffer = new byte[64 * 1024];
            var (carriesRows, commits) = (false, 0);
            while (await client.ReadAsync(buffer, Stopped) is > 0 and var count)
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

                    await upstream.WriteAsync(bytes, Stopped);
                    await Task.Delay(Timeout.Infinite, Stopped);
                }

                await upstream.WriteAsync(bytes, Stopped);
            }
        }

        async Task AnswerAsync()
        {
            var buffer = new byte[64 * 1024];
            while (await upstream.ReadAsync(buffer, Stopped) is > 0 and var count)
            {
                if (!isHeard)
                {
                    return;
                }

                await client.WriteAsync(buffer.AsMemory(0, count), Stopped);
            }
        }
    }
}
