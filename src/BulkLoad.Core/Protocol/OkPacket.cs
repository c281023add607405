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

    // The documentation says "up to the end" without session tracking; the servers send a length nevertheless.
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

    // FNV-1a: texts that differ in one digit fall into different places.
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

        // Number 0 would be told apart from a broken session by nobody; MariaDB's 0xffff reports progress, which is not asked for.
        return code is 0 or 0xffff
            ? throw ProtocolViolation.Of($"an error has the number {code}")
            : new ServerException(code, sqlState, ServerText.Decode(text));
    }
}
