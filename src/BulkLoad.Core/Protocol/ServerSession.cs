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

    private bool _isBusy;

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
        using var files = SecurityFiles.Load(options);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        Wire? wire = null;
        try
        {
            wire = await open(limit.Token);
            return new ServerSession(wire, await Login.RunAsync(wire, options, files, limit.Token), options);
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

    public ValueTask<Answer> ExecuteAsync(string statement, CancellationToken cancellationToken) =>
        ExecuteAsync(Encode(statement), cancellationToken);

    public ValueTask<Answer> ExecuteAsync(ReadOnlyMemory<byte> statement, CancellationToken cancellationToken) =>
        GuardAsync(statement, static async (session, bytes, token) =>
        {
            await session._commands.QueryAsync(bytes, token);
            session._wire.GiveTurn();
            return await session._answers.ReadAsync(token);
        }, cancellationToken);

    public ValueTask<TextRows> QueryAsync(string statement, CancellationToken cancellationToken) =>
        GuardAsync(Encode(statement), static async (session, bytes, token) =>
        {
            await session._commands.QueryAsync(bytes, token);
            session._wire.GiveTurn();
            return await session._answers.ReadRowsAsync(token);
        }, cancellationToken);

    public ValueTask<Answer> LoadLocalAsync(
        string? prologue, string statement, string fileName, ReadOnlyMemory<byte> content, Action? onServed, CancellationToken cancellationToken) =>
        GuardAsync((Prologue: prologue is null ? null : Encode(prologue), Load: Encode(statement), FileName: Encode(fileName), content, onServed), static async (session, file, token) =>
        {
            if (file.Prologue is { } first)
            {
                var answerToFirst = await session._commands.QueryAheadAsync(first, token);
                await session._commands.QueryAsync(file.Load, token);
                var answerToLoad = session._wire.Writer.Sequence;
                session._wire.Reader.BeginAnswer(answerToFirst);
                await session.ReadPrologueAsync(answerToLoad, file.FileName, token);
                session._wire.Reader.BeginAnswer(answerToLoad);
            }
            else
            {
                await session._commands.QueryAsync(file.Load, token);
                session._wire.GiveTurn();
            }

            return await session.ServeAsync(file.FileName, file.content, file.onServed, token);
        }, cancellationToken);

    public ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken) =>
        GuardAsync(Encode(statement), static async (session, bytes, token) =>
        {
            await session._commands.PrepareAsync(bytes, token);
            session._wire.GiveTurn();
            var (id, parameterCount) = await session._answers.ReadPreparedAsync(token);
            return new PreparedStatement(session, id, parameterCount);
        }, cancellationToken);

    public ValueTask<Answer> ExecuteAsync(
        PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        statement.RequireSession(this);
        if (parameters.Filled != statement.ParameterCount || parameters.Count != statement.ParameterCount)
        {
            throw new ArgumentException(
                $"{parameters.Filled} of {parameters.Count} parameters are filled, {statement.ParameterCount} are needed", nameof(parameters));
        }

        return GuardAsync((statement, parameters), static async (session, execution, token) =>
        {
            await session._commands.ExecuteAsync(execution.statement, execution.parameters, token);
            session._wire.GiveTurn();
            var answer = await session._answers.ReadAsync(token);
            execution.statement.LearnTypesOf(execution.parameters);
            return answer;
        }, cancellationToken);
    }

    public async ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken)
    {
        statement.RequireSession(this);
        await GuardAsync(statement, static async (session, closed, token) =>
        {
            await session._commands.CloseAsync(closed, token);
            return true;
        }, cancellationToken);
    }

    /// <summary>Says goodbye where the session is idle, and closes the socket.</summary>
    public async ValueTask DisposeAsync()
    {
        if (IsUsable && !_isBusy)
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

    /// <summary>Reads the answer to the statement before a load. Where that failed, the load already on its way loads nothing.</summary>
    private async ValueTask ReadPrologueAsync(byte answerToLoad, ReadOnlyMemory<byte> fileName, CancellationToken cancellationToken)
    {
        try
        {
            await _answers.ReadAsync(cancellationToken);
        }
        catch (ServerException fault) when (LeavesUsable(fault))
        {
            _wire.Reader.BeginAnswer(answerToLoad);
            await ServeNothingAsync(fileName, cancellationToken);
            throw;
        }
    }

    private async ValueTask ServeNothingAsync(ReadOnlyMemory<byte> fileName, CancellationToken cancellationToken)
    {
        try
        {
            await ServeAsync(fileName, ReadOnlyMemory<byte>.Empty, null, cancellationToken);
        }
        catch (Exception fault) when (fault is ServerException or IOException)
        {
            // The fault of the statement before it is the one to tell.
            if (!LeavesUsable(fault))
            {
                _wire.Close();
            }
        }
    }

    private async ValueTask<Answer> ServeAsync(
        ReadOnlyMemory<byte> fileName, ReadOnlyMemory<byte> content, Action? onServed, CancellationToken cancellationToken)
    {
        await _answers.ReadLocalRequestAsync(fileName, cancellationToken);
        await _commands.LocalContentAsync(content, cancellationToken);
        onServed?.Invoke();
        _wire.GiveTurn();
        return await _answers.ReadAsync(cancellationToken);
    }

    /// <summary>Before anything is sent, so that a text which cannot be leaves the session as it was.</summary>
    private static byte[] Encode(string text)
    {
        try
        {
            return StrictUtf8.GetBytes(text);
        }
        catch (EncoderFallbackException fault)
        {
            throw new RequestException(
                $"a name or text cannot be sent to the server: character {fault.Index + 1} of its statement is half a character (U+{(int)fault.CharUnknown:X4})");
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

        if (_isBusy)
        {
            throw new InvalidOperationException("the session is still at its last command");
        }

        _isBusy = true;
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
        finally
        {
            _isBusy = false;
        }
    }

    private static bool LeavesUsable(Exception fault) => fault is ServerException { Code: > 0 } error
        && (error.Code == QueryInterrupted || error.Kind is not (FaultKind.SessionLost or FaultKind.Packet));
}
