using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// Forwards connections to a server, without TLS, and cuts those that say something, such as that they carry rows, at one of their COMMITs
/// behind that: before the server has got it, or when it has answered and the client has not heard.
/// </summary>
internal sealed class CommitCutter : Forwarder
{
    private readonly bool _isDelivered;
    private readonly int _most;
    private readonly byte[] _mark;
    private readonly int _commit;

    /// <param name="server">where to forward to</param>
    /// <param name="isDelivered">whether the server gets the COMMIT</param>
    /// <param name="most">connections that are cut; those behind them are not</param>
    /// <param name="mark">what the connections say</param>
    /// <param name="commit">which COMMIT, 1 is the first</param>
    public CommitCutter(TestServer server, bool isDelivered, int most = 1, string mark = "SAVEPOINT bulkload_batch", int commit = 2)
        : base(server)
    {
        (_isDelivered, _most, _mark, _commit) = (isDelivered, most, Encoding.ASCII.GetBytes(mark), commit);
        Listen();
    }

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        var isHeard = true;
        await Task.WhenAny(SendAsync(), AnswerAsync());

        async Task SendAsync()
        {
            var buffer = new byte[64 * 1024];
            var (isMarked, commits) = (false, 0);
            while (await client.ReadAsync(buffer, Stopped) is > 0 and var count)
            {
                var bytes = buffer.AsMemory(0, count);
                isMarked |= bytes.Span.IndexOf(_mark) >= 0;
                commits += isMarked && bytes.Span.IndexOf("\u0003COMMIT"u8) >= 0 ? 1 : 0;
                if (commits == _commit && Cuts < _most)
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
