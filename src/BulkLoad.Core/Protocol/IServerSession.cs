namespace BulkLoad.Core.Protocol;

/// <summary>One open session with a server: all that the rest of the program asks of a driver. Not thread-safe: one command after the
/// other, from one logical flow. A session whose command was cancelled or whose connection broke is closed and answers every later call
/// with a <see cref="ServerException"/> of kind <see cref="FaultKind.SessionLost"/>.</summary>
/// <remarks>A server's error packet is a <see cref="ServerException"/>; the session stays usable after it, unless it says that the session
/// is over. Cancelling a token closes the socket, so that the server rolls back what was open. A call before the last one is complete is an
/// <see cref="InvalidOperationException"/>; a text that is no Unicode is a <see cref="RequestException"/>, and nothing is sent.
/// <para>A prologue is a statement that returns no rows and goes out in one piece with a command, before it. Its answer is read first. If
/// it fails, its fault is thrown: a load after it then loads nothing, an execution after it <em>has run</em>.</para></remarks>
internal interface IServerSession : IAsyncDisposable
{
    ServerIdentity Server { get; }

    /// <summary>False once the connection is closed or broken.</summary>
    bool IsUsable { get; }

    /// <summary>Limits the wait for each answer. Beyond it the session is closed: a look-up throws a <see cref="ConnectException"/>, a
    /// statement throws that the session is lost.</summary>
    void Bound(AnswerBound bound)
    {
    }

    /// <summary>Null: nobody watches the transaction.</summary>
    TransactionWatch? Transaction => null;

    /// <summary>Calls that sent something. A caller that remembers the number can see whether others have used the session.</summary>
    long Calls { get; }

    /// <summary>Runs a statement that returns no rows (COM_QUERY). Rows break the session.</summary>
    ValueTask<OkResult> ExecuteAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Runs UTF-8 bytes that return no rows, after a prologue or without one; up to the server's max_allowed_packet.</summary>
    ValueTask<OkResult> ExecuteAsync(string? prologue, ReadOnlyMemory<byte> statement, CancellationToken cancellationToken);

    /// <summary>Keeps the rows as text, up to 64 MiB: for look-ups in the catalogue.</summary>
    ValueTask<TextResultSet> QueryAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Keeps the rows as bytes, up to 64 MiB, in place of those in <paramref name="rows"/>. Does not read
    /// <paramref name="statement"/> after its task.</summary>
    ValueTask QueryAsync(ReadOnlyMemory<byte> statement, RawResultSet rows, CancellationToken cancellationToken);

    /// <summary>Gives the rows to <paramref name="rows"/> as they come, any number.</summary>
    ValueTask StreamAsync(string statement, IRowSink rows, CancellationToken cancellationToken);

    /// <summary>Runs short statements in one round trip. Each runs, whatever happens to those before it; the first refusal is thrown at the
    /// end. A statement without rows has an empty answer. If they are the session's first call and the answers make no sense, a new
    /// connection asks them one by one: its number is another one, and its sessions send nothing ahead.</summary>
    ValueTask<TextResultSet[]> QueryAllAsync(IReadOnlyList<string> statements, CancellationToken cancellationToken);

    /// <summary>Runs a load, and serves <paramref name="content"/> when the server asks for its file. If the server asks for another file,
    /// it gets an empty one, the session is closed, and <see cref="FaultKind.Protocol"/> is thrown. <para>Continues the load that was
    /// announced last. Does not read <paramref name="content"/> after its task. <paramref name="next"/> is announced after the content, so
    /// the server need not wait for it; the server waits for its content up to net_read_timeout. <paramref name="onServed"/> is called when
    /// all content is on its way.</para> <para>If it fails or is cancelled before all content was sent, the socket is closed without the
    /// packet that ends the file, and the server rolls back. If it fails later, the announced load stays announced.</para> <para>Before any
    /// other command, an announced load runs over an empty file: its prologue holds, and SHOW WARNINGS is about it. If it fails, its fault
    /// is thrown, the command does not run, and nothing is announced any more.</para></summary>
    ValueTask<OkResult> LoadLocalAsync(
        LocalLoad load, ReadOnlyMemory<byte> content, LocalLoad? next, Action? onServed, CancellationToken cancellationToken);

    ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Runs a prepared statement that returns no rows (COM_STMT_EXECUTE), after a prologue or without one.
    /// <see cref="BulkParameters"/> run it for each row (COM_STMT_BULK_EXECUTE), with one answer for all. The parameters may be refilled
    /// after the task.</summary>
    ValueTask<OkResult> ExecuteAsync(
        string? prologue, PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken);

