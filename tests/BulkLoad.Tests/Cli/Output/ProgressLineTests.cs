using BulkLoad.Cli;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

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
        using var line = Line(isTerminal, new OutputWords { Progress = Enum.Parse<ProgressMode>(mode), IsQuiet = isQuiet });

        Assert.Equal(isShown, line is not null);
    }

    [Fact]
    public void On_a_terminal_it_is_drawn_ten_times_a_second_and_taken_away_at_the_end()
    {
        using (var line = Line(isTerminal: true, new OutputWords())!)
        {
            for (var i = 1; i <= 30; i++)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(50));
                line.Report(new LoadProgress(i, 100, i, 0));
            }
        }

        Assert.Equal(16, _error.ToString().Split("\r\e[K").Length - 1);
        Assert.EndsWith("\r\e[K", _error.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain('\n', _error.ToString());
    }

    [Fact]
    public void Elsewhere_it_is_a_line_every_few_seconds()
    {
        using (var line = Line(isTerminal: false, new OutputWords { Progress = ProgressMode.Always })!)
        {
            for (var i = 1; i <= 22; i++)
            {
                _clock.Advance(TimeSpan.FromSeconds(1));
                line.Report(new LoadProgress(i * 1_000_000, 40_000_000, i * 1_000, 0));
            }
        }

        Assert.Equal(
            "started\n10,000 records  1,000/s  10.0 MB of 40.0 MB  25%  0:30 left\n20,000 records  1,000/s  20.0 MB of 40.0 MB  50%  0:20 left\n",
            _error.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void It_never_wraps()
    {
        using var line = Line(isTerminal: true, new OutputWords(), width: 20)!;
        _clock.Advance(TimeSpan.FromSeconds(1));
        line.Report(new LoadProgress(1, 100, 1, 0));

        Assert.Equal("\r\e[K1 record  1/s  1 B ", _error.ToString());
    }

    [Fact]
    public void Of_a_pipe_the_end_is_not_known() =>
        Assert.Equal("2,000 records  1,000/s  4.2 kB  0:02", ProgressLine.Text(new LoadProgress(4_200, null, 2_000, 0), TimeSpan.FromSeconds(2)));

    [Fact]
    public void A_message_stands_above_it()
    {
        var messages = new Messages(Surroundings(isTerminal: true, 80));
        messages.Status("50%");
        messages.Line("hello");

        Assert.Equal($"\r\e[K50%\r\e[Khello{Environment.NewLine}50%", _error.ToString());
    }

    private ProgressLine? Line(bool isTerminal, OutputWords output, int width = 80)
    {
        var surroundings = Surroundings(isTerminal, width);
        return ProgressLine.For(output, surroundings, new Messages(surroundings));
    }

    private HostEnvironment Surroundings(bool isTerminal, int width) => new()
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
    }
}
