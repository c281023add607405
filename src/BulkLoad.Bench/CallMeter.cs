using System.Diagnostics;

namespace BulkLoad.Bench;

/// <summary>Measures the time and allocations of many calls, numbered from 0.</summary>
internal sealed class CallMeter(int calls, Func<int, CancellationToken, ValueTask> callAsync)
{
    private readonly double[] _milliseconds = new double[calls];
    private long _allocated;

    public KeyValuePair<string, double>[] Values
    {
        get
        {
            Array.Sort(_milliseconds);
            return
            [
                new("latencyMedianMs", BenchSpread.At(_milliseconds, 0.5)),
                new("latency95Ms", BenchSpread.At(_milliseconds, 0.95)),
                new("latencyMaxMs", _milliseconds[^1]),
                new("allocatedBytesPerCall", (double)_allocated / calls),
            ];
        }
    }

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        // A call may end on another thread than it began on, so that only the whole process's allocations are all of them.
        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < calls; i++)
        {
            var start = Stopwatch.GetTimestamp();
            await callAsync(i, cancellationToken);
            _milliseconds[i] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        _allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
