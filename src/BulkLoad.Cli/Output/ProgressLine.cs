using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>
/// How far a job has come. On a terminal one line that is drawn over at most ten times a second; elsewhere, where it
/// was asked for, a line every few seconds.
/// </summary>
internal sealed class ProgressLine : IProgress<LoadProgress>, IProgress<BenchProgress>, IProgress<SeedProgress>, IDisposable
{
    private static readonly TimeSpan BetweenDraws = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(10);

    private readonly HostEnvironment _surroundings;
    private readonly Messages _messages;
    private readonly long _started;
    private readonly Lock _gate = new();
    private long _shown;
    private bool _isEnded;

    private ProgressLine(HostEnvironment surroundings, Messages messages)
    {
        _surroundings = surroundings;
        _messages = messages;
        _started = _shown = surroundings.Time.GetTimestamp();
    }

    /// <summary>Null where no progress is wanted.</summary>
    public static ProgressLine? For(OutputWords output, HostEnvironment surroundings, Messages messages) => For(output.Progress, output.IsQuiet, surroundings, messages);

    /// <inheritdoc cref="For(OutputWords, HostEnvironment, Messages)"/>
    public static ProgressLine? For(ProgressMode mode, bool isQuiet, HostEnvironment surroundings, Messages messages) => mode switch
    {
        ProgressMode.Never => null,
        ProgressMode.Auto when isQuiet || !(surroundings.ErrorIsTerminal || IsCi(surroundings)) => null,
        _ => Begin(new ProgressLine(surroundings, messages)),
    };

    /// <summary>Where lines are few, the first one comes at once.</summary>
    private static ProgressLine Begin(ProgressLine line)
    {
        if (!line._surroundings.ErrorIsTerminal)
        {
            line._messages.Line("started");
        }

        return line;
    }

    /// <summary>Every CI system sets CI; a job that says nothing for minutes is stopped by some of them.</summary>
    private static bool IsCi(HostEnvironment surroundings) => surroundings.Variable("CI") is "true" or "1";

    public void Report(LoadProgress value) => Show(value, Text);

    public void Report(BenchProgress value) => Show(value, Text);

    public void Report(SeedProgress value) => Show(value, Text);

    private void Show<T>(T value, Func<T, TimeSpan, string> describe)
    {
        lock (_gate)
        {
            var time = _surroundings.Time;
            if (_isEnded || time.GetElapsedTime(_shown) < (_surroundings.ErrorIsTerminal ? BetweenDraws : BetweenLines))
            {
                return;
            }

            _shown = time.GetTimestamp();
            var text = describe(value, time.GetElapsedTime(_started, _shown));
            if (_surroundings.ErrorIsTerminal)
            {
                // A line as wide as the terminal would wrap, and \r would not come back over it.
                var room = _surroundings.TerminalWidth() - 1;
                _messages.Status(text.Length > room ? text[..room] : text);
            }
            else
            {
                _messages.Line(text);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isEnded = true;
            _messages.Status("");
        }
    }

    /// <summary>Why nothing goes on stands first: what is behind it may not fit.</summary>
    internal static string Text(LoadProgress value, TimeSpan elapsed) => value.Held is { } held ? $"{held}  {Amount(value, elapsed)}" : Amount(value, elapsed);

    internal static string Text(BenchProgress value, TimeSpan elapsed) => value.Planned == 0
        ? $"{value.What}  {Amounts.Clock(elapsed)}"
        : $"run {Amounts.Count(value.Done + 1)} of {Amounts.Count(value.Planned)}  {Amounts.Clock(elapsed)}  {value.What}";

    internal static string Text(SeedProgress value, TimeSpan elapsed) =>
        $"{value.Done} of {Amounts.Count(value.Tables, "table")}  {Amounts.Count(value.Records, "record")}  {Amounts.Clock(elapsed)}  {value.Running}";

    private static string Amount(LoadProgress value, TimeSpan elapsed)
    {
        var rate = Amounts.Count((long)Amounts.Rate(value.RecordsSent, elapsed));
        var sent = $"{Amounts.Count(value.RecordsSent, "record")}  {rate}/s";
        if (value.TotalBytes is not > 0)
        {
            return $"{sent}  {Amounts.Bytes(value.BytesRead)}  {Amounts.Clock(elapsed)}";
        }

        var total = value.TotalBytes.Value;
        var part = Math.Min(1.0, (double)value.BytesRead / total);
        var left = part > 0 ? $"  {Amounts.Clock((elapsed / part) - elapsed)} left" : "";
        var percent = ((int)(part * 100)).ToString();
        return $"{sent}  {Amounts.Bytes(value.BytesRead)} of {Amounts.Bytes(total)}  {percent}%{left}";
    }
}
