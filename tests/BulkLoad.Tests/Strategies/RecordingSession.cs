using System.Buffers.Binary;
using BulkLoad.Core.Protocol;
using BulkLoad.Tests.Protocol;

namespace BulkLoad.Tests.Strategies;

/// <summary>
/// A session without a server: writes down what it is asked, as a play that can be read, and answers that all went well, or what the
/// test laid down for a step.
/// </summary>
internal sealed class RecordingSession(bool isMariaDb = true, bool isLocal = false) : IServerSession
{
    private readonly StringBuilder _transcript = new();
    private readonly Dictionary<string, int> _seen = [];
    private readonly List<(string Step, int Time, Func<CancellationToken, Task<OkResult>> Act)> _script = [];
    private readonly List<(string Row, Func<ulong, OkResult> Act)> _bad = [];
    private readonly StatusScript _status = new();
    private readonly List<(string Query, string[]? Columns, Func<string, string?[][]> Rows)> _rows = [];
    private readonly Dictionary<uint, (int Rows, int Columns, bool IsUpdate)> _prepared = [];
    private LocalLoad? _announced;

    public ServerIdentity Server { get; } = new()
    {
        VersionText = isMariaDb ? "10.11.19-MariaDB" : "9.7.4",
        IsMariaDb = isMariaDb,
        TakesBulkExecutions = isMariaDb,
        Version = isMariaDb ? new Version(10, 11, 19) : new Version(9, 7, 4),
        ConnectionId = 7,
        IsEncrypted = true,
        Security = "TLS 1.3",
        IsLocal = isLocal,
        Endpoint = "db:3306",
        User = "loader",
    };

    public bool IsUsable { get; private set; } = true;

    public long Calls { get; private set; }

    /// <summary>
    /// Whether an announced load is written down where it is sent. Else only where it is taken up or drained, so that a run is the same
    /// play however far its reading side is ahead.
    /// </summary>
    public bool TellsAnnouncements { get; init; }

    /// <summary>Commands that are sent of the first pipeline; the others are left unsent though none failed, which a session must not
    /// do.</summary>
    public int? SendsAtFirst { get; set; }

    public string Transcript
    {
        get
        {
            lock (_transcript)
            {
                return _transcript.ToString();
            }
        }
    }

