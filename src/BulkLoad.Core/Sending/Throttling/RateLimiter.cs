using BulkLoad.Core.Options;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>Spreads what is sent over time. Time in which nothing was sent is not made up for.</summary>
/// <param name="rate">so much a second</param>
internal sealed class RateLimiter(MaxRate rate, TimeProvider time)
{
    /// <summary>When what was sent is paid for, in the clock's ticks.</summary>
    private double _free;

    /// <summary>The time to wait before anything more is sent.</summary>
    public TimeSpan Due => TimeSpan.FromSeconds(Math.Max(0, (_free - time.GetTimestamp()) / time.TimestampFrequency));

    /// <summary>A batch goes out now.</summary>
    public void Sends(int rows, long bytes) =>
        _free = Math.Max(_free, time.GetTimestamp()) + ((double)(rate.IsBytes ? bytes : rows) / rate.Amount * time.TimestampFrequency);
}
