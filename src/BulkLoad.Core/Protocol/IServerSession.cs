namespace BulkLoad.Core.Protocol;

/// <summary>
/// One open session with a server: all that the rest of the program asks of a driver. Not thread-safe: one command after
/// the other, from one logical flow. A session whose command was cancelled or whose connection broke is closed and
/// answers every later call with a <see cref="ServerException"/> of kind <see cref="FaultKind.SessionLost"/>.
/// </summary>
/// <remarks>
/// A server's error packet is a <see cref="ServerException"/>; the session stays usable after it, unless it says that the
/// session is over. Cancelling a token closes the socket, so that the server rolls back what was open. All calls but
/// <see cref="SendAsync(string, CancellationToken)"/>, <see cref="ReceiveAsync"/> and <see cref="ServeLocalAsync"/> need
/// that no answer is open.
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
    /// Sends a statement without waiting for its answer; <see cref="ReceiveAsync"/> and <see cref="ServeLocalAsync"/> take
    /// the answers in order. For a few short statements: nothing is read meanwhile.
    /// </summary>
    ValueTask SendAsync(string statement, CancellationToken cancellationToken);

    /// <summary>Takes the answer of the oldest statement sent by <see cref="SendAsync"/> that has not been answered yet.</summary>
    ValueTask<Answer> ReceiveAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Runs a LOAD DATA LOCAL INFILE statement: <see cref="SendAsync"/>, then <see cref="ServeLocalAsync"/>.
    /// </summary>
    ValueTask<Answer> LoadLocalAsync(string statement, string fileName, ReadOnlyMemory<byte> content, CancellationToken cancellationToken);

    /// <summary>
    /// Takes the answer of the oldest statement sent, which is LOAD DATA LOCAL INFILE, and serves <paramref name="content"/>
    /// when the server asks for <paramref name="fileName"/>. A request for any other name is answered with an empty file, the
    /// session is closed, and a <see cref="ServerException"/> of kind <see cref="FaultKind.Protocol"/> is thrown.
    /// </summary>
    /// <remarks>
    /// If it fails or is cancelled before the whole content was sent, the socket is closed without the packet that ends the
    /// file, so that the server rolls back. The content is not read any more once the task is complete. If a statement sent
    /// before it failed, the load still waits: serve no bytes and roll back, or dispose of the session.
    /// </remarks>
    ValueTask<Answer> ServeLocalAsync(string fileName, ReadOnlyMemory<byte> content, CancellationToken cancellationToken);

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
