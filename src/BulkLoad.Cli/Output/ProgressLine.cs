using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>Shows the progress of a job. On a terminal, one line is drawn again at most ten times a second, and stays if the job has taken
/// a second; elsewhere, if the user asks for it, a line is written every few seconds.</summary>
internal sealed class ProgressLine : IProgress<LoadProgress>, IProgress<BenchProgress>, IProgress<SeedProgress>, IDisposable
{
    private static readonly TimeSpan BetweenDraws = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(10);

    /// <summary>A line that changes although nothing has happened shows that the program is alive.</summary>
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongSilence = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan MinToStay = TimeSpan.FromSeconds(1);

    /// <summary>Before a job reports anything.</summary>
    private static readonly LoadProgress AtStart = new(0, null, 0, 0, "looking at input, server and table");

    private readonly HostEnvironment _host;
    private readonly Messages _messages;
    private readonly long _started;
    private readonly Lock _gate = new();
    private readonly string _file;
    private readonly ProgressRate _rate;
    private ITimer? _timer;
    private LoadProgress? _last;
    private long _changed;
    private long _shown;
    private bool _isEnded;

    private ProgressLine(HostEnvironment host, Messages messages, IReadOnlyList<string> files)
    {
        _host = host;
        _messages = messages;
        _rate = new ProgressRate(host.Time);
        _file = files switch
        {
            [] => "",
            [var file] => ReportText.FileName(Path.GetFileName(file)),
            _ => Amounts.Count(files.Count, "file"),
        };
        _started = _shown = _changed = host.Time.GetTimestamp();
    }

    /// <summary>Null: no progress is wanted.</summary>
    /// <param name="files">as typed; empty: they are not named</param>
    public static ProgressLine? For(OutputSettings output, HostEnvironment host, Messages messages, IReadOnlyList<string> files) =>
        output.Progress switch
        {
            ProgressMode.Never => null,
            ProgressMode.Auto when output.IsQuiet || !(host.ErrorIsTerminal || IsCi(host)) => null,
            _ => Begin(new ProgressLine(host, messages, files)),
        };

    /// <summary>If lines are rare, the first one is written at once.</summary>
    private static ProgressLine Begin(ProgressLine line)
    {
        if (line._host.ErrorIsTerminal)
        {
            line._timer = line._host.Time.CreateTimer(_ => line.LookAgain(), null, BetweenLooks, BetweenLooks);
        }
        else
        {
            line._messages.Line($"{(line._file.Length == 0 ? ThisProgram.Name : line._file)}: started");
        }

        return line;
    }

    /// <summary>Every CI system sets CI; some of them stop a silent job after minutes.</summary>
    private static bool IsCi(HostEnvironment host) => host.Variable("CI") is "true" or "1";

    public void Report(LoadProgress value)
    {
        lock (_gate)
        {
            if (value != _last)
            {
                (_last, _changed) = (value, _host.Time.GetTimestamp());
            }

            var isDue = IsDue();
            // The preparation before the first step does not count for the speed.
            if ((isDue || _rate.IsEmpty) && value is not { Held: not null, RecordsSent: 0 })
            {
                _rate.Add(value);
            }

            if (isDue)
            {
                Draw(Moment(value), ProgressText.Of, ProgressText.Of);
            }
        }
    }

    public void Report(BenchProgress value) => Show(value, Text);

    public void Report(SeedProgress value) => Show(value, Text);

    private void Show<T>(T value, Func<T, TimeSpan, string> describe)
    {
        lock (_gate)
        {
            if (IsDue())
            {
                Draw(describe(value, _host.Time.GetElapsedTime(_started, _shown)), text => text, ProgressText.Cut);
            }
        }
    }

    /// <summary>Time passes while nothing happens, and the line must say so.</summary>
    private void LookAgain()
    {
        lock (_gate)
        {
            if ((_last ?? (_file.Length > 0 ? AtStart : null)) is { } value && IsDue())
            {
                Draw(Moment(value), ProgressText.Of, ProgressText.Of);
            }
        }
    }

    private bool IsDue()
    {
        var time = _host.Time;
        if (_isEnded || time.GetElapsedTime(_shown) < (_host.ErrorIsTerminal ? BetweenDraws : BetweenLines))
        {
            return false;
        }

        _shown = time.GetTimestamp();
        return true;
    }

    private ProgressMoment Moment(LoadProgress value)
    {
        var time = _host.Time;
        var (elapsed, silence) = (time.GetElapsedTime(_started), time.GetElapsedTime(_changed));
        return new ProgressMoment(
            _file, value, elapsed, PartOf(value), _rate.RecordsPerSecond(value), _rate.Left(value, elapsed),
            silence >= LongSilence ? silence : null);
    }

    private static double? PartOf(LoadProgress value) =>
        value.TotalBytes is > 0 and var total ? Math.Min(1.0, (double)value.BytesRead / total) : null;

    private void Draw<T>(T what, Func<T, string> whole, Func<T, int, string> fitted)
    {
        if (_host.ErrorIsTerminal)
        {
            // A line as wide as the terminal would wrap, and \r would not come back over it.
            _messages.Status(fitted(what, _host.TerminalWidth() - 1));
        }
        else
        {
            _messages.Line(whole(what));
        }
    }

    public void Dispose()
    {
        _timer?.Dispose();
        lock (_gate)
        {
            if (_isEnded)
            {
                return;
            }

            _isEnded = true;
            var elapsed = _host.Time.GetElapsedTime(_started);
            if (_host.ErrorIsTerminal && _last is { } value && elapsed >= MinToStay)
            {
                var end = new ProgressMoment(
                    _file, value with { Held = null }, elapsed, PartOf(value), Amounts.Rate(value.RecordsSent, elapsed), null, null);
                _messages.Status("");
                _messages.Line(ProgressText.Of(end, _host.TerminalWidth() - 1));
            }
            else
            {
                _messages.Status("");
            }
        }
    }

    internal static string Text(BenchProgress value, TimeSpan elapsed) => value.Planned == 0
        ? $"{value.What}  {Amounts.Clock(elapsed)}"
        : $"run {Amounts.Count(value.Done + 1)} of {Amounts.Count(value.Planned)}  {Amounts.Clock(elapsed)}  {value.What}";

    internal static string Text(SeedProgress value, TimeSpan elapsed) =>
        $"{value.Done} of {Amounts.Count(value.Tables, "table")}  {Amounts.Count(value.Records, "record")}  {Amounts.Clock(elapsed)}  "
            + $"{value.Running}";
}
