using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;

namespace BulkLoad.Tests.Cli.Output;

public sealed class ProgressLineTests
{
    private readonly StringBuilder _error = new();
    private readonly HandClock _clock = new();

    [Theory]
    [InlineData("Auto", false, false, false)]
    [InlineData("Auto", true, false, true)]
    [InlineData("Auto", true, true, false)]
    [InlineData("Always", false, true, true)]
    [InlineData("Never", true, false, false)]
    public void It_is_shown_where_it_is_wanted(string mode, bool isTerminal, bool isQuiet, bool isShown)
    {
        using var line = Line(isTerminal, new OutputSettings { Progress = Enum.Parse<ProgressMode>(mode), IsQuiet = isQuiet });

        Assert.Equal(isShown, line is not null);
    }

    [Fact]
    public void On_a_terminal_it_is_drawn_ten_times_a_second_and_stays_at_the_end()
    {
        using (var line = Line(isTerminal: true, new OutputSettings())!)
        {
            for (var i = 1; i <= 30; i++)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(50));
                line.Report(new LoadProgress(i, 100, i, 0));
            }
        }

        Assert.Equal(16, _error.ToString().Split("\r\e[K").Length - 1);
        Assert.EndsWith($"\r\e[Kpeople.csv  [========>                   ]  30%  20 rows/s  30 rows{Environment.NewLine}",
            _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Of_less_than_a_second_nothing_stays()
    {
        using (var line = Line(isTerminal: true, new OutputSettings())!)
        {
            _clock.Advance(TimeSpan.FromMilliseconds(900));
            line.Report(new LoadProgress(1, 100, 1, 0));
        }

        Assert.EndsWith("\r\e[K", _error.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain('\n', _error.ToString());
    }

    [Fact]
    public void Elsewhere_it_is_a_line_every_few_seconds()
    {
        using (var line = Line(isTerminal: false, new OutputSettings { Progress = ProgressMode.Always })!)
        {
            for (var i = 1; i <= 32; i++)
            {
                _clock.Advance(TimeSpan.FromSeconds(1));
                line.Report(new LoadProgress(i * 1_000_000, 40_000_000, i * 1_000, 0));
            }
        }

        Assert.Equal(
            """
            people.csv: started
            people.csv  25%  10,000 rows  1,000 rows/s  10.0 MB of 40.0 MB  0:30 left
            people.csv  50%  20,000 rows  1,000 rows/s  20.0 MB of 40.0 MB  0:20 left
            people.csv  75%  30,000 rows  1,000 rows/s  30.0 MB of 40.0 MB  0:10 left

            """.ReplaceLineEndings("\n"),
            _error.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void The_rate_is_that_of_the_last_seconds_and_connecting_does_not_count()
    {
        using var line = Line(isTerminal: true, new OutputSettings(), width: 100)!;
        _clock.Advance(TimeSpan.FromSeconds(60));
        for (var i = 0; i <= 100; i++)
        {
            line.Report(new LoadProgress(i * 1_000, 1_000_000, i * 100, 0));
            _clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.Contains("  1,000 rows/s  ", Shown()[^1], StringComparison.Ordinal);
        Assert.EndsWith("  1:30 left", Shown()[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_left_is_not_said_in_the_first_three_seconds()
    {
        using var line = Line(isTerminal: true, new OutputSettings(), width: 100)!;
        for (var i = 0; i < 40; i++)
        {
            _clock.Advance(TimeSpan.FromMilliseconds(100));
            line.Report(new LoadProgress(i * 1_000, 1_000_000, i * 100, 0));
        }

        Assert.DoesNotContain(Shown()[..29], shown => shown.Contains("left", StringComparison.Ordinal));
        Assert.All(Shown()[30..], shown => Assert.EndsWith(" left", shown, StringComparison.Ordinal));
    }

    [Fact]
    public void While_nothing_happens_it_says_so()
    {
        using var line = Line(isTerminal: true, new OutputSettings())!;
        _clock.Advance(TimeSpan.FromSeconds(1));
        line.Report(new LoadProgress(50, 100, 1_000, 0));
        for (var i = 0; i < 4; i++)
        {
            _clock.Advance(TimeSpan.FromSeconds(1));
            _clock.Tick();
        }

        Assert.EndsWith("50%  no answer from the server for 0:04 (a lock?)", Shown()[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(20, "45%  147,583 rows/s")]
    [InlineData(39, "[==>   ]  45%  147,583 rows/s  0:02 left")]
    [InlineData(40, "[==>   ]  45%  147,583 rows/s  0:02 left")]
    [InlineData(79, "people.csv  [============>               ]  45%  147,583 rows/s  0:02 left")]
    [InlineData(139, "people.csv  [============>               ]  45%  147,583 rows/s  717,486 rows  34.5 MB of 76.6 MB  0:02 left")]
    public void It_fits_whatever_the_width_is(int width, string expected)
    {
        var text = ProgressText.Of(Moment(0.45), width);

        Assert.Equal(expected.Length > width ? expected[10..] : expected, text);
        Assert.True(text.Length <= width);
    }

    [Theory]
    [InlineData(31, "45%  waits: Threads_running ...")]
    [InlineData(60, "[===>   ]  45%  waits: Threads_running is 60 (--max-load 50)")]
    [InlineData(79, "people.csv  [======>       ]  45%  waits: Threads_running is 60 (--max-load 50)")]
    public void Why_it_waits_has_room_before_anything_else(int width, string expected)
    {
        var moment = Moment(0.45);
        var text = ProgressText.Of(
            moment with { Value = moment.Value with { Held = "waits: Threads_running is 60 (--max-load 50)" }, Left = null }, width);

        Assert.Equal(expected, text);
        Assert.True(text.Length <= width);
    }

    [Fact]
    public void Before_anything_is_sent_the_bar_moves_and_no_rows_are_counted() => Assert.Equal(
        "people.csv  [=======>                    ]  25%  reading keys",
        ProgressText.Of(
            new ProgressMoment(
                "people.csv", new LoadProgress(25, 100, 0, 0, "reading keys"), TimeSpan.FromSeconds(1), 0.25, null, null, null), 70));

    [Fact]
    public void A_pass_before_the_first_record_is_no_part_of_the_rate()
    {
        using var line = Line(isTerminal: true, new OutputSettings(), width: 100)!;
        for (var i = 0; i < 100; i++)
        {
            line.Report(new LoadProgress(i * 10_000, 1_000_000, 0, 0, "reading keys"));
            _clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        for (var i = 0; i <= 100; i++)
        {
            line.Report(new LoadProgress(i * 1_000, 1_000_000, i * 100, 0));
            _clock.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.Contains("  1,000 rows/s  ", Shown()[^1], StringComparison.Ordinal);
        Assert.EndsWith("  1:30 left", Shown()[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void No_width_breaks_a_word_or_the_line()
    {
        var words =
            "people.csv 45% 147,583 rows/s 717,486 rows 34.5 MB of 76.6 MB 0:02 left waits: Threads_running is 60 (--max-load 50) ..."
                .Split(' ').ToHashSet();
        for (var width = 1; width < 160; width++)
        {
            foreach (var held in (string?[])[null, "waits: Threads_running is 60 (--max-load 50)"])
            {
                var moment = Moment(0.45);
                var text = ProgressText.Of(moment with { Value = moment.Value with { Held = held } }, width);

                Assert.True(text.Length <= width);
                Assert.All(text.Split(' ', StringSplitOptions.RemoveEmptyEntries),
                    word => Assert.True(words.Contains(word) || word.Trim('[', ']', '=', '>').Length == 0, word));
            }
        }
    }

    [Fact]
    public void Of_a_pipe_the_end_is_not_known() => Assert.Equal(
        "standard input  2,000 rows  1,000 rows/s  4.2 kB  0:02",
        ProgressText.Of(new ProgressMoment(
            "standard input", new LoadProgress(4_200, null, 2_000, 0), TimeSpan.FromSeconds(2), null, 1_000, null, null), 79));

    private static ProgressMoment Moment(double part) =>
        new("people.csv", new LoadProgress(34_500_000, 76_600_000, 717_486, 0), TimeSpan.FromSeconds(5), part, 147_583,
            TimeSpan.FromSeconds(2), null);

    /// <summary>The lines that were shown one over the other.</summary>
    private string[] Shown() => _error.ToString().Split("\r\e[K")[1..];

    [Fact]
    public void A_message_stands_above_it()
    {
        var messages = new Messages(Host(isTerminal: true, 80));
        messages.Status("50%");
        messages.Line("hello");

        Assert.Equal($"\r\e[K50%\r\e[Khello{Environment.NewLine}50%", _error.ToString());
    }

    [Fact]
    public void A_question_takes_its_place_until_it_is_answered()
    {
        var messages = new Messages(Host(isTerminal: true, 80));
        messages.Status("50%");
        var answer = messages.Ask(() =>
        {
            _error.Append("sure? ");
            messages.Status("51%");
            return true;
        });
        Assert.True(answer);
        messages.Status("52%");

        Assert.Equal("\r\e[K50%\r\e[Ksure? \r\e[K52%", _error.ToString());
    }

    private ProgressLine? Line(bool isTerminal, OutputSettings output, int width = 80)
    {
        var host = Host(isTerminal, width);
        return ProgressLine.For(output, host, new Messages(host), ["data/people.csv"]);
    }

    private HostEnvironment Host(bool isTerminal, int width) => new()
    {
        Output = TextWriter.Null,
        Error = new StringWriter(_error),
        ErrorIsTerminal = isTerminal,
        TerminalWidth = () => width,
        Files = new FakeFiles(),
        Time = _clock,
    };

    private sealed class HandClock : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now;

        public void Advance(TimeSpan time) => _now += time.Ticks;

        /// <summary>Lets the timers ring.</summary>
        public void Tick() => _rings?.Invoke(null);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _rings = callback;
            return new SilentTimer();
        }

        private TimerCallback? _rings;

        private sealed class SilentTimer : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
