namespace BulkLoad.Bench.Oltp;

/// <summary>Latencies in buckets that grow by less than one percent: constant memory, and percentiles as exact as that.</summary>
internal sealed class LatencyHistogram
{
    private const double MinMilliseconds = 0.001;
    private const double MaxMilliseconds = 100_000;

    /// <summary>A bucket has the exponent and seven more bits (IEEE 754).</summary>
    private const int BitsLeftOut = 52 - 7;

    private static readonly int First = BitsOf(MinMilliseconds);
    private static readonly int Buckets = BitsOf(MaxMilliseconds) - First;

    private readonly long[] _counts = new long[Buckets];
    private double _sum;

    public long Count { get; private set; }

    public double Min { get; private set; }

    public double Max { get; private set; }

    public double Average => Count > 0 ? _sum / Count : 0;

    public void Add(double milliseconds)
    {
        _counts[Math.Clamp(BitsOf(milliseconds) - First, 0, Buckets - 1)]++;
        Min = Count == 0 ? milliseconds : Math.Min(Min, milliseconds);
        Max = Math.Max(Max, milliseconds);
        _sum += milliseconds;
        Count++;
    }

    public void Add(LatencyHistogram other)
    {
        if (other.Count == 0)
        {
            return;
        }

        for (var i = 0; i < Buckets; i++)
        {
            _counts[i] += other._counts[i];
        }

        Min = Count == 0 ? other.Min : Math.Min(Min, other.Min);
        Max = Math.Max(Max, other.Max);
        _sum += other._sum;
        Count += other.Count;
    }

    /// <summary>0: there are no latencies.</summary>
    public double Percentile(double percent)
    {
        var wanted = Math.Max(1, (long)Math.Ceiling(Count * percent / 100));
        var seen = 0L;
        for (var i = 0; i < Buckets - 1; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return Math.Clamp(BitConverter.Int64BitsToDouble((First + i + 1L) << BitsLeftOut), Min, Max);
            }
        }

        return Max;
    }

    private static int BitsOf(double milliseconds) => (int)(BitConverter.DoubleToInt64Bits(milliseconds) >> BitsLeftOut);
}
