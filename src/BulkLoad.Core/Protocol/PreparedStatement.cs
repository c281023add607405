using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

/// <summary>Valid on one session only: on another its number means another statement, or none.</summary>
internal sealed class PreparedStatement(IServerSession session, uint id, int parameterCount)
{
    private ReadOnlyMemory<byte> _types;

    public uint Id => id;

    public int ParameterCount => parameterCount;

    /// <summary>Warnings of the preparation, such as for deprecated syntax. An execution as text has them again.</summary>
    public int Warnings { get; init; }

    internal void RequireSession(IServerSession user)
    {
        if (!ReferenceEquals(user, session))
        {
            throw new InvalidOperationException("the statement was prepared on another session");
        }
    }

    internal void RequireFilled(BinaryParameters parameters)
    {
        if (!parameters.IsComplete || parameters.Count != parameterCount)
        {
            throw new ArgumentException(
                $"{parameters.Filled} of {parameters.Count} parameters are filled, {parameterCount} are needed", nameof(parameters));
        }
    }

    internal static void RequireBulk(IServerSession session)
    {
        if (!session.Server.TakesBulkExecutions)
        {
            throw new InvalidOperationException("the server takes no bulk executions");
        }
    }

    internal bool KnowsTypesOf(BinaryParameters parameters) =>
        _types.Equals(parameters.Types) || _types.Span.SequenceEqual(parameters.Types.Span);

    /// <summary>Empty: it is not known which types the server has.</summary>
    internal void LearnTypes(ReadOnlyMemory<byte> types) => _types = types;

    /// <summary>The server knows the types once the execution has run. Allocates no task if it has.</summary>
    internal ValueTask<TResult> LearnTypesAsync<TResult>(ValueTask<TResult> running, BinaryParameters parameters)
    {
        if (!running.IsCompletedSuccessfully)
        {
            return LearnTypesLaterAsync(running, parameters);
        }

        LearnTypes(parameters.Types);
        return running;
    }

    private async ValueTask<TResult> LearnTypesLaterAsync<TResult>(ValueTask<TResult> running, BinaryParameters parameters)
    {
        var result = await running;
        LearnTypes(parameters.Types);
        return result;
    }
}

/// <summary>MYSQL_TYPE_* (client/server protocol, "Binary Protocol Value").</summary>
internal enum ParameterType : ushort
{
    Int64 = 0x08,
    UInt64 = 0x8008,
    Double = 0x05,
    Date = 0x0a,
    Time = 0x0b,
    DateTime = 0x0c,
    Decimal = 0xf6,
    Text = 0xfd,
    Bytes = 0xfc,
}

/// <summary>The parameters of one prepared execution, filled in the order of placeholders and reused without allocating. The types never
/// change; with fewer placeholders, the first ones count. The caller owns it.</summary>
internal class BinaryParameters
{
    /// <summary>Bytes for command, statement, flags and count, rounded up.</summary>
    public const int PacketOverhead = 64;

    private readonly byte[] _nulls;
    private readonly byte[] _types;
    private readonly int _lead;
    private byte[] _values = new byte[64 * 1024];
    private int _length;

    public BinaryParameters(ReadOnlySpan<ParameterType> types) : this(types, false)
    {
    }

    /// <summary>With indicators, a byte before each value replaces the NULL bitmap.</summary>
    private protected BinaryParameters(ReadOnlySpan<ParameterType> types, bool hasIndicators)
    {
        Count = types.Length;
        _lead = hasIndicators ? 1 : 0;
        _nulls = hasIndicators ? [] : new byte[(types.Length + 7) / 8];
        _types = new byte[types.Length * 2];
        for (var i = 0; i < types.Length; i++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(_types.AsSpan(i * 2), (ushort)types[i]);
        }
    }

    public int Count { get; private set; }

    public int Filled { get; private set; }

    public virtual bool IsComplete => Filled == Count;

    /// <summary>One bit a placeholder, lowest first.</summary>
    public ReadOnlyMemory<byte> Nulls => _nulls.AsMemory(0, NullBytes);

    /// <summary>Two bytes a placeholder: type and sign.</summary>
    public ReadOnlyMemory<byte> Types => _types.AsMemory(0, Count * 2);

    /// <summary>The values of all placeholders that are not NULL.</summary>
    public ReadOnlyMemory<byte> Values => _values.AsMemory(0, _length);

    /// <summary>Bytes of the packet's body without the types.</summary>
    public int ByteCount => NullBytes + 1 - _lead + _length;

    /// <summary>An upper bound.</summary>
    public long PacketBytes => (long)ByteCount + (Count * 2) + PacketOverhead;

    private int NullBytes => _lead > 0 ? 0 : (Count + 7) / 8;

    public void Reset()
    {
        _length = 0;
        Filled = 0;
        Array.Clear(_nulls);
    }

