using System.Buffers;

namespace BulkLoad.Core.Common;

/// <summary>String literals (MySQL manual, "String Literals") with backslashes. Sessions never have NO_BACKSLASH_ESCAPES.</summary>
internal static class SqlLiteral
{
    private static readonly SearchValues<byte> Special = SearchValues.Create("\0\n\r\\'\"\u001a"u8);

    public static string Quote(string text)
    {
        var bytes = new ArrayBufferWriter<byte>();
        Write(bytes, Encoding.UTF8.GetBytes(text));
        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    public static void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> text)
    {
        output.Write("'"u8);
        for (var next = text.IndexOfAny(Special); next >= 0; next = text.IndexOfAny(Special))
        {
            output.Write(text[..next]);
            output.Write(Escape(text[next]));
            text = text[(next + 1)..];
        }

        output.Write(text);
        output.Write("'"u8);
    }

    /// <summary>A hexadecimal literal (MySQL manual, "Hexadecimal Literals").</summary>
    public static void WriteHex(IBufferWriter<byte> output, ReadOnlySpan<byte> bytes)
    {
        output.Write("x'"u8);
        output.Advance(Convert.TryToHexString(bytes, output.GetSpan(bytes.Length * 2), out var length) ? length
            : throw new InvalidOperationException("the room is too small"));
        output.Write("'"u8);
    }

    private static ReadOnlySpan<byte> Escape(byte special) => special switch
    {
        0 => "\\0"u8,
        (byte)'\n' => "\\n"u8,
        (byte)'\r' => "\\r"u8,
        (byte)'\\' => "\\\\"u8,
        (byte)'\'' => "\\'"u8,
        (byte)'"' => "\\\""u8,
        _ => "\\Z"u8,
    };
}

/// <summary>Identifiers (MySQL manual, "Schema Object Names").</summary>
internal static class SqlName
{
    public const int MaxCharacters = 64;

    private const int DigestCharacters = 8;

    /// <summary>The name in backticks; those inside are doubled.</summary>
    public static string Quote(string name)
    {
        if (name.Length == 0 || name.Contains('\0'))
        {
            throw new RequestException(name.Length == 0 ? "a name is empty" : "a name has a NUL character, which MySQL does not allow");
        }

        return $"`{name.Replace("`", "``", StringComparison.Ordinal)}`";
    }

    /// <summary>A longer name is cut, and ends in a digest of the whole.</summary>
    public static string Fit(string name, int most = MaxCharacters) => name.Length <= most ? name
        : $"{name[..(most - 1 - DigestCharacters)]}_{TextDigest.Of(name, DigestCharacters)}";

    public static string Quote(string database, string table) => $"{Quote(database)}.{Quote(table)}";

    public static string List(IEnumerable<string> names) => string.Join(',', names.Select(Quote));
}
