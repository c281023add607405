namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>The random bytes that a server sends for the password to be mixed with.</summary>
internal static class Challenge
{
    private const int Length = 20;

    /// <summary>The 20 bytes themselves, without the zero byte that most servers add.</summary>
    public static byte[] Require(ReadOnlySpan<byte> challenge) => challenge.Length >= Length
        ? challenge[..Length].ToArray()
        : throw ProtocolViolation.Of($"its authentication challenge has {challenge.Length} bytes, not {Length}");

    /// <summary>Exclusive-or in place; the key is repeated.</summary>
    public static void Mix(Span<byte> target, ReadOnlySpan<byte> key)
    {
        for (var i = 0; i < target.Length; i++)
        {
            target[i] ^= key[i % key.Length];
        }
    }
}
