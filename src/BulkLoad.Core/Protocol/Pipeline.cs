using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

/// <summary>A command that the server refused, by its 0-based number.</summary>
internal readonly record struct PipelineFault(int Command, ServerException Error);

/// <summary>Commands that are sent without a wait for the answers in between, and the answers. Reused without allocating. Copies the
/// commands, so their sources may be refilled at once. No command may return rows. After a failure no more are sent, but those under way
/// <em>still run</em>, and are answered.
/// <para>At most this number of commands (2 or more) and bytes are under way; two commands always may be.</para></summary>
internal sealed class Pipeline(int maxStatements = Pipeline.DefaultStatements, int maxBytes = Pipeline.DefaultBytes)
{
    private const int DefaultStatements = 1000;
    private const int DefaultBytes = 4 * 1024 * 1024;
    private const int HeaderLength = 4;
    private const int LengthToKeep = 8 * 1024 * 1024;

    private readonly List<PipelineFault> _faults = [];
    private readonly List<(PreparedStatement Statement, ReadOnlyMemory<byte> Types)> _statements = [];
    private byte[] _packets = new byte[16 * 1024];
    private int[] _ends = new int[256];
    private byte[] _sequences = new byte[256];
    private OkResult[] _answers = new OkResult[256];
    private int _length;
    private int _header;
    private bool _hasBulk;
    private bool _isStepwise;

    public int Count { get; private set; }

    /// <summary>Includes packet headers.</summary>
    public int ByteCount => _length;

    /// <summary>Commands sent, from the first on. The others were not sent, not even in part.</summary>
    public int Sent { get; private set; }

    /// <summary>The answer of a command that failed is empty.</summary>
    public ReadOnlySpan<OkResult> Answers => _answers.AsSpan(0, Answered);

    /// <summary>Commands answered, with or without an error. Fewer than were sent: the session was lost.</summary>
    public int Answered { get; private set; }

    /// <summary>Called once in a run, when all commands are on their way. Not called if a command failed before.</summary>
    public Action? OnSent { get; set; }

    public IReadOnlyList<PipelineFault> Faults => _faults;

    public void Clear()
    {
        Restart();
        _statements.Clear();
        (Count, _length, _hasBulk) = (0, 0, false);
        if (_packets.Length > LengthToKeep)
        {
            _packets = new byte[LengthToKeep];
        }
    }

    public void Add(ReadOnlySpan<byte> statement)
    {
        Begin();
        Put([CommandWriter.Query]);
        Put(statement);
        End();
    }

    /// <summary>The statement must be of the session that will run the pipeline. The parameters may be refilled.</summary>
    public void Add(PreparedStatement statement, BinaryParameters parameters)
    {
        statement.RequireFilled(parameters);
        Span<byte> head = stackalloc byte[CommandWriter.ExecuteHeadLength];
        Span<byte> flag = stackalloc byte[1];
        var types = TakeTypes(statement, parameters.Types);
        var (headLength, flagLength) = CommandWriter.FillHead(head, flag, statement, parameters, !types.IsEmpty);
        Begin();
        Put(head[..headLength]);
        Put(parameters.Nulls.Span);
        Put(flag[..flagLength]);
        Put(types.Span);
        Put(parameters.Values.Span);
        End();
        _hasBulk |= parameters is BulkParameters;
    }

    /// <summary>Includes packet headers.</summary>
    internal ReadOnlyMemory<byte> PacketsOf(int command) => _packets.AsMemory(StartOf(command), _ends[command] - StartOf(command));

    /// <param name="session">runs it</param>
    /// <param name="isStepwise">whether one command is under way at a time</param>
    internal void Begin(IServerSession session, bool isStepwise = false)
    {
        _isStepwise = isStepwise;
        foreach (var (statement, _) in _statements)
        {
            statement.RequireSession(session);
        }

        if (_hasBulk)
        {
            PreparedStatement.RequireBulk(session);
        }

        Restart();
        foreach (var (statement, _) in _statements)
        {
            statement.LearnTypes(default);
        }
    }

