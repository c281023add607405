namespace BulkLoad.Core.Protocol;

/// <summary>
/// One open session with a server: all that the rest of the program asks of a driver. Not thread-safe: one command after
/// the other, from one logical flow. A session whose command was cancelled or whose connection broke is closed and
/// answers every later call with a <see cref="ServerException"/> of kind <see cref="FaultKind.SessionLost"/>.
/// </summary>
/// <remarks>
/// A server's error packet is a <see cref="ServerException"/>; the session stays usable after it, unless it says that the
/// session is over. Cancelling a token closes the socket, so that the server rolls back what was open. A call before the
/// last one is complete is an <see cref="InvalidOperationException"/>; a text that is no Unicode is a
/// <see cref="RequestException"/>, and nothing is sent.
/// <para>
/// A prologue is a statement that returns no rows and goes out in one piece with a command, before it. Its answer is read first.
/// If it fails, its fault is thrown: a load behind it then loads nothing, an execution behind it <em>has run</em>.
/// </para>
/// </remarks>
internal interface IServerSession : IAsyncDisposable
{
    /// <summary>Who answers, and how the connection was made.</summary>
    ServerIdentity Server { get; }

    /// <summary>False once the connection is closed or broken.</summary>
    bool IsUsable { get; }

    /// <summary>Bounds the wait for each answer from here on. Where it is over the session is closed: a look-up ends in a
    /// <see cref="ConnectException"/>, a statement in a lost session.</summary>
    void Bound(AnswerBound bound)
    {
    }

    /// <summary>What its answers say of the open transaction; null: nobody watches them.</summary>
    TransactionWatch? Transaction => null;

    /// <summary>Calls so far that sent something: who remembers it knows whether anybody else has sent anything since.</summary>
    long Calls { get; }

