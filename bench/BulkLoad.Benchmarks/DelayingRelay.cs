using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace BulkLoad.Benchmarks;

/// <summary>Forwards connections to a server on this machine as if it were far away: bytes come as late as they would, and none the slower for it.</summary>
internal static class DelayingRelay
{
    private const string Usage = "relay --port PORT --delay-ms MILLISECONDS";

    /// <summary>Pieces under way in one direction: more than a route of that delay holds at the speed of loopback.</summary>
    private const int MostPieces = 4096;

    /// <summary>Prints its port, and runs until it is killed.</summary>
    /// <param name="args">behind the word relay; the delay is that of a round trip</param>
    public static async Task<int> RunAsync(string[] args)
    {
        if (args is not ["--port", var port, "--delay-ms", var delay])
        {
            await Console.Error.WriteLineAsync(Usage);
            return 2;
        }

        var (server, oneWay) = (int.Parse(port, CultureInfo.InvariantCulture), TimeSpan.FromMilliseconds(double.Parse(delay, CultureInfo.InvariantCulture) / 2));
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await Console.Out.WriteLineAsync($"{((IPEndPoint)listener.LocalEndpoint).Port}");
        while (true)
        {
            _ = ForwardAsync(await listener.AcceptTcpClientAsync(), server, oneWay);
        }
    }

    private static async Task ForwardAsync(TcpClient client, int port, TimeSpan oneWay)
    {
        using var near = client;
        using var far = new TcpClient { NoDelay = true };
        near.NoDelay = true;
        try
        {
            await far.ConnectAsync(IPAddress.Loopback, port);
            await Task.WhenAny(CopyAsync(near.GetStream(), far.GetStream(), oneWay), CopyAsync(far.GetStream(), near.GetStream(), oneWay));
        }
        catch (Exception fault) when (fault is IOException or SocketException)
        {
            await Console.Error.WriteLineAsync(fault.Message);
        }
    }

    private static async Task CopyAsync(NetworkStream from, NetworkStream to, TimeSpan oneWay)
    {
        var underWay = Channel.CreateBounded<(long Read, byte[] Bytes)>(MostPieces);
        var writing = WriteAsync(underWay.Reader, to, oneWay);
        var buffer = new byte[64 * 1024];
        while (await from.ReadAsync(buffer) is > 0 and var count)
        {
            await underWay.Writer.WriteAsync((Stopwatch.GetTimestamp(), buffer[..count]));
        }

        underWay.Writer.Complete();
        await writing;
    }

    private static async Task WriteAsync(ChannelReader<(long Read, byte[] Bytes)> underWay, NetworkStream to, TimeSpan oneWay)
    {
        await foreach (var (read, bytes) in underWay.ReadAllAsync())
        {
            var left = oneWay - Stopwatch.GetElapsedTime(read);
            if (left > TimeSpan.Zero)
            {
                await Task.Delay(left);
            }

            await to.WriteAsync(bytes);
        }
    }
}
