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
/// </remarks>
internal interface IServerSession : IAsyncDisposable
{
    /// <summary>Who answers, and how the connection was made.</summary>
    ServerIdentity Server { get; }

    /// <summary>False once the connection is closed or broken.</summary>
    bool IsUsable { get; }

    /// <summary>Runs a statement that returns no rows (COM_QUERY). One that does breaks the session.</summary>
    ValueTask<Answer> ExecuteAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Runs a statement of UTF-8 bytes that returns no rows; of any size up to the server's max_allowed_packet.</summary>
    ValueTask<Answer> ExecuteAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken);

    /// <summary>Runs a statement and keeps its rows in memory, as text: for catalogue look-ups, bounded at 64 MiB.</summary>
    ValueTask<TextRows> QueryAsync(string statement, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a LOAD DATA LOCAL INFILE statement and serves <paramref name="content"/> when the server asks for
    /// <paramref name="fileName"/>. A request for any other name is answered with an empty file, the session is closed, and a
    /// <see cref="ServerException"/> of kind <see cref="FaultKind.Protocol"/> is thrown.
    /// </summary>
    /// <param name="prologue">
    /// A statement that returns no rows and goes out before it, without a wait in between; null for none. If it fails, nothing is
    /// loaded, and its fault is thrown.
    /// </param>
    /// <param name="statement">the statement; names the file</param>
    /// <param name="fileName">the only file that is served</param>
    /// <param name="content">its bytes; not read any more once the task is complete</param>
    /// <param name="onServed">called once the whole content is on its way, when the server has work and the client has time</param>
    /// <param name="cancellationToken">closes the socket</param>
    /// <remarks>
    /// If it fails or is cancelled before the whole content was sent, the socket is closed without the packet that ends the
    /// file, so that the server rolls back.
    /// </remarks>
    ValueTask<Answer> LoadLocalAsync(
        string? prologue, string statement, string fileName, ReadOnlyMemory<byte> content, Action? onServed, CancellationToken cancellationToken);

    /// <summary>Prepares a statement on the server (COM_STMT_PREPARE).</summary>
    ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken);

    /// <summary>
    /// Runs a prepared statement that returns no rows, with binary parameters (COM_STMT_EXECUTE). The parameters may be
    /// refilled once the task is complete.
    /// </summary>
    ValueTask<Answer> ExecuteAsync(PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken);

    /// <summary>Frees a prepared statement on the server (COM_STMT_CLOSE has no answer).</summary>
    ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken);
}
