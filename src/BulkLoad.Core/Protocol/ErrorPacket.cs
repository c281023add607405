namespace BulkLoad.Core.Protocol;

/// <summary>The server's refusal (MySQL client/server protocol, "ERR_Packet").</summary>
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
