namespace BulkLoad.Core.Protocol;

/// <summary>Texts as they travel: UTF-8, which is the character set of all sessions.</summary>
internal static class StatementText
{
    // A lone surrogate must not silently become a question mark in a statement.
    private static readonly UTF8Encoding StrictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>Before anything is sent, so that a text which cannot be leaves the session as it was.</summary>
    /// <exception cref="RequestException">half of a character stands in it</exception>
    public static byte[] Encode(string text)
    {
        try
        {
            return StrictUtf8.GetBytes(text);
        }
        catch (EncoderFallbackException fault)
        {
            throw new RequestException(
                $"a name or text cannot be sent to the server: character {fault.Index + 1} of its statement is half a character (U+{(int)fault.CharUnknown:X4})");
        }
    }

    /// <summary>Of a statement that there may be.</summary>
    public static byte[]? EncodeAny(string? text) => text is null ? null : Encode(text);
}
