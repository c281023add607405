using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;

namespace BulkLoad.Core.Protocol;

internal sealed class ServerSession : IServerSession
{
    /// <summary>Time between two tries of a starting server.</summary>
    private static readonly TimeSpan BetweenTries = TimeSpan.FromMilliseconds(250);

    /// <summary>Bytes of statements that are sent before the first answer is read.</summary>
    private const int MaxBytesAhead = 16 * 1024;

    private static readonly TimeSpan FarewellLimit = TimeSpan.FromSeconds(1);

    /// <summary>Longest time that the server waits for a lock in such a session (lock_wait_timeout).</summary>
    private static readonly TimeSpan MaxLockWait = TimeSpan.FromSeconds(60);

    private readonly ConnectionOptions _options;
    private readonly Func<CancellationToken, Task<PacketConnection>> _open;
    private PacketConnection _wire;
    private CommandWriter _commands;
    private AnswerReader _answers;
    private LoadExchange _loads;

    private AnswerBound? _bound;
    private bool _isBusy;

    private ServerSession(
        ConnectionOptions options, Func<CancellationToken, Task<PacketConnection>> open, PacketConnection wire, Login login)
    {
        (_options, _open) = (options, open);
        Use(wire, login);
    }

    [MemberNotNull(nameof(_wire), nameof(_commands), nameof(_answers), nameof(_loads), nameof(Server))]
    private void Use(PacketConnection wire, Login login)
    {
        _wire = wire;
        _commands = new CommandWriter(wire);
        _answers = new AnswerReader(wire, login.Capabilities.HasFlag(Capabilities.DeprecateEof), Transaction);
        _loads = new LoadExchange(wire, _commands, _answers, _options.Route);
        Server = new ServerIdentity
        {
            VersionText = login.Greeting.VersionText,
            IsMariaDb = login.Greeting.IsMariaDb,
            Version = login.Greeting.Version,
            ConnectionId = login.Greeting.ConnectionId,
            TakesBulkExecutions = login.Extended.HasFlag(ExtendedCapabilities.BulkExecute),
            IsEncrypted = wire.Channel.IsEncrypted,
            Security = wire.Security,
            IsLocal = wire.Channel.IsLocal,
            Endpoint = _options.Endpoint,
            User = _options.User,
            IsStepwise = _options.Route.IsStepwise,
        };
        if (_bound is { } bound)
        {
            Bound(bound);
        }
    }

    public ServerIdentity Server { get; private set; }

    public bool IsUsable => !_wire.IsClosed;

    public long Calls { get; private set; }

    public TransactionWatch Transaction { get; } = new();

    public void Bound(AnswerBound bound)
    {
        _bound = bound;
        TimeSpan? limit = bound switch
        {
            AnswerBound.LookUp => _options.ConnectTimeout,
            AnswerBound.Lock => _options.ConnectTimeout + MaxLockWait,
            AnswerBound.Statement => _options.ReadTimeout,
            _ => null,
        };
        _wire.Reader.Bound(limit, _wire.Close, () => bound == AnswerBound.Statement
            ? new ServerException(
                FaultKind.SessionLost, $"{Server.Endpoint} gave no answer within {limit!.Value.TotalSeconds:0.#} s (--read-timeout)")
            : ConnectFault.Silent(_options, limit!.Value));
    }