    /// <summary>The next commands to send; many small ones in one piece, empty if enough is under way.</summary>
    internal ReadOnlyMemory<byte> TakeNext(int maxBytes)
    {
        var to = Sent;
        var start = StartOf(Sent);
        while (to < Count && MayBeUnderWay(to) && (to == Sent || _ends[to] - start <= maxBytes))
        {
            to++;
        }

        Sent = to;
        return _packets.AsMemory(start, StartOf(to) - start);
    }

    /// <summary>Whether it is time to send more: many at once, not one for each answer.</summary>
    internal bool IsLow => Sent - Answered < 2
        || (Sent - Answered <= maxStatements / 2 && StartOf(Sent) - StartOf(Answered) <= maxBytes / 2);

    internal byte NextSequence => _sequences[Answered];

    internal void Take(OkResult answer) => _answers[Answered++] = answer;

    internal void Take(ServerException error)
    {
        _faults.Add(new PipelineFault(Answered, error));
        Take(default(OkResult));
    }

    /// <summary>All commands were answered without an error: the server knows the types of all parameters.</summary>
    internal void Complete()
    {
        if (Sent != Count || Answered != Count)
        {
            throw new InvalidOperationException($"a pipeline of {Count} commands ended with {Sent} sent and {Answered} answered");
        }

        foreach (var (statement, types) in _statements)
        {
            statement.LearnTypes(types);
        }
    }

    private int StartOf(int command) => command == 0 ? 0 : _ends[command - 1];

    private bool MayBeUnderWay(int command) => _isStepwise ? command == Answered : command - Answered < 2
        || (command - Answered < maxStatements && _ends[command] - StartOf(Answered) <= maxBytes);

    private void Restart()
    {
        (Sent, Answered) = (0, 0);
        _faults.Clear();
    }

    /// <summary>Empty if an earlier execution of this pipeline has the same types.</summary>
    private ReadOnlyMemory<byte> TakeTypes(PreparedStatement statement, ReadOnlyMemory<byte> types)
    {
        for (var i = 0; i < _statements.Count; i++)
        {
            if (ReferenceEquals(_statements[i].Statement, statement))
            {
                var isKnown = _statements[i].Types.Equals(types) || _statements[i].Types.Span.SequenceEqual(types.Span);
                _statements[i] = (statement, types);
                return isKnown ? default : types;
            }
        }

        _statements.Add((statement, types));
        return types;
    }

    private void Begin()
    {
        if (Count == _ends.Length)
        {
            Array.Resize(ref _ends, Count * 2);
            Array.Resize(ref _sequences, Count * 2);
            Array.Resize(ref _answers, Count * 2);
        }

        _sequences[Count] = 0;
        StartPacket();
    }

    private void Put(ReadOnlySpan<byte> part)
    {
        while (!part.IsEmpty)
        {
            var room = PacketReader.MaxPacketPayload - (_length - _header - HeaderLength);
            var now = part[..Math.Min(part.Length, room)];
            now.CopyTo(Reserve(now.Length));
            part = part[now.Length..];
            if (now.Length == room)
            {
                // A packet of the full length is continued, be it by an empty one.
                EndPacket();
                StartPacket();
            }
        }
    }

    private void End()
    {
        EndPacket();
        _ends[Count++] = _length;
    }

    private void StartPacket()
    {
        _header = _length;
        Reserve(HeaderLength);
    }

    private void EndPacket() => BinaryPrimitives.WriteUInt32LittleEndian(
        _packets.AsSpan(_header), (uint)(_length - _header - HeaderLength) | ((uint)_sequences[Count]++ << 24));

    private Span<byte> Reserve(int count)
    {
        if (_packets.Length - _length < count)
        {
            Array.Resize(ref _packets, (int)Math.Min(Array.MaxLength, Math.Max((long)_packets.Length * 2, (long)_length + count)));
        }

        var span = _packets.AsSpan(_length, count);
        _length += count;
        return span;
    }
}