    /// <summary>Sends all commands without waiting for answers, and reads the answers meanwhile. A command that fails is in
    /// <see cref="Pipeline.Faults"/>, and no more are sent; those under way still run. If the session is lost, what was sent and not
    /// answered may have run.</summary>
    ValueTask RunAsync(Pipeline pipeline, CancellationToken cancellationToken);

    /// <summary>COM_STMT_CLOSE, which has no answer.</summary>
    ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken);
}

internal enum AnswerBound
{
    /// <summary>No bound: the wait lasts as long as the connection.</summary>
    None,

    /// <summary>The same bound as for connecting.</summary>
    LookUp,

    /// <summary>The same bound, and the time that the server waits for a lock.</summary>
    Lock,

    /// <summary><see cref="ConnectionOptions.ReadTimeout"/>.</summary>
    Statement,
}

/// <summary>Who answered the handshake, and how the connection was made.</summary>
internal sealed record ServerIdentity
{
    /// <summary>Such as <c>10.11.14-MariaDB-0+deb12u2</c> or <c>9.7.4</c>, without MariaDB's replication prefix <c>5.5.5-</c>.</summary>
    public required string VersionText { get; init; }

    public required bool IsMariaDb { get; init; }

    public required Version Version { get; init; }

    public required uint ConnectionId { get; init; }

    /// <summary>MariaDB's COM_STMT_BULK_EXECUTE.</summary>
    public bool TakesBulkExecutions { get; init; }

    /// <summary>Only over TLS. A unix socket is not encrypted but private to the machine.</summary>
    public required bool IsEncrypted { get; init; }

    /// <summary>For people: <c>TLS 1.3</c>, <c>not encrypted</c>, <c>unix socket</c>.</summary>
    public required string Security { get; init; }

    /// <summary>Whether the address is on this machine. A relay there may lead elsewhere.</summary>
    public bool IsLocal { get; init; }

    public required string Endpoint { get; init; }

    public required string User { get; init; }

    /// <summary>Whether each command waits for the answer to the one before it, since what is in between loses its place
    /// otherwise.</summary>
    public bool IsStepwise { get; init; }
}

/// <summary>Watches a transaction by the status flags of answers (MySQL client/server protocol, SERVER_STATUS_IN_TRANS and
/// SERVER_STATUS_AUTOCOMMIT). With autocommit off, the first statement on a table with transactions begins one, and each later answer says
/// so. A server may roll back without an error, and a proxy may switch autocommit on: only these flags show it.</summary>
internal sealed class TransactionWatch
{
    private const ushort InTransaction = 0x0001;
    private const ushort Autocommit = 0x0002;

    private bool _isOn;
    private bool _isOpen;

    /// <summary>An answer said that the transaction is gone.</summary>
    public bool IsLost { get; private set; }

    /// <summary>An answer said that each statement is committed by itself.</summary>
    public bool IsAutocommit { get; private set; }

    public bool IsBroken => IsLost || IsAutocommit;

    /// <summary>Whether tables without transactions are used, such as temporary ones in memory: changed rows begin no transaction
    /// then.</summary>
    public bool IsAside { get; set; }

    /// <summary>Until <see cref="End"/>, all statements belong to one transaction.</summary>
    public void Begin()
    {
        if (!_isOn)
        {
            (_isOn, _isOpen, IsLost, IsAutocommit) = (true, false, false, false);
        }
    }

    /// <summary>The transaction is about to end: what was found out about it is not about the next one.</summary>
    public void End() => (_isOn, IsLost) = (false, false);

    /// <summary>Never throws, since more answers may be under way: <see cref="Require"/> is called later. A savepoint at the beginning
    /// changes no rows, and begins no transaction.</summary>
    public void Observe(ushort status, ulong affectedRows)
    {
        if (!_isOn)
        {
            return;
        }

        var isOpen = (status & InTransaction) != 0;
        IsAutocommit |= (status & Autocommit) != 0;
        IsLost |= !isOpen && (_isOpen || (affectedRows > 0 && !IsAside));
        _isOpen |= isOpen;
    }

    public void Require()
    {
        if (IsBroken)
        {
            throw Fault();
        }
    }

    public ServerException Fault() => IsAutocommit
        ? new ServerException(FaultKind.Other,
            "autocommit is on in a session that had it off, and each statement is committed by itself: does a proxy between this program "
                + "and the server change it?")
        : new ServerException(FaultKind.TransactionLost,
            "the server has rolled the transaction back and reported no error: its answer says that none is open");
}
