namespace BulkLoad.Core.Protocol;

/// <summary>
/// Reads the server's confirmations (MySQL client/server protocol, "OK_Packet"). The texts of answers are kept, since many
/// answers have one of a few.
/// </summary>
internal sealed class OkPacket
{
    public const byte Header = 0x00;

    private const int InfosToKeep = 64;

    private readonly (byte[] Bytes, string Text)[] _infos = new (byte[], string)[InfosToKeep];
    private (byte[] Bytes, string Text) _last;

    /// <param name="payload">with its first byte, which may also be 0xfe where EOF packets are deprecated</param>
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
