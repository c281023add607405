namespace BulkLoad.Cli.Output;

/// <summary>Standard output: only what was asked for.</summary>
/// <param name="hasColour">whether it is a terminal whose user wants colours</param>
/// <param name="terminalWidth">columns of the terminal, at which lines are broken; null: no terminal, lines stay whole</param>
internal sealed class StandardOutput(TextWriter to, bool hasColour, Func<int>? terminalWidth = null, ShownText? shown = null)
{
    private const string Bold = "\e[1m";
    private const string BoldGreen = "\e[32;1m";
    private const string Plain = "\e[0m";

    public static StandardOutput Of(HostEnvironment host) =>
        new(host.Output, host is { OutputIsTerminal: true, WantsColour: true }, host.OutputIsTerminal ? host.OutputWidth : null,
            host.Shown);

    /// <summary>Standard error, for text of standard output while that is used for something else.</summary>
    public static StandardOutput OfError(HostEnvironment host) =>
        new(host.Error, host is { ErrorIsTerminal: true, WantsColour: true }, host.ErrorIsTerminal ? host.TerminalWidth : null, host.Shown);

    /// <summary>Prints text for people. A reader that went away early is no error.</summary>
    /// <exception cref="OutputException">it cannot be written</exception>
    public void Print(Action<TextWriter> write) => Print(write, style: null, terminalWidth, (shown ?? ShownText.Plain).Of);

    /// <summary>Prints lines for another program, such as a CI system's commands: they stay whole.</summary>
    public void PrintWhole(Action<TextWriter> write) => Print(write, style: null, width: null, VisibleText.Of);

    public int Width => terminalWidth?.Invoke() ?? int.MaxValue;

    /// <summary>Prints a report, whose first line is the result.</summary>
    public void PrintResult(Action<TextWriter> write, ExitCode code) =>
        Print(
            write, !hasColour ? null : code == ExitCode.Done ? BoldGreen : Bold, terminalWidth, (shown ?? ShownText.Plain).Of);

    /// <param name="style">of the first line</param>
    /// <param name="width">null: lines stay whole</param>
    /// <param name="show">makes the text safe to be shown</param>
    private void Print(Action<TextWriter> write, string? style, Func<int>? width, Func<string, string> show)
    {
        using var text = new StringWriter { NewLine = "\n" };
        write(text);
        var all = show(text.ToString());
        var end = Math.Max(0, all.IndexOf('\n', StringComparison.Ordinal));
        var (first, rest) = (all[..end], all[end..]);
        if (width?.Invoke() is { } columns)
        {
            (first, rest) = (LineWrap.Text(first, columns), LineWrap.Text(rest, columns));
        }

        var isResult = first.Length > 0 && !first.StartsWith("note  ", StringComparison.Ordinal);
        first = style is not null && isResult ? $"{style}{first}{Plain}" : first;
        Try(() => to.Write($"{first}{rest}".ReplaceLineEndings()));
    }

    /// <summary>Prints text for machines, as it is.</summary>
    public void PrintJson(Action<TextWriter> write)
    {
        using var text = new StringWriter { NewLine = "\n" };
        write(text);
        Try(() => to.Write((shown ?? ShownText.Plain).Json(text.ToString())));
    }

    private void Try(Action write)
    {
        try
        {
            write();
            to.Flush();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new OutputException($"standard output cannot be written: {fault.Message}");
        }
    }
}

/// <summary>An output cannot be written any more. The message says what is committed.</summary>
internal sealed class OutputException(string message, ExitCode exitCode = ExitCode.Failed) : Exception(message)
{
    public ExitCode ExitCode { get; } = exitCode;
}
