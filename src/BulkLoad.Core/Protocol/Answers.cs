using System.Runtime.InteropServices;

namespace BulkLoad.Core.Protocol;

/// <summary>Reads confirmations (MySQL client/server protocol, "OK_Packet"). Keeps their texts, since many answers have the same.</summary>
internal sealed class OkPacket
{
    public const byte Header = 0x00;

    private const int InfosToKeep = 64;

    private readonly (byte[] Bytes, string Text)[] _infos = new (byte[], string)[InfosToKeep];
    private (byte[] Bytes, string Text) _last;

    /// <summary>The first byte may be 0xfe where EOF packets are deprecated.</summary>
    public OkResult Parse(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload[1..]);
        var affected = reader.ReadLengthEncoded();
        var lastId = reader.ReadLengthEncoded();
        var status = reader.ReadUInt16();
        var warnings = reader.ReadUInt16();
        return new OkResult(affected, lastId, warnings, Info(reader.ReadRest()), status);
    }

    // The documentation says "up to the end" without session tracking; the servers send a length all the same.
    private string Info(ReadOnlySpan<byte> rest)
    {
        if (rest.IsEmpty)
        {
            return "";
        }

        if (rest[0] == rest.Length - 1)
        {
            rest = rest[1..];
        }
        else if (rest.Length > 3 && rest[0] == 0xfc && (rest[1] | (rest[2] << 8)) == rest.Length - 3)
        {
            rest = rest[3..];
        }

        if (!rest.SequenceEqual(_last.Bytes))
        {
            ref var kept = ref _infos[Hash(rest) % InfosToKeep];
            if (!rest.SequenceEqual(kept.Bytes))
            {
                kept = (rest.ToArray(), ServerText.Decode(rest));
            }

            _last = kept;
        }

        return _last.Text;
    }

    // FNV-1a: texts that differ in one digit get different places.
    private static uint Hash(ReadOnlySpan<byte> bytes)
    {
        var hash = 2166136261;
        foreach (var value in bytes)
        {
            hash = (hash ^ value) * 16777619;
        }

        return hash;
    }
}

/// <summary><paramref name="Warnings"/> stops at 65,535. <paramref name="Info"/> is such as <c>Records: 3 Deleted: 0 Skipped: 0 Warnings:
/// 1</c>, or empty. <paramref name="Status"/> has SERVER_STATUS_* flags.</summary>
internal readonly record struct OkResult(ulong AffectedRows, ulong LastInsertId, ushort Warnings, string Info, ushort Status)
{
    /// <summary>The numbers in <see cref="Info"/>: their order does not depend on the server's language. Returns how many there are; 0 if
    /// one does not fit.</summary>
    public int ReadNumbers(Span<long> numbers)
    {
        var rest = Info.AsSpan();
        var count = 0;
        while (count < numbers.Length && rest.IndexOfAnyInRange('0', '9') is >= 0 and var start)
        {
            rest = rest[start..];
            var end = rest.IndexOfAnyExceptInRange('0', '9');
            var digits = end < 0 ? rest : rest[..end];
            if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out numbers[count++]))
            {
                return 0;
            }

            rest = rest[digits.Length..];
        }

        return count;
    }
}

/// <summary>MySQL client/server protocol, "ERR_Packet".</summary>
internal static class ErrorPacket
{
    public const byte Header = 0xff;

    private const int SqlStateLength = 5;

    public static ServerException Parse(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        reader.ReadByte();
        var code = reader.ReadUInt16();
        var text = reader.ReadRest();
        var sqlState = "HY000";
        if (text.Length > SqlStateLength && text[0] == '#')
        {
            sqlState = ServerText.Decode(text.Slice(1, SqlStateLength));
            text = text[(1 + SqlStateLength)..];
        }

        // A caller could not distinguish number 0 from a broken session; MariaDB's 0xffff reports progress, which is not asked for.
        return code is 0 or 0xffff
            ? throw ProtocolViolation.Of($"an error has the number {code}")
            : new ServerException(code, sqlState, ServerText.Decode(text));
    }
}

/// <summary>The error that a server sent before it closed a connection, which is often the reason.</summary>
internal static class ClosingError
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    // The answers of a pipeline may come first.
    private const int MaxPackets = 4096;
    private const int MaxPacket = 64 * 1024;

    /// <summary>The error as the end of the session, whatever its number means for a statement.</summary>
    public static ServerException Of(ServerException error) => error switch
    {
        { Kind: FaultKind.Packet } or { Kind: FaultKind.SessionLost, Error: not ServerError.QueryInterrupted } => error,
        _ => new ServerException(FaultKind.SessionLost, $"the server ended the session: {error.Message}", error),
    };

    /// <summary>Null: the server left none.</summary>
    public static async Task<ServerException?> ReadAsync(PacketReader reader)
    {
        reader.ChecksSequence = false;
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            for (var count = 0; count < MaxPackets; count++)
            {
                var payload = await reader.ReadAsync(MaxPacket, limit.Token);
                if (payload.Span is [ErrorPacket.Header, ..])
                {
                    return Of(ErrorPacket.Parse(payload.Span));
                }
            }
        }
        catch (Exception fault) when (fault is IOException or OperationCanceledException or ObjectDisposedException or ServerException)
        {
            // The connection is broken anyway; its own fault is the one to report.
        }

        return null;
    }
}

/// <summary>The rows of a text result as they came, for many rows. Refilled without allocating.</summary>
internal sealed class RawResultSet : IRowSink
{
    private byte[] _bytes = [];
    private int[] _ends = [];
    private int _length;
    private int _cells;

    /// <summary>0: there was no row yet.</summary>
    public int Columns { get; private set; }

    public int Count => _cells / Math.Max(1, Columns);

