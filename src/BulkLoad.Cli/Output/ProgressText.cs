namespace BulkLoad.Cli.Output;

/// <summary>What is known of a job's progress at one moment.</summary>
/// <param name="File">the current file; empty: unknown</param>
/// <param name="Part">of the input, 0 to 1; null: its size is unknown</param>
/// <param name="Rate">records per second, of the last seconds; null: it is too early to say</param>
/// <param name="Left">null: it is too early to say, or the input's size is unknown</param>
/// <param name="Silence">how long nothing has happened; null: not long</param>
internal readonly record struct ProgressMoment(
    string File, LoadProgress Value, TimeSpan Elapsed, double? Part, double? Rate, TimeSpan? Left, TimeSpan? Silence)
{
    /// <summary>Why nothing is sent; null: something is.</summary>
    public string? Waits => Value.Held
        ?? (Silence is { } silence ? $"no answer from the server for {Amounts.Clock(silence)} (a lock?)" : null);
}

/// <summary>A job's progress in one line of the terminal's width: the least important parts are left out first, and no word is
/// broken.</summary>
internal static class ProgressText
{
    private const int MaxForBar = 30;
    private const int MinForBar = 8;
    private const string Gap = "  ";
    private const string TimeToCome = "0:00 left";

    /// <summary>A line of any length, for a log.</summary>
    public static string Of(ProgressMoment moment)
    {
        var bytes = Bytes(moment.Value);
        string?[] parts = [moment.Waits, NullIfEmpty(moment.File), Percent(moment), Count(moment), Rate(moment), bytes, Time(moment)];
        return string.Join(Gap, parts.OfType<string>());
    }

    /// <param name="width">columns of the line</param>
    public static string Of(ProgressMoment moment, int width)
    {
        var waits = moment.Waits;
        var (percent, time, count, file) = (Percent(moment), Time(moment), Count(moment), NullIfEmpty(moment.File));
        var rate = waits is null ? Rate(moment) : null;
        var isOfFile = percent is not null;

        // The most important first; each is taken if there is room for it.
        string?[] wanted = isOfFile
            ? [percent, waits is null ? null : Cut(waits, width - percent!.Length - Gap.Length), rate, time]
            : [waits is null ? null : Cut(waits, width), count, rate, time];
        List<string> taken = [];
        foreach (var part in wanted.OfType<string>().Where(part => part.Length > 0))
        {
            if (Length(taken) + Gap.Length + part.Length <= width + (taken.Count == 0 ? Gap.Length : 0))
            {
                taken.Add(part);
            }
        }

        // The bar keeps its length when the remaining time becomes known.
        var room = width - Length(taken) - (isOfFile && time is null && waits is null ? TimeToCome.Length + Gap.Length : 0);
        var bar = 0;
        if (isOfFile && room >= MinForBar + Gap.Length)
        {
            bar = MinForBar;
            room -= MinForBar + Gap.Length;
        }

        if (file is not null && room >= TextWidth.Of(file) + Gap.Length)
        {
            taken.Insert(0, file);
            room -= TextWidth.Of(file) + Gap.Length;
        }

        // Parts that fit beside a bar of full length.
        foreach (var part in ((string?[])[isOfFile ? count : null, Bytes(moment.Value)]).OfType<string>())
        {
            if (room - part.Length - Gap.Length >= (bar > 0 ? MaxForBar - MinForBar : 0))
            {
                taken.Insert(taken.IndexOf(time ?? "") is > 0 and var end ? end : taken.Count, part);
                room -= part.Length + Gap.Length;
            }
        }

        if (bar > 0)
        {
            taken.Insert(taken.IndexOf(percent!), Bar(moment.Part!.Value, Math.Min(MaxForBar, MinForBar + room)));
        }

        return string.Join(Gap, taken);
    }

    /// <summary>As many whole words as fit, with dots for the rest; empty: none fits.</summary>
    public static string Cut(string text, int width)
    {
        if (text.Length <= width)
        {
            return text;
        }

        const string Dots = " ...";
        var end = width - Dots.Length;
        end = end <= 0 ? -1 : text.LastIndexOf(' ', end);
        return end <= 0 ? "" : $"{text[..end].TrimEnd()}{Dots}";
    }

    private static int Length(List<string> parts) => parts.Sum(TextWidth.Of) + (Math.Max(0, parts.Count - 1) * Gap.Length);

    private static string Bar(double part, int width)
    {
        var (inside, done) = (width - 2, (int)(part * (width - 2)));
        return done >= inside ? $"[{new string('=', inside)}]" : $"[{new string('=', done)}>{new string(' ', inside - done - 1)}]";
    }

    private static string? Percent(ProgressMoment moment) => moment.Part is { } part ? $"{(int)(part * 100)}%" : null;

    /// <summary>Null: nothing is sent yet, as while keys are read.</summary>
    private static string? Count(ProgressMoment moment) =>
        moment.Value is { RecordsSent: 0, Held: not null } ? null : Amounts.Count(moment.Value.RecordsSent, "row");

    private static string? Rate(ProgressMoment moment) => moment.Rate is { } rate ? $"{Amounts.Count((long)rate)} rows/s" : null;

    private static string Bytes(LoadProgress value) => value.TotalBytes is > 0 and var total
        ? $"{Amounts.Bytes(value.BytesRead)} of {Amounts.Bytes(total)}"
        : Amounts.Bytes(value.BytesRead);

    /// <summary>The remaining time, unless nothing happens: it would grow. If no end is known, the time that has passed.</summary>
    private static string? Time(ProgressMoment moment) => moment is { Left: { } left, Waits: null }
        ? $"{Amounts.Clock(left)} left"
        : moment.Part is null ? Amounts.Clock(moment.Elapsed) : null;

    private static string? NullIfEmpty(string text) => text.Length == 0 ? null : text;
}

/// <summary>How fast a job has been in the last seconds, and how long it will take. The time before its first step, such as connecting,
/// does not count.</summary>
internal sealed class ProgressRate(TimeProvider time)
{
    private const double LastSeconds = 5;
    private const double SecondsOfEstimate = 30;
    private const double MinSeconds = 0.5;
    private static readonly TimeSpan FirstEstimate = TimeSpan.FromSeconds(3);

    /// <summary>Steps of the last half minute, the oldest first.</summary>
    private readonly Queue<(long Time, long Records, long Bytes)> _steps = new();

    public bool IsEmpty => _steps.Count == 0;

    /// <summary>Takes the first step, and those that are shown, which are at most ten a second.</summary>
    public void Add(LoadProgress value)
    {
        var now = time.GetTimestamp();
        _steps.Enqueue((now, value.RecordsSent, value.BytesRead));
        while (_steps.Count > 2 && SecondsTo(now, _steps.Peek().Time) > SecondsOfEstimate)
        {
            _steps.Dequeue();
        }
    }

    /// <summary>Null: it is too early to say.</summary>
    public double? RecordsPerSecond(LoadProgress value)
    {
        var now = time.GetTimestamp();
        (long Time, long Records)? from = null;
        foreach (var step in _steps.Where(step => SecondsTo(now, step.Time) >= MinSeconds))
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
        return bytes <= 0 || seconds < MinSeconds ? null : TimeSpan.FromSeconds(Math.Max(0, total - value.BytesRead) / (bytes / seconds));
    }

    private double SecondsTo(long later, long earlier) => time.GetElapsedTime(earlier, later).TotalSeconds;
}