    /// <summary>From now on there is this number of placeholders, at most one for each type.</summary>
    public void Reset(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count * 2, _types.Length);
        Count = count;
        Reset();
    }

    public void AddNull()
    {
        if (_lead > 0)
        {
            AddIndicator(BulkParameters.Null);
            return;
        }

        _nulls[Filled >> 3] |= (byte)(1 << (Filled & 7));
        Filled++;
    }

    public void AddInt64(long value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(Take(8), value);
        Filled++;
    }

    public void AddUInt64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(Take(8), value);
        Filled++;
    }

    public void AddDouble(double value)
    {
        BinaryPrimitives.WriteDoubleLittleEndian(Take(8), value);
        Filled++;
    }

    /// <summary>Text (UTF-8), decimal digits or raw bytes, by the parameter's type.</summary>
    public void AddBytes(ReadOnlySpan<byte> value)
    {
        var prefix = value.Length switch { < 251 => 1, <= 0xffff => 3, <= 0xffffff => 4, _ => 9 };
        var target = Take(prefix + value.Length);
        switch (prefix)
        {
            case 1:
                target[0] = (byte)value.Length;
                break;
            case 3:
                target[0] = 0xfc;
                BinaryPrimitives.WriteUInt16LittleEndian(target[1..], (ushort)value.Length);
                break;
            case 4:
                target[0] = 0xfd;
                target[1] = (byte)value.Length;
                target[2] = (byte)(value.Length >> 8);
                target[3] = (byte)(value.Length >> 16);
                break;
            default:
                target[0] = 0xfe;
                BinaryPrimitives.WriteUInt64LittleEndian(target[1..], (ulong)value.Length);
                break;
        }

        value.CopyTo(target[prefix..]);
        Filled++;
    }

    /// <summary>Year 0 to 9999, month 0 to 12, day 0 to 31, second of the day 0 to 86,399, microsecond 0 to 999,999.</summary>
    public void AddDateTime(int year, int month, int day, int secondOfDay, int microsecond)
    {
        var length = microsecond != 0 ? 11 : secondOfDay != 0 ? 7 : 4;
        var target = Take(length + 1);
        target[0] = (byte)length;
        BinaryPrimitives.WriteUInt16LittleEndian(target[1..], (ushort)year);
        target[3] = (byte)month;
        target[4] = (byte)day;
        if (length > 4)
        {
            target[5] = (byte)(secondOfDay / 3600);
            target[6] = (byte)(secondOfDay / 60 % 60);
            target[7] = (byte)(secondOfDay % 60);
        }

        if (length > 7)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(target[8..], (uint)microsecond);
        }

        Filled++;
    }

    /// <summary>The seconds are a magnitude. MySQL 9.7 refuses 838 hours with a fraction in this form (1690), and takes them as
    /// text.</summary>
    public void AddTime(bool isNegative, int seconds, int microsecond)
    {
        var length = microsecond != 0 ? 12 : seconds != 0 ? 8 : 0;
        var target = Take(length + 1);
        target[0] = (byte)length;
        if (length > 0)
        {
            target[1] = isNegative ? (byte)1 : (byte)0;
            BinaryPrimitives.WriteUInt32LittleEndian(target[2..], (uint)(seconds / 86400));
            target[6] = (byte)(seconds / 3600 % 24);
            target[7] = (byte)(seconds / 60 % 60);
            target[8] = (byte)(seconds % 60);
        }

        if (length > 8)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(target[9..], (uint)microsecond);
        }

        Filled++;
    }

    private protected void AddIndicator(byte indicator)
    {
        Take(0);
        _values[_length - 1] = indicator;
        Filled++;
    }

    private Span<byte> Take(int count)
    {
        count += _lead;
        if (_values.Length - _length < count)
        {
            Array.Resize(ref _values, (int)Math.Min(Array.MaxLength, Math.Max((long)_values.Length * 2, (long)_length + count)));
        }

        var span = _values.AsSpan(_length, count);
        _length += count;
        if (_lead == 0)
        {
            return span;
        }

        span[0] = BulkParameters.Value;
        return span[1..];
    }
}

/// <summary>Any number of rows of parameters of one prepared statement: an execution with these runs the statement for each row, in one
/// packet and with one answer (MariaDB protocol, "COM_STMT_BULK_EXECUTE"). Filled row after row, reused without allocating; never sent
/// empty.</summary>
/// <remarks>A row that fails ends it (MariaDB 10.11): an INSERT or REPLACE is undone whole; of an UPDATE or DELETE the rows before it
/// stay, and the message says row 1 for any row.</remarks>
internal sealed class BulkParameters(ReadOnlySpan<ParameterType> types) : BinaryParameters(types, hasIndicators: true)
{
    internal const byte Value = 0;

    /// <summary>A column that does not take NULL gives error 1048, whatever the session's mode.</summary>
    internal const byte Null = 1;

    private const byte Default = 2;

    public int RowCount => Count == 0 ? 0 : Filled / Count;

    public override bool IsComplete => RowCount > 0 && Filled % Count == 0;

    /// <summary>The default of the column to which the placeholder alone is assigned.</summary>
    public void AddDefault() => AddIndicator(Default);
}
