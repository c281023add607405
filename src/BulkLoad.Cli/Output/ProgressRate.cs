using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>How fast a job has been in the last seconds, and how long it will take. What came before its first step, such as connecting,
/// does not count.</summary>
internal sealed class ProgressRate(TimeProvider time)
{
    private const double LastSeconds = 5;
    private const double SecondsOfEstimate = 30;
    private const double LeastSeconds = 0.5;
    private static readonly TimeSpan FirstEstimate = TimeSpan.FromSeconds(3);

    /// <summary>The oldest first; those of the last half minute.</summary>
    private readonly Queue<(long Time, long Records, long Bytes)> _steps = new();

    public bool IsEmpty => _steps.Count == 0;

    /// <summary>Takes a step; the first, and those that are shown, which are no more than ten a second.</summary>
    public void Add(LoadProgress value)
    {
        var now = time.GetTimestamp();
        _steps.Enqueue((now, value.RecordsSent, value.BytesRead));
        while (_steps.Count > 2 && SecondsTo(now, _steps.Peek().Time) > SecondsOfEstimate)
        {
            _steps.Dequeue();
        }
    }

    /// <summary>Records per second; null: it is too early to say.</summary>
    public double? RecordsPerSecond(LoadProgress value)
    {
        var now = time.GetTimestamp();
        (long Time, long Records)? from = null;
        foreach (var step in _steps.Where(step => SecondsTo(now, step.Time) >= LeastSeconds))
        {
            from = (step.Time, step.Records);
            if (SecondsTo(now, step.Time) <= LastSeconds)
            {
                break;
            }
        }

        // Less than at the first step: a part of it was rolled back, and is sent again.
        return from is var (start, records) ? Math.Max(0, (value.RecordsSent - records) / SecondsTo(now, start)) : null;
    }

    /// <summary>Null: it is too early to say, or nothing has been done lately.</summary>
    public TimeSpan? Left(LoadProgress value, TimeSpan elapsed)
    {
        if (elapsed < FirstEstimate || _steps.Count == 0 || value.TotalBytes is not { } total)
        {
            return null;
        }

        var seconds = SecondsTo(time.GetTimestamp(), _steps.Peek().Time);
        var bytes = value.BytesRead - _steps.Peek().Bytes;
        return bytes <= 0 || seconds < LeastSeconds ? null : TimeSpan.FromSeconds(Math.Max(0, total - value.BytesRead) / (bytes / seconds));
    }

    private double SecondsTo(long later, long earlier) => time.GetElapsedTime(earlier, later).TotalSeconds;
}
