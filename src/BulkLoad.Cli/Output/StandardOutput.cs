namespace BulkLoad.Cli.Output;

/// <summary>Standard output: carries what was asked for, and nothing else.</summary>
/// <param name="hasColour">whether it is a terminal whose user wants colours</param>
internal sealed class StandardOutput(TextWriter to, bool hasColour)
{
    private const string Bold = "\e[1m";
    private const string BoldGreen = "\e[32;1m";
    private const string Plain = "\e[0m";

    /// <summary>Prints what is for people.</summary>
    /// <exception cref="OutputException">it cannot be written; a reader that went away early is no fault</exception>
    public void Print(Action<TextWriter> write) => Print(write, style: null);

    /// <summary>Prints a report, whose first line is the result.</summary>
    /// <inheritdoc cref="Print(Action{TextWriter})" path="/exception"/>
    public void PrintResult(Action<TextWriter> write, ExitCode code) => Print(write, !hasColour ? null : code == ExitCode.Done ? BoldGreen : Bold);

    /// <param name="style">of the first line</param>
    private void Print(Action<TextWriter> write, string? style)
    {
        using var text = new StringWriter { NewLine = "\n" };
        write(text);
        var shown = VisibleText.Of(text.ToString());
        if (style is not null && shown.IndexOf('\n', StringComparison.Ordinal) is > 0 and var end)
        {
            shown = $"{style}{shown[..end]}{Plain}{shown[end..]}";
        }

        Try(() => to.Write(shown.ReplaceLineEndings()));
    }

    /// <summary>Prints what is for machines, as it is.</summary>
    /// <inheritdoc cref="Print(Action{TextWriter})" path="/exception"/>
    public void PrintJson(Action<TextWriter> write) => Try(() => write(to));

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
