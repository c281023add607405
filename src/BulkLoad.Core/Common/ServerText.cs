namespace BulkLoad.Core.Common;

/// <summary>Text of the server's that people will read: one line, of bounded length, without control characters.</summary>
internal static class ServerText
{
    private const int MaxBytes = 4096;

    public static string Decode(ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxBytes)]);
        foreach (var sign in text)
        {
            if (IsControl(sign))
            {
                return string.Create(text.Length, text, static (target, source) =>
                {
                    for (var i = 0; i < source.Length; i++)
                    {
                        target[i] = IsControl(source[i]) ? ' ' : source[i];
                    }
                });
            }
        }

        return text;
    }

    /// <summary>Control characters, and the two separators that some take for line ends.</summary>
    private static bool IsControl(char sign) => char.IsControl(sign) || sign is '\u2028' or '\u2029';
}
