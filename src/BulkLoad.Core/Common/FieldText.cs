namespace BulkLoad.Core.Common;

/// <summary>A value as it is shown in a message: short, on one line.</summary>
internal static class FieldText
{
    private const int MostCharacters = 40;

    /// <summary>Bytes that are no text, as the server writes them.</summary>
    private static string ShowBinary(ReadOnlySpan<byte> value)
    {
        const int MostBytes = MostCharacters / 2;
        return $"x'{Convert.ToHexString(value[..Math.Min(value.Length, MostBytes)])}{(value.Length > MostBytes ? "..." : "")}'";
    }

    public static string Show(ReadOnlySpan<byte> value, bool isBinary) => isBinary ? ShowBinary(value) : Show(value);

    public static string Show(ReadOnlySpan<byte> value)
    {
        var shown = new StringBuilder("'");
        var isCut = value.Length > MostCharacters * 4;
        foreach (var rune in Encoding.UTF8.GetString(value[..Math.Min(value.Length, MostCharacters * 4)]).EnumerateRunes())
        {
            if (shown.Length > MostCharacters)
            {
                isCut = true;
                break;
            }

            shown.Append(rune.Value switch
            {
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                _ => VisibleText.Of(rune),
            });
        }

        return shown.Append(isCut ? "...'" : "'").ToString();
    }
}