    /// <summary>Empty for NULL. Valid until the rows are replaced.</summary>
    public ReadOnlySpan<byte> this[int row, int column]
    {
        get
        {
            var cell = (row * Columns) + column;
            var start = cell == 0 ? 0 : _ends[cell - 1];
            return _bytes.AsSpan(start, _ends[cell] - start);
        }
    }

    /// <summary>Keeps the memory.</summary>
    public void Clear()
    {
        _length = 0;
        _cells = 0;
    }

    void IRowSink.AddColumn(ReadOnlySpan<byte> definition)
    {
    }

    void IRowSink.AddRow(ReadOnlySpan<byte> payload, int columns)
    {
        Columns = columns;
        if (_bytes.Length - _length < payload.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _length + payload.Length));
        }

        if (_ends.Length - _cells < columns)
        {
            Array.Resize(ref _ends, Math.Max(_ends.Length * 2, _cells + columns));
        }

        var reader = new PayloadReader(payload);
        for (var i = 0; i < columns; i++)
        {
            reader.TryReadValue(out var value);
            value.CopyTo(_bytes.AsSpan(_length));
            _length += value.Length;
            _ends[_cells++] = _length;
        }
    }
}

/// <summary>Takes the rows of a text result as they arrive (MySQL protocol, "Text Resultset"). The packets are valid during the
/// call.</summary>
internal interface IRowSink
{
    void AddColumn(ReadOnlySpan<byte> definition);

    void AddRow(ReadOnlySpan<byte> payload, int columns);
}

/// <param name="Rows">null: SQL NULL</param>
internal readonly record struct TextResultSet(IReadOnlyList<string> Columns, IReadOnlyList<string?[]> Rows)
{
    /// <summary>For a question that always has a row. Without one a proxy has answered something else, which is thrown.</summary>
    public string?[] FirstRow =>
        Rows.Count > 0 ? Rows[0] : throw ProtocolViolation.Of("a question that always has an answer was answered without a row");

    public string? Scalar => FirstRow[0];

    /// <summary>Of the first column that has one of the names, whose case does not matter; -1: none has. Versions of a server differ in
    /// names.</summary>
    public int IndexOf(IReadOnlyList<string> names) =>
        Columns.ToList().FindIndex(name => names.Contains(name, StringComparer.OrdinalIgnoreCase));
}

internal sealed class TextRows : IRowSink
{
    public List<string> Columns { get; } = [];

    public List<string?[]> Rows { get; } = [];

    public void AddColumn(ReadOnlySpan<byte> definition)
    {
        var reader = new PayloadReader(definition);
        for (var skipped = 0; skipped < 4; skipped++)
        {
            reader.ReadLengthEncodedBytes();
        }

        Columns.Add(ServerText.Decode(reader.ReadLengthEncodedBytes()));
    }

    public void AddRow(ReadOnlySpan<byte> payload, int columns)
    {
        var reader = new PayloadReader(payload);
        var row = new string?[columns];
        for (var i = 0; i < columns; i++)
        {
            row[i] = reader.TryReadValue(out var value) ? Encoding.UTF8.GetString(value) : null;
        }

        Rows.Add(row);
    }
}

internal sealed class RowTotals : IRowSink
{
    private readonly List<byte> _types = [];

    public ResultTotals Value { get; private set; }

    public void Clear()
    {
        _types.Clear();
        Value = default;
    }

    public void AddColumn(ReadOnlySpan<byte> definition)
    {
        var reader = new PayloadReader(definition);
        for (var skipped = 0; skipped < 6; skipped++)
        {
            reader.ReadLengthEncodedBytes();
        }

        // A length, the character set and the display width are before it.
        reader.ReadBytes(1 + 2 + 4);
        _types.Add(reader.ReadByte());
    }

    public void AddRow(ReadOnlySpan<byte> payload, int columns) =>
        Value = new(Value.Rows + 1, Value.Bytes + BinaryRow.Measure(payload, CollectionsMarshal.AsSpan(_types)));
}

/// <summary>The bytes of all values as they travelled, without lengths and NULL marks.</summary>
internal readonly record struct ResultTotals(long Rows, long Bytes);

/// <summary>A row of a prepared statement's result (MySQL client/server protocol, "Binary Protocol Resultset Row").</summary>
internal static class BinaryRow
{
    private const byte RowHeader = 0x00;

    // The first two bits of the NULL bitmap are not used in rows.
    private const int FirstNullBit = 2;

    /// <summary>Bytes of all values of a row. <paramref name="types"/> are MYSQL_TYPE_*.</summary>
    public static long Measure(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> types)
    {
        var reader = new PayloadReader(payload);
        ProtocolViolation.ThrowIf(reader.ReadByte() != RowHeader, "an unknown packet came where a row should be");

        var nulls = reader.ReadBytes((types.Length + FirstNullBit + 7) / 8);
        var bytes = 0L;
        for (var i = 0; i < types.Length; i++)
        {
            var bit = i + FirstNullBit;
            if ((nulls[bit >> 3] & (1 << (bit & 7))) == 0)
            {
                bytes += ReadValue(ref reader, types[i]).Length;
            }
        }

        return reader.Remaining == 0 ? bytes : throw ProtocolViolation.Of("a row is longer than its columns");
    }

    private static ReadOnlySpan<byte> ReadValue(ref PayloadReader reader, byte type) => type switch
    {
        0x06 => [],
        0x01 => reader.ReadBytes(1),
        0x02 or 0x0d => reader.ReadBytes(2),
        0x03 or 0x04 or 0x09 => reader.ReadBytes(4),
        0x05 or 0x08 => reader.ReadBytes(8),

        // Dates and times have a length of one byte, texts one that is encoded, which is the same below 251.
        _ => reader.ReadLengthEncodedBytes(),
    };
}
