using System.Buffers;
using System.Globalization;
using System.Runtime.ExceptionServices;
using System.Text;

namespace BulkLoad.Core.Protocol;

/// <summary>A session over the MySQL client/server protocol.</summary>
internal sealed class ServerSession : IServerSession
{
    /// <summary>The number of a statement that was killed: its session goes on.</summary>
    internal const int QueryInterrupted = 1317;

    private static readonly TimeSpan FarewellLimit = TimeSpan.FromSeconds(1);

    // A lone surrogate must not silently become a question mark in a statement.
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    private readonly Wire _wire;
    private readonly CommandWriter _commands;
    private readonly AnswerReader _answers;

    // The sequence id of each answer that is still due.
    private readonly Queue<byte> _open = new();

    private ServerSession(Wire wire, Login login, ConnectionOptions options)
    {
        _wire = wire;
        _commands = new CommandWriter(wire);
        _answers = new AnswerReader(wire, login.Capabilities.HasFlag(Capabilities.DeprecateEof));
        Server = new ServerIdentity
        {
            VersionText = login.Greeting.VersionText,
            IsMariaDb = login.Greeting.IsMariaDb,
            Version = login.Greeting.Version,
            ConnectionId = login.Greeting.ConnectionId,
            IsEncrypted = wire.Channel.IsEncrypted,
            Security = wire.Security,
            Endpoint = options.Endpoint,
            User = options.User,
        };
    }

    public ServerIdentity Server { get; }

    public bool IsUsable => !_wire.IsClosed;

    /// <summary>Connects and logs in, within <see cref="ConnectionOptions.ConnectTimeout"/>.</summary>
    /// <exception cref="ConnectException">no session could be opened</exception>
    public static Task<ServerSession> ConnectAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        ConnectAsync(options, token => Connector.OpenAsync(options, token), cancellationToken);

    /// <summary>Logs in over a transport that <paramref name="open"/> makes.</summary>
    /// <exception cref="ConnectException">no session could be opened</exception>
    internal static async Task<ServerSession> ConnectAsync(
        ConnectionOptions options, Func<CancellationToken, Task<Wire>> open, CancellationToken cancellationToken)
    {
        TlsUpgrade.RequireTrust(options);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        Wire? wire = null;
        try
        {
            wire = await open(limit.Token);
            return new ServerSession(wire, await Login.RunAsync(wire, options, limit.Token), options);
        }
        catch (Exception fault)
        {
            wire?.Close();
            cancellationToken.ThrowIfCancellationRequested();
            if (ConnectFault.Explain(options, fault) is { } explained)
            {
                throw explained;
            }

            throw;
        }
    }

    /// <summary>Interrupts what another session is running, by way of a session of its own.</summary>
    /// <exception cref="ConnectException">no session could be opened</exception>
    /// <exception cref="ServerException">such as 1094: there is no such session any more</exception>
    public static async Task KillQueryAsync(ConnectionOptions options, uint connectionId, CancellationToken cancellationToken)
    {
        await using var side = await ConnectAsync(
            options with { Database = null, OffersLocalInfile = false }, cancellationToken);
        await side.ExecuteAsync(string.Create(CultureInfo.InvariantCulture, $"KILL QUERY {connectionId}"), cancellationToken);
    }

    public ValueTask<Answer> ExecuteAsync(string statement, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        return GuardAsync(statement, static async (session, text, token) =>
        {
            await session.SendTextAsync(text, token);
            return await session.ReadAnswerAsync(token);
        }, cancellationToken);
    }

