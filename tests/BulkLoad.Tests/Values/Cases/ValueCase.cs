namespace BulkLoad.Tests.Values.Cases;

/// <summary>A field of a file, and what becomes of it in a column.</summary>
internal sealed record ValueCase
{
    private const int MaxShown = 64;

    private ValueCase(byte[] field, string shown, string expected)
    {
        Field = field;
        Shown = shown;
        Expected = expected;
    }

    /// <summary>The field's bytes, quotes and escapes resolved.</summary>
    public byte[] Field { get; }

    /// <summary>The field for people.</summary>
    public string Shown { get; }

    /// <summary>The canonical value (of a binary column in hexadecimal digits), or <c>!</c> and the reason's code.</summary>
    public string Expected { get; }

    /// <summary>What the server gives back, where it writes the same value in another way.</summary>
    public string? GivenBack { get; init; }

    public bool IsRefused => Expected.StartsWith('!');

    public static ValueCase Of(string field, string expected, string? givenBack = null) =>
        new(Encoding.UTF8.GetBytes(field), Show(field), expected) { GivenBack = givenBack };

    /// <summary>A field that the column takes as it stands.</summary>
    public static ValueCase Same(string field) => Of(field, field);

    /// <param name="field">in hexadecimal digits</param>
    /// <param name="expected">as <see cref="Expected"/></param>
    public static ValueCase OfBytes(string field, string expected) =>
        new(Convert.FromHexString(field), $"the bytes {string.Join(' ', field.Chunk(2).Select(digits => new string(digits)))}", expected);

    /// <summary>As inline code of a page.</summary>
    public static string Show(string text)
    {
        if (text.Length == 0)
        {
            return "(empty)";
        }

        var shown = new StringBuilder();
        var isCut = false;
        foreach (var rune in text.EnumerateRunes())
        {
            isCut = shown.Length > MaxShown;
            if (isCut)
            {
                break;
            }

            shown.Append(rune.Value switch
            {
                '\t' => "\\t",
                '\n' => "\\n",
                '|' => "\\|",
                '`' => "'",
                _ => Rune.IsControl(rune) ? $"\\x{rune.Value:x2}" : rune.ToString(),
            });
        }

        return isCut
            ? $"`{shown}`... ({text.EnumerateRunes().Count()} characters)"
            : $"`{shown}`";
    }

    public override string ToString() => $"{Shown} -> {Expected}";
}
