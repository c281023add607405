namespace BulkLoad.Core.Common;

/// <summary>The server answered with an error, or its session broke. <see cref="Code"/> is 0 where the fault has no number of the server's
/// (a broken packet, a closed connection).</summary>
public sealed class ServerException : BulkLoadException
{
    /// <summary>An error packet of the server.</summary>
    /// <param name="code">the server's error number, as in the MySQL Error Reference</param>
    /// <param name="sqlState">five characters; <c>HY000</c> where the server sent none</param>
    /// <param name="message">the server's text</param>
    public ServerException(int code, string sqlState, string message) : base($"{message} (error {code}, SQLSTATE {sqlState})")
    {
        Code = code;
        SqlState = sqlState;
        ServerText = message;
        Kind = FaultKinds.Of((ServerError)code, message);
    }

    /// <summary>A session that cannot be used any more, or a peer that broke the protocol.</summary>
    public ServerException(FaultKind kind, string message, Exception? cause = null) : base(message, cause)
    {
        Kind = kind;
        SqlState = "08S01";
        ServerText = message;
    }

    /// <summary>The same fault, with more to say to the user.</summary>
    public ServerException(string message, ServerException fault) : base(message, fault)
    {
        Code = fault.Code;
        SqlState = fault.SqlState;
        ServerText = fault.ServerText;
        Kind = fault.Kind;
    }

    /// <summary>The server's error number, or 0.</summary>
    public int Code { get; }

    internal ServerError Error => (ServerError)Code;

    /// <summary>Five characters.</summary>
    public string SqlState { get; }

    /// <summary>The server's own words, without the number.</summary>
    public string ServerText { get; }

    /// <summary>What the fault means for the chunk in flight.</summary>
    public FaultKind Kind { get; }

    /// <summary>Whether the account lacks a right to a database, a table or a column.</summary>
    internal bool IsAccessDenied => Error is ServerError.DbAccessDenied or ServerError.TableAccessDenied or ServerError.ColumnAccessDenied;

    /// <summary>Whether the server takes no changes at present, as one that is no longer the primary; a session with the new one may
    /// help.</summary>
    internal bool IsReadOnly => Error is ServerError.ReadOnlyMode || (Error == ServerError.OptionPreventsStatement
        && ServerText.Contains("read", StringComparison.Ordinal) && ServerText.Contains("only", StringComparison.Ordinal));

    /// <summary>Whether the server works for nobody at present, as a node that has lost its cluster, or takes no changes; a session with
    /// another one may help.</summary>
    internal bool IsNotReady => IsReadOnly
        || (Error == ServerError.UnknownCommand && ServerText.Contains("WSREP", StringComparison.Ordinal))
        || (Error == ServerError.ErrorDuringCommit && ServerText.Contains("Primary Component", StringComparison.Ordinal));

    /// <summary>Whether the transaction is gone, or cannot continue: true of no error that is the answer to what was asked.</summary>
    internal bool EndsTransaction =>
        Kind is FaultKind.TransactionLost or FaultKind.StatementLost or FaultKind.SessionLost or FaultKind.CannotConnect || IsNotReady;
}
