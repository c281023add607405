using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Cli.Commands;

/// <summary>The frame of a command that reports. It opens the outputs first, so that no work is done in vain; handles signals, log, events
/// and progress; then writes each output, even if another one cannot be written, and prints the result.</summary>
internal sealed class CommandFrame : IDisposable
{
    private readonly CommandContext _context;
    private readonly OutputSettings _output;
    private readonly CiOutputs _ci;
    private readonly Logging _logging;
    private readonly Dictionary<string, JsonFile> _files = [];
    private readonly Stack<IDisposable> _opened = [];

    /// <param name="files">options for files that are written at the end, beside <c>--report</c>, with what was typed</param>
    /// <exception cref="RequestException">an output cannot be opened</exception>
    public CommandFrame(
        CommandContext context, OutputSettings output, CiSettings ci, params ReadOnlySpan<(string Option, string? Path)> files)
    {
        (_context, _output) = (context, output);
        try
        {
            foreach (var (option, path) in (ReadOnlySpan<(string, string?)>)[("--report", output.Report), .. files])
            {
                if (JsonFile.Open(option, path, output.Overwrite) is { } file)
                {
                    _files.Add(option, Keep(file));
                }
            }

            _ci = Keep(CiOutputs.Open(ci, output.Overwrite, context.Host, context.Output));
            _logging = Keep(Logging.Open(output, context.Messages));
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public ILoggerFactory Loggers => _logging.Loggers;

    /// <summary>Number of rejects that are marked in the files, before the report.</summary>
    public int Marked => _ci.Marked;

    public int Width => _ci.Report.Width;

    /// <summary><c>--quiet</c> leaves the report out on success.</summary>
    public bool Prints(ExitCode code) => !(_output.IsQuiet && code == ExitCode.Done);

    public async Task<ExitCode> PlanAsync<TPlan>(
        Func<CancellationToken, Task<TPlan>> make, Action<TextWriter, TPlan> writeJson, Action<TextWriter, TPlan> writeText)
    {
        _context.Signals.Listen();
        var plan = await make(_context.Signals.Token);
        if (_output.PlanJson)
        {
            _context.Output.PrintJson(to => writeJson(to, plan));
        }
        else
        {
            _context.Output.Print(to => writeText(to, plan));
        }

        return ExitCode.Done;
    }

    /// <param name="command">its word</param>
    /// <param name="inputs">as typed</param>
    /// <param name="work">takes the listener for progress; null: nobody listens</param>
    /// <param name="namesInputs">whether the progress line names them</param>
    public async Task<TReport> RunAsync<TProgress, TReport>(
        string command, IReadOnlyList<string> inputs, Func<IProgress<TProgress>?, CancellationToken, Task<TReport>> work,
        bool namesInputs = true)
    {
        _context.Signals.Listen();
        _ci.Events?.Start(command, inputs);
        using var progress = ProgressLine.For(_output, _context.Host, _context.Messages, namesInputs ? inputs : []);
        return await work(_ci.WithEvents(progress as IProgress<TProgress>), _context.Signals.Token);
    }

    /// <summary>Writes all outputs, and prints the result.</summary>
    /// <exception cref="OutputException">an output could not be written; the others are</exception>
    public ExitCode Tell(Ending ending)
    {
        var code = ending.Code;
        List<string> unwritten = _logging.Fault is { } fault ? [fault] : [];
        foreach (var (option, write) in ending.Files)
        {
            if (_files.TryGetValue(option, out var file))
            {
                Try(() => file.Write(write));
            }
        }

        if (ending.Ci is { } result)
        {
            Try(() => _ci.End(result));
        }

        foreach (var failure in ending.Failures)
        {
            _context.Report(failure, _output.IsVerbose);
        }

        if (ending.Result is { } text && Prints(code))
        {
            Try(() => _ci.Report.PrintResult(text, code));
        }
        else if (ending.Otherwise is { } other)
        {
            Try(() => _ci.Report.Print(other));
        }

        return unwritten.Count == 0 ? code : throw new OutputException(
            $"{string.Join("; ", unwritten)}{(ending.State is { } state ? $" ({state})" : "")}",
            code is ExitCode.Done or ExitCode.DoneWithRejects ? ExitCode.Failed : code);

        void Try(Action write)
        {
            try
            {
                write();
            }
            catch (OutputException fault)
            {
                unwritten.Add(fault.Message);
            }
        }
    }

    public void Dispose()
    {
        while (_opened.TryPop(out var opened))
        {
            opened.Dispose();
        }
    }

    private T Keep<T>(T opened) where T : IDisposable
    {
        _opened.Push(opened);
        return opened;
    }
}

internal sealed record Ending(ExitCode Code)
{
    /// <summary>The writer of each option's file.</summary>
    public IReadOnlyList<(string Option, Action<Stream> Write)> Files { get; init; } = [];

    /// <summary>Null: nothing is for CI systems.</summary>
    public CiResult? Ci { get; init; }

    public IReadOnlyList<BulkLoadException> Failures { get; init; } = [];

    /// <summary>The report for people, which <c>--quiet</c> leaves out on success; null: there is none.</summary>
    public Action<TextWriter>? Result { get; init; }

    /// <summary>Printed if the report is not; null: nothing.</summary>
    public Action<TextWriter>? Otherwise { get; init; }

    /// <summary>What is in the table now, for the case that an output is lost; null: nothing has changed there.</summary>
    public string? State { get; init; }
}
