using System.Diagnostics.CodeAnalysis;

namespace BulkLoad.Core.Common;

/// <summary>Advice after an error, which the program shows as a whole command on a line of its own.</summary>
/// <param name="Purpose">such as <c>to load it again</c>; without a command the whole advice</param>
internal sealed record WayOn(string Purpose)
{
    /// <summary>Such as <c>check</c>; null: the command that was typed. It gets the files and options that were typed.</summary>
    public string? Command { get; init; }

    /// <summary>Words added after those that were typed, such as <c>--reload</c>. Empty, and no <see cref="Command"/>: the purpose is
    /// all there is to say.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    /// <summary>Options that were typed and are left out, by name, with their values.</summary>
    public IReadOnlyList<string> Without { get; init; } = [];
}

/// <summary>The request itself is wrong; nothing was sent.</summary>
internal sealed class RequestException(string message) : BulkLoadException(message)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.WrongRequest;

    internal static void ThrowIf([DoesNotReturnIf(true)] bool isWrong, string message)
    {
        if (isWrong)
        {
            throw new RequestException(message);
        }
    }
}

/// <summary>The input cannot be read, changed while it was read, or does not fit its format.</summary>
internal sealed class InputException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.InputUnfit;

    /// <summary>The input ends too early. In a sample of an input's beginning this is no fault.</summary>
    internal bool IsCutOff { get; init; }

    /// <summary>Delimiters between which a table's columns may decide; empty: another fault.</summary>
    internal IReadOnlyList<char> Delimiters { get; init; } = [];

    /// <summary>The likeliest first; empty: the encoding is not the fault.</summary>
    internal IReadOnlyList<string> Encodings { get; init; } = [];
}

/// <summary>The input's columns do not fit the table's. The message lists every mismatch, one a line after the first.</summary>
internal sealed class MappingException(string message) : BulkLoadException(message)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.InputUnfit;

    /// <summary>A field of <c>--map</c> that no record has: the message, and the pair that makes the field optional. Null: another
    /// mismatch.</summary>
    internal (string Message, string Pair)? Missing { get; init; }
}

/// <summary>The server or the table cannot do what was asked.</summary>
internal class PlanException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.Refused;
}

/// <summary>The user answered a question with no: nothing was done.</summary>
internal sealed class DeclinedException(string message) : PlanException(message);

/// <summary>The committed records are no longer the beginning of the input.</summary>
internal sealed class ChangedInputException : PlanException
{
    public ChangedInputException(string change, IReadOnlyList<WayOn> waysOn)
        : base(change) => (Change, WaysOn) = (change, waysOn);

    public string Change { get; }
}

/// <summary>No session could be opened: host, account, TLS or database.</summary>
internal sealed class ConnectException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.CannotConnect;

    internal bool IsNobodyThere { get; init; }

    internal bool ServerMayBeStarting { get; init; }
}

internal sealed class RejectLimitException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.TooManyRejects;
}

/// <summary>Counts or content of a chunk or of the job do not add up; the chunk was rolled back.</summary>
internal sealed class ReconciliationException(string message) : BulkLoadException(message)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.DoesNotAddUp;

    /// <summary>Whether rows of the table are not what the records say.</summary>
    public bool IsOfContent { get; init; }
}

/// <summary>The job stops here: its time is over, or the server's load is too high. What is committed stays, and the job can be
/// resumed.</summary>
internal sealed class StoppedException(string message) : BulkLoadException(message)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.Stopped;
}

/// <summary>A refused record cannot be written to its file; the chunk was rolled back.</summary>
internal sealed class RejectFileException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.Failed;
}

/// <summary>The job would need more memory than the request allows; the chunk was rolled back.</summary>
internal sealed class MemoryException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.Failed;
}

/// <summary>A temporary file for what does not fit into memory cannot be written.</summary>
internal sealed class TempFileException(string message, Exception? cause = null) : BulkLoadException(message, cause)
{
    public override BulkErrorCode ErrorCode => BulkErrorCode.Failed;
}
