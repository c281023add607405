namespace BulkLoad.Tests.Protocol;

/// <summary>One thing that a scripted server says, once it has heard so many packets.</summary>
/// <param name="Hears">packets of the client's to wait for</param>
/// <param name="Says">bytes, packet headers included</param>
internal sealed record Turn(int Hears, byte[] Says);

/// <summary>A server's side of a conversation.</summary>
internal sealed record Script(IReadOnlyList<Turn> Turns)
{
    public Script(params Turn[] turns)
        : this((IReadOnlyList<Turn>)turns)
    {
    }

    /// <summary>Everything that the server says, in one piece.</summary>
    public byte[] Bytes => [.. Turns.SelectMany(turn => turn.Says)];

    public Script Then(Script other) => new([.. Turns, .. other.Turns]);

    /// <summary>Packets with sequence ids from <paramref name="sequence"/> on.</summary>
    public Script Then(int hears, int sequence, params byte[][] payloads) => new([.. Turns, new Turn(hears, Packets(sequence, payloads))]);

    /// <summary>The answer to a command that is one packet.</summary>
    public Script ThenAnswer(params byte[][] payloads) => Then(1, 1, payloads);

    /// <summary>The same turns with other bytes; what is missing at the end is never said.</summary>
    public Script WithBytes(ReadOnlySpan<byte> bytes)
    {
        var turns = new List<Turn>();
        foreach (var turn in Turns)
        {
            var says = bytes[..Math.Min(bytes.Length, turn.Says.Length)];
            bytes = bytes[says.Length..];
            turns.Add(turn with { Says = says.ToArray() });
            if (says.Length < turn.Says.Length)
            {
                break;
            }
        }

        return new Script(turns);
    }

    public static byte[] Packets(int sequence, params byte[][] payloads)
    {
        var bytes = new List<byte>();
        foreach (var payload in payloads)
        {
            bytes.AddRange([(byte)payload.Length, (byte)(payload.Length >> 8), (byte)(payload.Length >> 16), (byte)sequence++]);
            bytes.AddRange(payload);
        }

        return [.. bytes];
    }
}
