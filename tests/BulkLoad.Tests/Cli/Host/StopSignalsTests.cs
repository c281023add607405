using System.Runtime.InteropServices;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Host;

public sealed class StopSignalsTests
{
    [Theory]
    [InlineData(PosixSignal.SIGINT, 130)]
    [InlineData(PosixSignal.SIGTERM, 143)]
    public void The_first_signal_asks_the_second_ends(PosixSignal signal, int code)
    {
        var error = new StringWriter();
        var exits = new List<ExitCode>();
        using var signals = new StopSignals(
            new Messages(new HostEnvironment { Output = error, Error = error, Files = new FakeFiles() }).Line, exits.Add);

        signals.Receive(signal);
        Assert.True(signals.Token.IsCancellationRequested);
        Assert.Equal(code, (int)signals.StoppedBy);
        Assert.StartsWith("stopping: ", error.ToString(), StringComparison.Ordinal);
        Assert.Empty(exits);

        signals.Receive(signal);
        Assert.Equal([(ExitCode)code], exits);
    }

    [Fact]
    public void A_stopped_job_ends_with_the_signals_code()
    {
        var stopped = Samples.Report with { Outcome = LoadOutcome.Interrupted };

        Assert.Equal(ExitCode.Terminated, ExitCodes.Of(stopped, ExitCode.Terminated));
        Assert.Equal(ExitCode.Interrupted, ExitCodes.Of(stopped, ExitCode.Interrupted));
    }
}
