namespace BulkLoad.Cli.Output;

/// <summary>An output cannot be written any more. The message says what is committed.</summary>
internal sealed class OutputException(string message, ExitCode exitCode = ExitCode.Failed) : Exception(message)
{
    public ExitCode ExitCode { get; } = exitCode;
}