    /// <summary>Connects and logs in within <see cref="ConnectionOptions.ConnectTimeout"/>.</summary>
    public static async Task<ServerSession> ConnectAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        var started = TimeProvider.System.GetTimestamp();
        while (true)
        {
            try
            {
                return await ConnectAsync(options, token => Connector.OpenAsync(options, token), cancellationToken);
            }
            catch (ConnectException fault) when (fault.ServerMayBeStarting && TimeProvider.System.GetElapsedTime(started) < options.Wait)
            {
                await Task.Delay(BetweenTries, cancellationToken);
            }
        }
    }

    internal static async Task<ServerSession> ConnectAsync(
        ConnectionOptions options, Func<CancellationToken, Task<PacketConnection>> open, CancellationToken cancellationToken)
    {
        var (wire, login) = await LogInAsync(options, open, cancellationToken);
        return new ServerSession(options, open, wire, login);
    }

    private static async Task<(PacketConnection Wire, Login Login)> LogInAsync(
        ConnectionOptions options, Func<CancellationToken, Task<PacketConnection>> open, CancellationToken cancellationToken)
    {
        using var files = SecurityFiles.Load(options);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        PacketConnection? wire = null;
        try
        {
            wire = await open(limit.Token);
            return (wire, await Login.RunAsync(wire, options, files, limit.Token));
        }
        catch (Exception fault)
        {
            wire?.Close();
            cancellationToken.ThrowIfCancellationRequested();

            // Where a session keeps its thread, a timeout shows as the end of the connection.
            var cause = limit.IsCancellationRequested && fault is not (ConnectException or ServerException { Code: > 0 })
                ? new OperationCanceledException(null, fault)
                : fault;
            if (ConnectFault.Explain(options, cause) is { } explained)
            {
                throw explained;
            }

            throw;
        }
    }

    public ValueTask<OkResult> ExecuteAsync(string statement, CancellationToken cancellationToken) =>
        ExecuteAsync(null, StatementText.Encode(statement), cancellationToken);

    public ValueTask<OkResult> ExecuteAsync(string? prologue, ReadOnlyMemory<byte> statement, CancellationToken cancellationToken) =>
        ExecuteAsync(new Execution(StatementText.EncodeAny(prologue), statement), cancellationToken);

    public ValueTask<TextResultSet> QueryAsync(string statement, CancellationToken cancellationToken) =>
        GuardAsync(StatementText.Encode(statement), static async (session, bytes, token) =>
        {
            await session._commands.QueryAsync(bytes, token);
            session._wire.GiveTurn();
            return await session._answers.ReadRowsAsync(token);
        }, cancellationToken);

    public ValueTask QueryAsync(ReadOnlyMemory<byte> statement, RawResultSet rows, CancellationToken cancellationToken)
    {
        rows.Clear();
        return StreamAsync(statement, rows, AnswerReader.MaxResultBytes, cancellationToken);
    }

    public ValueTask StreamAsync(string statement, IRowSink rows, CancellationToken cancellationToken) =>
        StreamAsync(StatementText.Encode(statement), rows, long.MaxValue, cancellationToken);

    public async ValueTask<TextResultSet[]> QueryAllAsync(IReadOnlyList<string> statements, CancellationToken cancellationToken)
    {
        var questions = statements.Select(StatementText.Encode).ToArray();
        try
        {
            return await AskAllAsync(questions, cancellationToken);
        }
        catch (ServerException fault) when (Calls == 1 && questions.Length > 1 && fault.Kind == FaultKind.Protocol)
        {
            // Nothing else was asked by this session, so a new connection can take its place.
            _options.Route.IsStepwise = true;
            if (!await TryConnectAgainAsync(cancellationToken))
            {
                throw;
            }

            return await AskAllAsync(questions, cancellationToken);
        }
    }

    private async Task<bool> TryConnectAgainAsync(CancellationToken cancellationToken)
    {
        try
        {
            var (wire, login) = await LogInAsync(_options, _open, cancellationToken);
            Use(wire, login);
            return true;
        }
        catch (BulkLoadException)
        {
            return false;
        }
    }

    private ValueTask<TextResultSet[]> AskAllAsync(byte[][] questions, CancellationToken cancellationToken) =>
        GuardAsync(questions, static async (session, questions, token) =>
        {
            var answers = new TextResultSet[questions.Length];
            ServerException? refusal = null;
            for (var answered = 0; answered < questions.Length;)
            {
                var toAnswers = await session.SendSeveralAsync(questions.AsMemory(answered), token);
                foreach (var toAnswer in toAnswers)
                {
                    session._wire.Reader.BeginAnswer(toAnswer);
                    try
                    {
                        answers[answered] = await session._answers.ReadRowsAsync(token);
                    }
                    catch (ServerException fault) when (LeavesUsable(fault))
                    {
                        refusal ??= fault;
                    }

                    answered++;
                }
            }

            return refusal is null ? answers : throw refusal;
        }, cancellationToken);

    public ValueTask<OkResult> LoadLocalAsync(
        LocalLoad load, ReadOnlyMemory<byte> content, LocalLoad? next, Action? onServed, CancellationToken cancellationToken) =>
        GuardAsync(
            (Load: EncodedLoad.Of(load), content, Next: next is null ? null : EncodedLoad.Of(next), onServed),
            static (session, file, token) => session._loads.LoadAsync(file.Load, file.content, file.Next, file.onServed, token),
            cancellationToken,
            load);

    public ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken) =>
        GuardAsync(StatementText.Encode(statement), static async (session, bytes, token) =>
        {
            await session._commands.PrepareAsync(bytes, token);
            session._wire.GiveTurn();
            var (id, parameterCount, warnings) = await session._answers.ReadPreparedAsync(token);
            return new PreparedStatement(session, id, parameterCount) { Warnings = warnings };
        }, cancellationToken);

    public ValueTask<OkResult> ExecuteAsync(
        string? prologue, PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        statement.RequireSession(this);
        statement.RequireFilled(parameters);
        if (parameters is BulkParameters)
        {
            PreparedStatement.RequireBulk(this);
        }

        var running = ExecuteAsync(new Execution(StatementText.EncodeAny(prologue), default, statement, parameters), cancellationToken);
        return statement.LearnTypesAsync(running, parameters);
    }

    /// <summary>Runs a prepared statement, and counts its rows without keeping any.</summary>
    public ValueTask<ResultTotals> ReadAsync(PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        statement.RequireSession(this);
        statement.RequireFilled(parameters);
        var running = GuardAsync((statement, parameters), static async (session, execution, token) =>
        {
            await session._commands.ExecuteAsync(execution.statement, execution.parameters, token);
            session._wire.GiveTurn();
            return await session._answers.ReadTotalsAsync(token);
        }, cancellationToken);
        return statement.LearnTypesAsync(running, parameters);
    }

    public async ValueTask RunAsync(Pipeline pipeline, CancellationToken cancellationToken)
    {
        pipeline.Begin(this, _options.Route.IsStepwise);
        await GuardAsync(pipeline, static async (session, commands, token) =>
        {
            await new PipelineRun(session._wire, session._answers, commands).RunAsync(token);
            return true;
        }, cancellationToken);
        if (pipeline.Faults.Count == 0)
        {
            pipeline.Complete();
        }
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

    /// <summary>Sends a farewell if the session is idle.</summary>
    public async ValueTask DisposeAsync()
    {
        // Where the server waits for a file, it would take a farewell for content.
        if (IsUsable && !_isBusy && !_loads.IsDue)
        {
            using var limit = new CancellationTokenSource(FarewellLimit);
            try
            {
                await _commands.QuitAsync(limit.Token);
            }
            catch (Exception fault) when (fault is IOException or OperationCanceledException or ObjectDisposedException)
            {
                // The server gets no farewell.
            }
        }

        _wire.Close();
    }

    /// <summary>Sends at least one statement, and no more than the sockets take even if nobody reads: so the two sides cannot deadlock.
    /// Returns the sequence ids of the answers.</summary>
    private async ValueTask<List<byte>> SendSeveralAsync(ReadOnlyMemory<byte[]> statements, CancellationToken cancellationToken)
    {
        var (toAnswers, length) = (new List<byte>(statements.Length), 0);
        for (var i = 0; i < statements.Length; i++)
        {
            var statement = statements.Span[i];
            length += statement.Length;
            if (i == statements.Length - 1 || _options.Route.IsStepwise || length + statements.Span[i + 1].Length > MaxBytesAhead)
            {
                await _commands.QueryAsync(statement, cancellationToken);
                toAnswers.Add(_wire.Writer.Sequence);
                break;
            }

            toAnswers.Add(await _commands.QueryAheadAsync(statement, cancellationToken));
        }

        return toAnswers;
    }

    private async ValueTask StreamAsync(ReadOnlyMemory<byte> statement, IRowSink rows, long longest, CancellationToken cancellationToken) =>
        await GuardAsync((statement, rows, longest), static async (session, question, token) =>
        {
            await session._commands.QueryAsync(question.statement, token);
            session._wire.GiveTurn();
            await session._answers.ReadRowsAsync(question.rows, token, question.longest);
            return true;
        }, cancellationToken);

    private ValueTask<OkResult> ExecuteAsync(Execution execution, CancellationToken cancellationToken) =>
        GuardAsync(execution, static (session, execution, token) =>
        execution.Prologue is null
            ? session.AnswerAsync(execution.WriteAsync(session._commands, token), token)
            : session.ExecuteAfterAsync(execution.Prologue, execution, token), cancellationToken);

    private async ValueTask<OkResult> ExecuteAfterAsync(byte[] prologue, Execution execution, CancellationToken cancellationToken)
    {
        if (_options.Route.IsStepwise)
        {
            await AnswerAsync(_commands.QueryAsync(prologue, cancellationToken), cancellationToken);
            return await AnswerAsync(execution.WriteAsync(_commands, cancellationToken), cancellationToken);
        }

        var toPrologue = await _commands.QueryAheadAsync(prologue, cancellationToken);
        await execution.WriteAsync(_commands, cancellationToken);
        var toExecution = _wire.Writer.Sequence;
        await LeadingStatement.ReadAnswerAsync(_wire, _answers, toPrologue, DropAsync, cancellationToken);
        _wire.Reader.BeginAnswer(toExecution);
        return await _answers.ReadAsync(cancellationToken);
    }

    private ValueTask<OkResult> DropAsync(CancellationToken cancellationToken)
    {
        _wire.GiveTurn();
        return _answers.ReadAsync(cancellationToken);
    }

    /// <summary>Allocates no task if both are done.</summary>
    private ValueTask<OkResult> AnswerAsync(ValueTask writing, CancellationToken cancellationToken)
    {
        if (!writing.IsCompletedSuccessfully)
        {
            return AnswerOnceWrittenAsync(writing, cancellationToken);
        }

        _wire.GiveTurn();
        return _answers.ReadAsync(cancellationToken);
    }

    private async ValueTask<OkResult> AnswerOnceWrittenAsync(ValueTask writing, CancellationToken cancellationToken)
    {
        await writing;
        return await AnswerAsync(default, cancellationToken);
    }

    /// <summary>Runs one exchange; first drains an announced load, unless <paramref name="load"/> is that one. Any end but a plain refusal
    /// leaves the two sides out of step, so the session is closed.</summary>
    private ValueTask<TResult> GuardAsync<TState, TResult>(
        TState state,
        Func<ServerSession, TState, CancellationToken, ValueTask<TResult>> exchange,
        CancellationToken cancellationToken,
        LocalLoad? load = null)
    {
        if (Obstacle is { } obstacle)
        {
            return ValueTask.FromException<TResult>(obstacle);
        }

        _isBusy = true;
        Calls++;
        ValueTask<TResult> running;
        try
        {
            running = _loads.HasAnnouncedOther(load)
                ? DrainFirstAsync(state, exchange, cancellationToken)
                : exchange(this, state, cancellationToken);
        }
        catch (Exception fault)
        {
            running = ValueTask.FromException<TResult>(fault);
        }

        if (!running.IsCompletedSuccessfully)
        {
            return GuardAsync(running, cancellationToken);
        }

        // Each answer had come, or the thread was kept until it did.
        _isBusy = false;
        return running;
    }

    private Exception? Obstacle =>
        !IsUsable ? new ServerException(FaultKind.SessionLost, "the session is closed")
        : _isBusy ? new InvalidOperationException("the session is still at its last command")
        : null;

    private async ValueTask<TResult> DrainFirstAsync<TState, TResult>(
        TState state, Func<ServerSession, TState, CancellationToken, ValueTask<TResult>> exchange, CancellationToken cancellationToken)
    {
        await _loads.DrainAsync(cancellationToken);
        return await exchange(this, state, cancellationToken);
    }

    private async ValueTask<TResult> GuardAsync<TResult>(ValueTask<TResult> running, CancellationToken cancellationToken)
    {
        try
        {
            return await running;
        }
        catch (Exception fault) when (!LeavesUsable(fault))
        {
            var lastWords = fault is IOException ? await ClosingError.ReadAsync(_wire.Reader) : null;
            _wire.Close();
            cancellationToken.ThrowIfCancellationRequested();
            if (lastWords is not null)
            {
                throw lastWords;
            }

            if (fault is IOException or ObjectDisposedException)
            {
                throw new ServerException(
                    FaultKind.SessionLost, $"the connection to {Server.Endpoint} broke: {fault.GetBaseException().Message}", fault);
            }

            ExceptionDispatchInfo.Throw(fault);
            throw;
        }
        finally
        {
            _isBusy = false;
        }
    }

    /// <summary>Whether the fault is a plain refusal, after which the session can be used.</summary>
    internal static bool LeavesUsable(Exception fault) => fault is ServerException { Code: > 0 } error
        && (error.Error == ServerError.QueryInterrupted || error.Kind is not (FaultKind.SessionLost or FaultKind.Packet));
}

/// <summary>A statement's text, or a prepared statement with its parameters, after a prologue or without one.</summary>
internal readonly record struct Execution(
    byte[]? Prologue, ReadOnlyMemory<byte> Text, PreparedStatement? Statement = null, BinaryParameters? Parameters = null)
{
    public ValueTask WriteAsync(CommandWriter commands, CancellationToken cancellationToken) => Statement is null
        ? commands.QueryAsync(Text, cancellationToken)
        : commands.ExecuteAsync(Statement, Parameters!, cancellationToken);
}
