namespace BulkLoad;

/// <summary>What kind of error a <see cref="BulkLoadException"/> is. Members are added, and never change their meaning.</summary>
public enum BulkErrorCode
{
    /// <summary>The server, a file or the network failed, and trying again did not help.</summary>
    Failed,

    /// <summary>Options are wrong or do not go together; nothing was sent.</summary>
    WrongRequest,

    /// <summary>More records were refused than the job may have.</summary>
    TooManyRejects,

    /// <summary>No session: host, account, TLS or database.</summary>
    CannotConnect,

    /// <summary>The input cannot be read, or its fields do not fit the table's columns.</summary>
    InputUnfit,

    /// <summary>Counts or content do not add up; the chunk was rolled back.</summary>
    DoesNotAddUp,

    /// <summary>The job's time is over, or the server's load is too high. What is committed stays.</summary>
    Stopped,

    /// <summary>This server or table cannot do what was asked.</summary>
    Refused,
}

/// <summary>Every error that a user can cause or fix. The message says where and what; it never carries a secret. Anything else that
/// escapes from the library is a bug.</summary>
public abstract class BulkLoadException : Exception
{
    private IReadOnlyList<WayOn> _waysOn = [];

    private protected BulkLoadException(string message, Exception? cause = null) : base(message, cause)
    {
    }

    /// <summary>What kind of error it is.</summary>
    public abstract BulkErrorCode ErrorCode { get; }

    /// <summary>The server's error number (MySQL Error Reference); 0: it is no error of the server's.</summary>
    public virtual int ServerErrorNumber => 0;

    /// <summary>What is in the table now, such as <c>nothing was loaded</c>; null: nothing was begun, or the message says it.</summary>
    public string? State { get; private protected set; }

    /// <summary>The chunks and records that are committed, for those who look at the ledger; null: there are none.</summary>
    public string? Committed { get; private protected set; }

    /// <summary>The likeliest first. Empty: the message says it, or nothing helps.</summary>
    internal IReadOnlyList<WayOn> WaysOn { get => _waysOn; init => _waysOn = value; }

    internal void End(string state, string? committed, IEnumerable<WayOn> ways) =>
        (State, Committed, _waysOn) = (state, committed, [.. ways]);

    /// <summary>They come before the others.</summary>
    internal void Advise(IEnumerable<WayOn> ways) => _waysOn = [.. ways, .. _waysOn];
}
