using System.Runtime.InteropServices;

namespace BulkLoad.Cli.Host;

/// <summary>SIGINT and SIGTERM: the first asks for an orderly stop, the second ends the process at once.</summary>
/// <param name="say">writes a line for people</param>
internal sealed class StopSignals(Action<string> say, Action<ExitCode> exitNow) : IDisposable
{
    // Never disposed: a signal may still arrive while the process ends.
    private readonly CancellationTokenSource _stop = new();
    private readonly List<PosixSignalRegistration> _registrations = [];
    private int _signals;

    /// <summary>Cancelled by the first signal.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>The exit code after an orderly stop.</summary>
    public ExitCode StoppedBy { get; private set; } = ExitCode.Interrupted;

    /// <summary>Handles the signals instead of the runtime, until disposed.</summary>
    public void Listen()
    {
        foreach (var signal in (PosixSignal[])[PosixSignal.SIGINT, PosixSignal.SIGTERM])
        {
            _registrations.Add(PosixSignalRegistration.Create(signal, context =>
            {
                context.Cancel = true;
                Receive(context.Signal);
            }));
        }
    }

    internal void Receive(PosixSignal signal)
    {
        var code = signal == PosixSignal.SIGTERM ? ExitCode.Terminated : ExitCode.Interrupted;
        if (Interlocked.Increment(ref _signals) > 1)
        {
            exitNow(code);
            return;
        }

        StoppedBy = code;
        say("stopping: waiting for the server to end the current statement; a second signal stops at once");
        _stop.Cancel();
    }

    public void Dispose() => _registrations.ForEach(registration => registration.Dispose());
}