    /// <summary>Runs a statement that returns no rows (COM_QUERY). One that does breaks the session.</summary>
    ValueTask<OkResult> ExecuteAsync(string statement, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a statement of UTF-8 bytes that returns no rows, behind a prologue or none; of any size up to the server's
    /// max_allowed_packet.
    /// </summary>
    ValueTask<OkResult> ExecuteAsync(string? prologue, ReadOnlyMemory<byte> statement, CancellationToken cancellationToken);

    /// <summary>Runs a statement and keeps its rows in memory, as text: for catalogue look-ups, bounded at 64 MiB.</summary>
    ValueTask<TextResultSet> QueryAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Runs a statement of UTF-8 bytes and keeps its rows as they come: for answers of many rows, bounded at 64 MiB.</summary>
    /// <param name="statement">not read any more once the task is complete</param>
    /// <param name="rows">what is in them is replaced</param>
    ValueTask QueryAsync(ReadOnlyMemory<byte> statement, RawResultSet rows, CancellationToken cancellationToken);

    /// <summary>Runs a statement, and gives its rows away as they come: of any number, since none is kept.</summary>
    ValueTask StreamAsync(string statement, IRowSink rows, CancellationToken cancellationToken);

    /// <summary>
    /// Runs statements in their order as <see cref="QueryAsync(string, CancellationToken)"/> does, for one round trip in all where they are
    /// short: they are sent without waiting for the answers in between. Each is run, whatever becomes of those before it; one that returns
    /// no rows has none.
    /// </summary>
    /// <returns>an answer for each statement</returns>
    /// <exception cref="ServerException">the first refusal, once all are answered</exception>
    ValueTask<TextResultSet[]> QueryAllAsync(IReadOnlyList<string> statements, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a load and serves <paramref name="content"/> when the server asks for its file. A request for any other name is answered
    /// with an empty file, the session is closed, and a <see cref="ServerException"/> of kind <see cref="FaultKind.Protocol"/> is
    /// thrown.
    /// </summary>
    /// <param name="load">the load; goes on with it where it is the one that was announced last, or whose file is open</param>
    /// <param name="content">the file's bytes, behind those that <see cref="ServeAsync"/> served; not read any more once the task is
    /// complete</param>
    /// <param name="next">
    /// the load to announce, null for none: it is sent behind the content, so that the server need not wait for it after its answer.
    /// While it is announced the server waits for the client, no longer than its net_read_timeout.
    /// </param>
    /// <param name="onServed">called once the whole content is on its way, when the server has work and the client has time</param>
    /// <remarks>
    /// If it fails or is cancelled before the whole content was sent, the socket is closed without the packet that ends the
    /// file, so that the server rolls back. If it fails later, what was announced stays announced.
    /// <para>
    /// Any other command than the announced load is sent after that has run over an empty file: so its prologue holds,
    /// and SHOW WARNINGS tells of it and not of the load before. If what was announced fails by then, its fault is thrown instead of
    /// running the command, and nothing is announced any more.
    /// </para>
    /// </remarks>
    ValueTask<OkResult> LoadLocalAsync(
        LocalLoad load, ReadOnlyMemory<byte> content, LocalLoad? next, Action? onServed, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a load as far as the next bytes of its file, and leaves that open: until <see cref="LoadLocalAsync"/> has ended it, the session
    /// takes nothing else (an <see cref="InvalidOperationException"/>), and the server waits for the client, no longer than its
    /// net_read_timeout. Of what it makes of the rows nothing is known before that.
    /// </summary>
    /// <param name="load">the load; goes on with it where its file is open or it was announced last</param>
    /// <param name="content">the next bytes; not read any more once the task is complete</param>
    ValueTask ServeAsync(LocalLoad load, ReadOnlyMemory<byte> content, CancellationToken cancellationToken);

    /// <summary>Prepares a statement on the server (COM_STMT_PREPARE).</summary>
    ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a prepared statement that returns no rows, with binary parameters (COM_STMT_EXECUTE), behind a prologue or none; with
    /// <see cref="BulkParameters"/> for each of their rows (COM_STMT_BULK_EXECUTE), and the answer counts for all of them. The parameters
    /// may be refilled once the task is complete.
    /// </summary>
    ValueTask<OkResult> ExecuteAsync(
        string? prologue, PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken);

    /// <summary>
    /// Sends a pipeline's commands without waiting for the answers in between, and reads those meanwhile, whatever the buffers between
    /// the two sides hold. A command that fails is in <see cref="Pipeline.Faults"/> and not thrown; none is sent after it was heard of,
    /// while those under way run and are answered. The pipeline may be refilled or run again once the task is complete.
    /// </summary>
    /// <exception cref="ServerException">the session is lost: what was sent and not answered may have run</exception>
    ValueTask RunAsync(Pipeline pipeline, CancellationToken cancellationToken);

    /// <summary>Frees a prepared statement on the server (COM_STMT_CLOSE has no answer).</summary>
    ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken);
}

/// <summary>How long a session waits for an answer.</summary>
internal enum AnswerBound
{
    /// <summary>As long as the connection lasts.</summary>
    None,

    /// <summary>As long as connecting may take: what is asked is answered at once.</summary>
    LookUp,

    /// <summary>That, and as long as the server waits for a lock: what is asked may need one.</summary>
    Lock,

    /// <summary>As long as the user allows a statement (<see cref="ConnectionOptions.ReadTimeout"/>).</summary>
    Statement,
}

/// <summary>What is executed: a statement's text, or a prepared statement.</summary>
/// <param name="Prologue">goes out in one piece with it; null: nothing does</param>
/// <param name="Text">where nothing is prepared</param>
/// <param name="Statement">where it is</param>
/// <param name="Parameters">of the prepared one</param>
internal readonly record struct Execution(
    byte[]? Prologue, ReadOnlyMemory<byte> Text, PreparedStatement? Statement = null, BinaryParameters? Parameters = null)
{
    /// <summary>Writes the command, behind a prologue that is written already.</summary>
    public ValueTask WriteAsync(CommandWriter commands, CancellationToken cancellationToken) => Statement is null
        ? commands.QueryAsync(Text, cancellationToken)
        : commands.ExecuteAsync(Statement, Parameters!, cancellationToken);
}

/// <summary>Who answered the handshake, and how the connection was made.</summary>
internal sealed record ServerIdentity
{
    /// <summary>As sent by the server, such as <c>10.11.14-MariaDB-0+deb12u2</c> or <c>9.7.4</c>; MariaDB's replication prefix
    /// <c>5.5.5-</c> is removed.</summary>
    public required string VersionText { get; init; }

    public required bool IsMariaDb { get; init; }

    /// <summary>Major, minor, patch.</summary>
    public required Version Version { get; init; }

    public required uint ConnectionId { get; init; }

    /// <summary>Whether many rows of parameters may go in one packet (MariaDB's COM_STMT_BULK_EXECUTE).</summary>
    public bool TakesBulkExecutions { get; init; }

    /// <summary>True over TLS; a unix socket is not encrypted but private to the machine.</summary>
    public required bool IsEncrypted { get; init; }

    /// <summary>For people: <c>TLS 1.3</c>, <c>not encrypted</c>, <c>unix socket</c>.</summary>
    public required string Security { get; init; }

    /// <summary>Whether it is on this machine, by its address: over a loopback address or a unix socket. A relay may stand there for one
    /// elsewhere.</summary>
    public bool IsLocal { get; init; }

    /// <summary>For people: <c>127.0.0.1:3306</c> or the socket's path.</summary>
    public required string Endpoint { get; init; }

    /// <summary>The account as the client named it.</summary>
    public required string User { get; init; }
}