    public ValueTask<Answer> ExecuteAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        return GuardAsync(statement, static async (session, bytes, token) =>
        {
            await session._commands.QueryAsync(bytes, token);
            session.ExpectAnswer();
            return await session.ReadAnswerAsync(token);
        }, cancellationToken);
    }

    public ValueTask<TextRows> QueryAsync(string statement, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        return GuardAsync(statement, static async (session, text, token) =>
        {
            await session.SendTextAsync(text, token);
            session.BeginAnswer();
            return await session._answers.ReadRowsAsync(token);
        }, cancellationToken);
    }

    public async ValueTask SendAsync(string statement, CancellationToken cancellationToken) =>
        await GuardAsync(statement, static async (session, text, token) =>
        {
            await session.SendTextAsync(text, token);
            return true;
        }, cancellationToken);

    public ValueTask<Answer> ReceiveAsync(CancellationToken cancellationToken)
    {
        RequireOpenAnswer();
        return GuardAsync(0, static (session, _, token) => session.ReadAnswerAsync(token), cancellationToken);
    }

    public async ValueTask<Answer> LoadLocalAsync(
        string statement, string fileName, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        await SendAsync(statement, cancellationToken);
        return await ServeLocalAsync(fileName, content, cancellationToken);
    }

    public ValueTask<Answer> ServeLocalAsync(string fileName, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        RequireOpenAnswer();
        return GuardAsync((fileName, content), static async (session, file, token) =>
        {
            session.BeginAnswer();
            await session._answers.ReadLocalRequestAsync(StrictUtf8.GetBytes(file.fileName), token);
            await session._commands.LocalContentAsync(file.content, token);
            session._wire.GiveTurn();
            return await session._answers.ReadAsync(token);
        }, cancellationToken);
    }

    public ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        return GuardAsync(statement, static async (session, text, token) =>
        {
            await session._commands.PrepareAsync(StrictUtf8.GetBytes(text), token);
            session.ExpectAnswer();
            session.BeginAnswer();
            return await session._answers.ReadPreparedAsync(token);
        }, cancellationToken);
    }

    public ValueTask<Answer> ExecuteAsync(
        PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        RequireNoOpenAnswer();
        if (parameters.Filled != statement.ParameterCount || parameters.Count != statement.ParameterCount)
        {
            throw new ArgumentException(
                $"{parameters.Filled} of {parameters.Count} parameters are filled, {statement.ParameterCount} are needed", nameof(parameters));
        }

        return GuardAsync((statement, parameters), static async (session, execution, token) =>
        {
            await session._commands.ExecuteAsync(execution.statement, execution.parameters, token);
            session.ExpectAnswer();
            var answer = await session.ReadAnswerAsync(token);
            execution.statement.LearnTypesOf(execution.parameters);
            return answer;
        }, cancellationToken);
    }

    public async ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken) =>
        await GuardAsync(statement, static async (session, closed, token) =>
        {
            await session._commands.CloseAsync(closed, token);
            return true;
        }, cancellationToken);

    /// <summary>Says goodbye where the session is idle, and closes the socket.</summary>
    public async ValueTask DisposeAsync()
    {
        if (IsUsable && _open.Count == 0)
        {
            using var limit = new CancellationTokenSource(FarewellLimit);
            try
            {
                await _commands.QuitAsync(limit.Token);
            }
            catch (Exception fault) when (fault is IOException or OperationCanceledException or ObjectDisposedException)
            {
                // The server does without the farewell.
            }
        }

        _wire.Close();
    }

    private async ValueTask SendTextAsync(string statement, CancellationToken cancellationToken)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(StrictUtf8.GetByteCount(statement));
        var length = StrictUtf8.GetBytes(statement, buffer);
        await _commands.QueryAsync(buffer.AsMemory(0, length), cancellationToken);

        // Not after a failure: a write that was given up may still read from the buffer.
        ArrayPool<byte>.Shared.Return(buffer);
        ExpectAnswer();
    }

    private ValueTask<Answer> ReadAnswerAsync(CancellationToken cancellationToken)
    {
        BeginAnswer();
        return _answers.ReadAsync(cancellationToken);
    }

    private void ExpectAnswer() => _open.Enqueue(_commands.AnswerSequence);

    private void BeginAnswer() => _wire.Reader.BeginAnswer(_open.Dequeue());

    private void RequireNoOpenAnswer()
    {
        if (_open.Count > 0 && IsUsable)
        {
            throw new InvalidOperationException("answers of statements sent before are still open");
        }
    }

    private void RequireOpenAnswer()
    {
        if (_open.Count == 0 && IsUsable)
        {
            throw new InvalidOperationException("no statement is waiting for its answer");
        }
    }

    /// <summary>Runs one exchange. Whatever ends it but a plain refusal leaves the two sides out of step: the session is closed.</summary>
    private async ValueTask<TResult> GuardAsync<TState, TResult>(
        TState state,
        Func<ServerSession, TState, CancellationToken, ValueTask<TResult>> exchange,
        CancellationToken cancellationToken)
    {
        if (!IsUsable)
        {
            throw new ServerException(FaultKind.SessionLost, "the session is closed");
        }

        try
        {
            return await exchange(this, state, cancellationToken);
        }
        catch (Exception fault) when (!LeavesUsable(fault))
        {
            var lastWords = fault is IOException ? await LastWords.ReadAsync(_wire.Reader) : null;
            _wire.Close();
            cancellationToken.ThrowIfCancellationRequested();
            if (lastWords is not null)
            {
                throw lastWords;
            }

            if (fault is IOException or ObjectDisposedException)
            {
                throw new ServerException(FaultKind.SessionLost, $"the connection to {Server.Endpoint} broke: {fault.GetBaseException().Message}", fault);
            }

            ExceptionDispatchInfo.Throw(fault);
            throw;
        }
    }

    private static bool LeavesUsable(Exception fault) => fault is ServerException { Code: > 0 } error
        && (error.Code == QueryInterrupted || error.Kind is not (FaultKind.SessionLost or FaultKind.Packet));
}
