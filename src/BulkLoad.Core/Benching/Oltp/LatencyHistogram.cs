namespace BulkLoad.Core.Benching.Oltp;

/// <summary>Latencies in buckets that grow by under one percent each: any number of them in constant memory, percentiles as exact as that.</summary>
internal sealed class LatencyHistogram
{
    private const int Buckets = 2_048;
    private const double LeastMilliseconds = 0.001;
    private const double MostMilliseconds = 100_000;

    private static readonly double Growth = Math.Log(MostMilliseconds / LeastMilliseconds) / Buckets;

    private readonly long[] _counts = new long[Buckets];
    private double _sum;

    public long Count { get; private set; }

    /// <summary>The least; 0 where there is none.</summary>
    public double Min { get; private set; }

    public double Max { get; private set; }

    public double Average => Count > 0 ? _sum / Count : 0;

    public void Add(double milliseconds)
    {
        var bucket = (int)(Math.Log(Math.Max(milliseconds, LeastMilliseconds) / LeastMilliseconds) / Growth);
        _counts[Math.Clamp(bucket, 0, Buckets - 1)]++;
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

    /// <summary>What so many of a hundred latencies do not exceed; 0 where there is none.</summary>
    public double Percentile(double percent)
    {
        var wanted = Math.Max(1, (long)Math.Ceiling(Count * percent / 100));
        var seen = 0L;
        for (var i = 0; i < Buckets - 1; i++)
        {
            seen += _counts[i];
            if (seen >= wanted)
            {
                return Math.Clamp(LeastMilliseconds * Math.Exp((i + 1) * Growth), Min, Max);
            }
        }

        return Max;
    }
}
