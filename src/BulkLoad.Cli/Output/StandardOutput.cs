namespace BulkLoad.Cli.Output;

/// <summary>Standard output: carries what was asked for, and nothing else.</summary>
internal sealed class StandardOutput(TextWriter to)
{
    /// <summary>Prints what is for people.</summary>
    /// <exception cref="OutputException">it cannot be written; a reader that went away early is no fault</exception>
    public void Print(Action<TextWriter> write)
    {
        using var text = new StringWriter { NewLine = "\n" };
        write(text);
        Try(() => to.Write(VisibleText.Of(text.ToString()).ReplaceLineEndings()));
    }

    /// <summary>Prints what is for machines, as it is.</summary>
    /// <inheritdoc cref="Print" path="/exception"/>
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