    /// <summary>Lines of the transcript, without what was sent in rows.</summary>
    public IReadOnlyList<string> Steps => [.. Transcript.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => line[0] != ' ')];

    /// <inheritdoc/>
    public TransactionWatch? Transaction { get; init; }

    /// <summary>Answers the nth step that starts so as usual, but with such status flags; all others say that a transaction is
    /// open.</summary>
    public RecordingSession Says(string step, int time, ushort status)
    {
        _status.Add(step, time, status);
        return this;
    }

    /// <summary>Answers the nth step that starts so with other counts.</summary>
    public RecordingSession Answers(string step, int time, ulong affected, ushort warnings = 0, string info = "")
    {
        _script.Add((step, time, _ => Task.FromResult(new OkResult(affected, 0, warnings, info, 0))));
        return this;
    }

    /// <summary>Answers every statement that carries such a row with a warning and so many rows fewer.</summary>
    public RecordingSession Warns(string row, ulong fewer, ushort warnings = 1)
    {
        _bad.Add((row, rows => new OkResult(rows - fewer, 0, warnings, "", 0)));
        return this;
    }

    /// <summary>Refuses every statement that carries such a row.</summary>
    public RecordingSession Refuses(string row, Exception fault)
    {
        _bad.Add((row, _ => throw fault));
        return this;
    }

    /// <summary>Answers the nth step that starts so with a fault.</summary>
    public RecordingSession Fails(string step, int time, Exception fault)
    {
        _script.Add((step, time, _ =>
        {
            IsUsable = fault is ServerException { Code: > 0 };
            return Task.FromException<OkResult>(fault);
        }
        ));
        return this;
    }

    /// <summary>Runs something of the test's before the nth step that starts so is answered as usual.</summary>
    public RecordingSession Meanwhile(string step, int time, Action act)
    {
        _script.Add((step, time, _ =>
        {
            act();
            return Task.FromResult(default(OkResult) with { Status = ushort.MaxValue });
        }
        ));
        return this;
    }

    /// <summary>Never answers the nth step that starts so, until the session is aborted.</summary>
    public RecordingSession HangsAt(string step, int time, TaskCompletionSource? reached = null)
    {
        _script.Add((step, time, async token =>
        {
            reached?.SetResult();
            try
            {
                await Task.Delay(Timeout.Infinite, token);
            }
            finally
            {
                IsUsable = false;
            }

            throw new InvalidOperationException("never reached");
        }
        ));
        return this;
    }

    /// <summary>The rows of a query that starts so.</summary>
    public RecordingSession Rows(string query, params string?[][] rows) => Table(query, null, rows);

    /// <summary>The same, with the names of its columns.</summary>
    public RecordingSession Table(string query, string[]? columns, params string?[][] rows)
    {
        _rows.Insert(0, (query, columns, _ => rows));
        return this;
    }

    /// <summary>The row of a query that starts so, as it is when it is asked for; null: there is none.</summary>
    public RecordingSession RowNow(string query, Func<string?[]?> row)
    {
        _rows.Insert(0, (query, null, _ => row() is { } one ? [one] : []));
        return this;
    }

    /// <summary>The rows of a query that starts so, by its whole text.</summary>
    public RecordingSession Answers(string query, Func<string, string?[][]> rows, params string[]? columns)
    {
        _rows.Insert(0, (query, columns is [] ? null : columns, rows));
        return this;
    }

    public async ValueTask<OkResult> ExecuteAsync(string statement, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        return await AnswerAsync(
            statement, statement, statement.StartsWith("UPDATE", StringComparison.Ordinal) ? 1ul : 0, cancellationToken);
    }

    public ValueTask<OkResult> ExecuteAsync(string? prologue, ReadOnlyMemory<byte> statement, CancellationToken cancellationToken)
    {
        var text = Encoding.UTF8.GetString(statement.Span);
        var rows = text.Split("),(").Length;
        var shown = text.Replace("),(", "),\n    (", StringComparison.Ordinal)
            .Replace("VALUES (", "VALUES\n    (", StringComparison.Ordinal);
        return RunAsync(
            prologue, text, shown, RecordedText.FindUpdates(text) ?? rows, RecordedText.FindUpdates(text) is not null, cancellationToken);
    }

    public async ValueTask<TextResultSet> QueryAsync(string statement, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        var (_, columns, rows) = _rows.FirstOrDefault(entry => statement.StartsWith(entry.Query, StringComparison.Ordinal));
        var found = rows?.Invoke(statement) ?? [];
        var width = found.Length == 0 ? 0 : found[0].Length;
        Write($"{statement} -> {found.Length} rows\n");
        foreach (var row in found)
        {
            Write($"    {string.Join(" | ", row)}\n");
        }

        return new TextResultSet(columns ?? [.. Enumerable.Range(1, width).Select(i => $"c{i}")], found);
    }

    public async ValueTask QueryAsync(ReadOnlyMemory<byte> statement, RawResultSet rows, CancellationToken cancellationToken)
    {
        var found = await QueryAsync(Encoding.UTF8.GetString(statement.Span), cancellationToken);
        rows.Clear();
        foreach (var row in found.Rows)
        {
            ((IRowSink)rows).AddRow(ServerPayloads.Row(row), row.Length);
        }
    }

    public ValueTask StreamAsync(string statement, IRowSink rows, CancellationToken cancellationToken) => throw new NotSupportedException();

    public async ValueTask<TextResultSet[]> QueryAllAsync(IReadOnlyList<string> statements, CancellationToken cancellationToken)
    {
        var answers = new TextResultSet[statements.Count];
        ServerException? refusal = null;
        for (var i = 0; i < answers.Length; i++)
        {
            try
            {
                answers[i] = statements[i].TrimStart('(').StartsWith("SELECT", StringComparison.Ordinal)
                    || statements[i].StartsWith("SHOW", StringComparison.Ordinal)
                    ? await QueryAsync(statements[i], cancellationToken)
                    : await ExecuteForAsync(statements[i]);
            }
            catch (ServerException fault) when (IsUsable)
            {
                refusal ??= fault;
            }
        }

        return refusal is null ? answers : throw refusal;

        async Task<TextResultSet> ExecuteForAsync(string statement)
        {
            await ExecuteAsync(statement, cancellationToken);
            return new TextResultSet([], []);
        }
    }

    public async ValueTask<OkResult> LoadLocalAsync(
        LocalLoad load, ReadOnlyMemory<byte> content, LocalLoad? next, Action? onServed, CancellationToken cancellationToken)
    {
        RequireUsable();
        if (!load.Statement.Contains($"'{load.FileName}'", StringComparison.Ordinal))
        {
            throw new InvalidOperationException($"{load.FileName} is not what {load.Statement} asks for");
        }

        if (_announced != load)
        {
            await DrainAsync(cancellationToken);
            Write(RecordedText.Describe("send", load));
        }
        else if (!TellsAnnouncements)
        {
            Write(RecordedText.Describe("send", load));
        }

        _announced = null;
        await ReceivePrologueAsync(load.Prologue, () => ServeAsync(ReadOnlyMemory<byte>.Empty, null, cancellationToken), cancellationToken);
        return await ServeAsync(content, next, cancellationToken);
    }

    public async ValueTask<PreparedStatement> PrepareAsync(string statement, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        var id = (uint)_prepared.Count + 1;
        var rows = statement.StartsWith("DELETE", StringComparison.Ordinal)
            ? 1 : statement.Split(" ON DUPLICATE ")[0].Split('(').Length - 2;
        var parameters = statement.Count(character => character == '?');
        rows = RecordedText.FindUpdates(statement) ?? rows;
        _prepared.Add(id, (rows, parameters / rows, RecordedText.FindUpdates(statement) is not null));
        await AnswerAsync("prepare", $"prepare #{id} {statement}", 0, cancellationToken);
        return new PreparedStatement(this, id, parameters);
    }

    public ValueTask<OkResult> ExecuteAsync(
        string? prologue, PreparedStatement statement, BinaryParameters parameters, CancellationToken cancellationToken)
    {
        var (rows, columns, isUpdate) = _prepared[statement.Id];
        if (!parameters.IsComplete || parameters.Count != statement.ParameterCount)
        {
            throw new InvalidOperationException($"{parameters.Filled} of {statement.ParameterCount} placeholders are filled");
        }

        (rows, columns) = parameters is BulkParameters bulk ? (bulk.RowCount, bulk.Count) : (rows, columns);
        var shown = string.Concat(ParameterText.Decode(parameters).Chunk(columns).Select(row => $"\n    {string.Join(" | ", row)}"));
        return RunAsync(prologue, "run", $"run #{statement.Id}{shown}", rows, isUpdate, cancellationToken);
    }

    public async ValueTask RunAsync(Pipeline pipeline, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        pipeline.Begin(this);
        var types = new Dictionary<uint, byte[]>();
        var most = SendsAtFirst ?? int.MaxValue;
        SendsAtFirst = null;
        while (true)
        {
            while (pipeline.Faults.Count == 0 && pipeline.Sent < most && !pipeline.TakeNext(1).IsEmpty)
            {
            }

            if (pipeline.Answered == pipeline.Sent)
            {
                break;
            }

            try
            {
                var (step, shown, rows, isUpdate) = Describe(pipeline.PacketsOf(pipeline.Answered).Span[4..], types);
                pipeline.Take(await AnswerAsync(step, shown, (ulong)rows, cancellationToken, isUpdate));
            }
            catch (ServerException fault) when (IsUsable)
            {
                pipeline.Take(fault);
            }
        }

        if (pipeline.Faults.Count == 0 && pipeline.Sent == pipeline.Count)
        {
            pipeline.Complete();
        }
    }

    public async ValueTask CloseAsync(PreparedStatement statement, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        await AnswerAsync("close", $"close #{statement.Id}", 0, cancellationToken);
    }

    public ValueTask DisposeAsync()
    {
        IsUsable = false;
        return ValueTask.CompletedTask;
    }

    /// <summary>A command of a pipeline, in one packet: a statement that carries no rows, or an execution.</summary>
    private (string Step, string Shown, int Rows, bool IsUpdate) Describe(ReadOnlySpan<byte> command, Dictionary<uint, byte[]> types)
    {
        if (command[0] == CommandWriter.Query)
        {
            var text = Encoding.UTF8.GetString(command[1..]);
            return (text, text, RecordedText.FindUpdates(text) ?? 0, RecordedText.FindUpdates(text) is not null);
        }

        var id = BinaryPrimitives.ReadUInt32LittleEndian(command[1..]);
        var (rows, columns, isUpdate) = _prepared[id];
        if (command[0] != CommandWriter.Execute)
        {
            return DescribeBulk(id, columns, isUpdate, command[5..], types);
        }

        var rest = command[CommandWriter.ExecuteHeadLength..];
        var nulls = rest[..(((rows * columns) + 7) / 8)];
        rest = rest[nulls.Length..];
        if (rest[0] == 1)
        {
            types[id] = rest.Slice(1, rows * columns * 2).ToArray();
            rest = rest[(rows * columns * 2)..];
        }

        var shown = string.Concat(
            ParameterText.Decode(nulls, types[id], rest[1..]).Chunk(columns).Select(row => $"\n    {string.Join(" | ", row)}"));
        return ("run", $"run #{id}{shown}", rows, isUpdate);
    }

    /// <param name="id">of the statement</param>
    /// <param name="columns">of a row</param>
    /// <param name="isUpdate">whether the statement is</param>
    /// <param name="rest">what stands behind the number of the statement: flags, types where those say so, and the rows</param>
    /// <param name="types">known so far</param>
    private static (string Step, string Shown, int Rows, bool IsUpdate) DescribeBulk(
        uint id, int columns, bool isUpdate, ReadOnlySpan<byte> rest, Dictionary<uint, byte[]> types)
    {
        const int typesFollow = 128;
        if (BinaryPrimitives.ReadUInt16LittleEndian(rest) == typesFollow)
        {
            types[id] = rest.Slice(2, columns * 2).ToArray();
            rest = rest[(columns * 2)..];
        }

        var rows = ParameterText.DecodeBulk(types[id], rest[2..]).Chunk(columns).Select(row => $"\n    {string.Join(" | ", row)}").ToList();
        return ("run", $"run #{id}{string.Concat(rows)}", rows.Count, isUpdate);
    }

    private async ValueTask<OkResult> RunAsync(
        string? prologue, string step, string shown, int rows, bool isUpdate, CancellationToken cancellationToken)
    {
        await DrainAsync(cancellationToken);
        Write(prologue is null ? "" : $"send {prologue}\n");
        await ReceivePrologueAsync(prologue, () => AnswerAsync(step, shown, (ulong)rows, cancellationToken), cancellationToken);
        return await AnswerAsync(step, shown, (ulong)rows, cancellationToken, isUpdate);
    }

    /// <summary>Where the prologue fails, what was sent behind it is dropped.</summary>
    private async ValueTask ReceivePrologueAsync(string? prologue, Func<ValueTask<OkResult>> drop, CancellationToken cancellationToken)
    {
        if (prologue is null)
        {
            return;
        }

        try
        {
            await AnswerAsync($"receive {prologue}", "receive", 0, cancellationToken);
        }
        catch (ServerException) when (IsUsable)
        {
            await drop();
            throw;
        }
    }

    private async ValueTask DrainAsync(CancellationToken cancellationToken)
    {
        if (_announced is not { } load)
        {
            return;
        }

        RequireUsable();
        _announced = null;
        Write(TellsAnnouncements ? "" : RecordedText.Describe("send", load));
        ValueTask<OkResult> ServeNothing() => ServeAsync(ReadOnlyMemory<byte>.Empty, null, cancellationToken);
        await ReceivePrologueAsync(load.Prologue, ServeNothing, cancellationToken);
        await ServeNothing();
    }

    private ValueTask<OkResult> ServeAsync(ReadOnlyMemory<byte> content, LocalLoad? next, CancellationToken cancellationToken)
    {
        _announced = next;
        var (rows, shown) = RecordedText.Show(content);
        var announced = next is null || !TellsAnnouncements ? "" : $"\n{RecordedText.Describe("announce", next).TrimEnd('\n')}";
        var step = content.IsEmpty ? "serve nothing" : "serve";
        return AnswerAsync(step, $"{step}{shown}{announced}", rows, cancellationToken);
    }

    /// <summary>Writes the step down with its answer behind it.</summary>
    private async ValueTask<OkResult> AnswerAsync(
        string step, string shown, ulong usual, CancellationToken cancellationToken, bool isUpdate = false)
    {
        RequireUsable();
        cancellationToken.ThrowIfCancellationRequested();
        Write(shown);
        Func<CancellationToken, Task<OkResult>>? act = null;
        foreach (var (start, time, one) in _script.Where(entry => step.StartsWith(entry.Step, StringComparison.Ordinal))
            .DistinctBy(entry => entry.Step))
        {
            var seen = _seen[start] = _seen.GetValueOrDefault(start) + 1;
            act ??= _script.FirstOrDefault(entry => entry.Step == start && entry.Time == seen).Act;
        }

        try
        {
            var answer = act is null ? default : await act(cancellationToken);
            if (act is null || answer.Status == ushort.MaxValue)
            {
                var refuse = _bad.FirstOrDefault(entry => shown.Contains(entry.Row, StringComparison.Ordinal)).Act;
                answer = refuse?.Invoke(usual)
                    ?? new OkResult(usual, 0, 0, isUpdate ? $"Rows matched: {usual}  Changed: {usual}  Warnings: 0" : "", 0);
            }

            if (_status.Next(step) is { } status)
            {
                Transaction?.Observe(status, answer.AffectedRows);
            }

            Write($"{(shown.Contains('\n', StringComparison.Ordinal) ? "\n" : " ")}-> {RecordedText.Describe(answer)}\n");
            return answer;
        }
        catch (Exception fault)
        {
            Write($"{(shown.Contains('\n', StringComparison.Ordinal) ? "\n" : " ")}-> "
                + $"{(fault is OperationCanceledException ? "aborted" : fault.Message)}\n");
            throw;
        }
    }

    /// <summary>A test may look at what one session was told while another thread uses it.</summary>
    private void Write(string text)
    {
        lock (_transcript)
        {
            _transcript.Append(text);
        }
    }

    private void RequireUsable()
    {
        if (!IsUsable)
        {
            throw new ServerException(FaultKind.SessionLost, "the session is closed");
        }

        Calls++;
    }
}
