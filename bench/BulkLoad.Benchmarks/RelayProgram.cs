using System.Globalization;
using BulkLoad.Bench.Relays;

namespace BulkLoad.Benchmarks;

/// <summary>A server on this machine as if it were far away, or as if it took the content of LOAD DATA LOCAL in no time.</summary>
internal static class RelayProgram
{
    private const string Usage = "relay --port PORT --delay-ms MILLISECONDS, or relay --port PORT --swallow";

    /// <summary>Prints its port, and runs until it is killed.</summary>
    /// <param name="args">behind the word relay; the delay is that of a round trip</param>
    public static async Task<int> RunAsync(string[] args)
    {
        if (args is not ["--port", var port, "--swallow" or "--delay-ms", ..])
        {
            await Console.Error.WriteLineAsync(Usage);
            return 2;
        }

        var server = new ConnectionOptions { Host = "127.0.0.1", Port = int.Parse(port, CultureInfo.InvariantCulture) };
        using IDisposable relay = args is [.., "--delay-ms", var delay]
            ? new DelayingRelay(server, TimeSpan.FromMilliseconds(double.Parse(delay, CultureInfo.InvariantCulture)))
            : new SwallowingRelay(server);
        await Console.Out.WriteLineAsync((relay is SwallowingRelay near ? near.Port : ((DelayingRelay)relay).Connection.Port).ToString());
        await Task.Delay(Timeout.Infinite);
        return 0;
    }
}
