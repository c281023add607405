using System.Buffers;
using System.Security.Cryptography;

namespace BulkLoad.Core.Common;

/// <summary>String literals (MySQL manual, "String Literals"), escaped with backslashes: right only in a session without
/// NO_BACKSLASH_ESCAPES, which the settings of a session make sure of.</summary>
internal static class SqlLiteral
{
    private static readonly SearchValues<byte> Special = SearchValues.Create("\0\n\r\\'\"\u001a"u8);

    /// <summary>A literal for a catalogue look-up.</summary>
    public static string Quote(string text)
    {
        var bytes = new ArrayBufferWriter<byte>();
        Write(bytes, Encoding.UTF8.GetBytes(text));
        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    /// <summary>Writes UTF-8 text as a literal in single quotes.</summary>
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

    /// <summary>Writes bytes as a hexadecimal literal (MySQL manual, "Hexadecimal Literals").</summary>
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
    /// <summary>That a name can have.</summary>
    public const int MostCharacters = 64;

    private const int DigestCharacters = 8;

    /// <summary>The name in backticks, with backticks doubled.</summary>
    /// <exception cref="RequestException">an empty name, or one with a NUL, which no identifier may have</exception>
    public static string Quote(string name)
    {
        if (name.Length == 0 || name.Contains('\0'))
        {
            throw new RequestException(name.Length == 0 ? "a name is empty" : "a name has a NUL character, which MySQL does not allow");
        }

        return $"`{name.Replace("`", "``", StringComparison.Ordinal)}`";
    }

    /// <summary>A name that a table can have: a longer one is cut, and ends in a digest of all of it.</summary>
    public static string Fit(string name) => name.Length <= MostCharacters ? name
        : $"{name[..(MostCharacters - 1 - DigestCharacters)]}_"
            + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name)))[..DigestCharacters];

    public static string Quote(string database, string table) => $"{Quote(database)}.{Quote(table)}";

    public static string List(IEnumerable<string> names) => string.Join(',', names.Select(Quote));
}
