using System.Collections.Concurrent;
using System.IO.Compression;

namespace BulkLoad.Core.Values;

/// <summary>Which characters a column's character set has (MySQL manual, "Supported Character Sets and Collations").</summary>
internal sealed class ColumnCharset
{
    private readonly CharsetWidths? _widths;
    private readonly Form _form;

    private ColumnCharset(Form form, CharsetWidths? widths)
    {
        _form = form;
        _widths = widths;
        HasAscii = widths is null || Enumerable.Range(0, 0x80).All(codePoint => widths.Of(codePoint) > 0);
    }

    private enum Form
    {
        Utf8,
        Utf8OfThreeBytes,
        TwoBytes,
        Utf16,
        FourBytes,

        /// <summary>By a table.</summary>
        Widths,

        /// <summary>A set of a future server.</summary>
        Unknown,
    }

    public bool IsKnown => _form != Form.Unknown;

    public bool HasAscii { get; }

    /// <summary>A set that is not known here counts as having every character, in one byte: then the server's own warnings and errors
    /// refuse characters.</summary>
    public static ColumnCharset Named(string name) => name switch
    {
        "utf8mb4" => new(Form.Utf8, null),
        "utf8mb3" or "utf8" => new(Form.Utf8OfThreeBytes, null),
        "ucs2" => new(Form.TwoBytes, null),
        "utf16" or "utf16le" => new(Form.Utf16, null),
        "utf32" => new(Form.FourBytes, null),
        _ => CharsetWidths.Find(name) is { } widths ? new(Form.Widths, widths) : new(Form.Unknown, null),
    };

    /// <param name="text">valid UTF-8; the set has all of its characters</param>
    public long CountBytes(ReadOnlySpan<byte> text) => _form switch
    {
        Form.Utf8 or Form.Utf8OfThreeBytes => text.Length,
        Form.TwoBytes => 2 * CountCharacters(text),
        Form.Utf16 => 2 * (CountCharacters(text) + CountSupplementary(text)),
        Form.FourBytes => 4 * CountCharacters(text),
        Form.Widths => SumWidths(text),
        _ => CountCharacters(text),
    };

    public static long CountCharacters(ReadOnlySpan<byte> text)
    {
        long count = 0;
        foreach (var unit in text)
        {
            // A byte 10xxxxxx continues a character.
            count += (sbyte)unit >= -0x40 ? 1 : 0;
        }

        return count;
    }

    /// <param name="text">valid UTF-8</param>
    public bool HasAll(ReadOnlySpan<byte> text)
    {
        if (_form is Form.Utf8OfThreeBytes or Form.TwoBytes)
        {
            return CountSupplementary(text) == 0;
        }

        while (_widths is not null && !text.IsEmpty)
        {
            Rune.DecodeFromUtf8(text, out var rune, out var used);
            if (_widths.Of(rune.Value) == 0)
            {
                return false;
            }

            text = text[used..];
        }

        return true;
    }

    private long SumWidths(ReadOnlySpan<byte> text)
    {
        long count = 0;
        while (!text.IsEmpty)
        {
            Rune.DecodeFromUtf8(text, out var rune, out var used);
            count += _widths!.Of(rune.Value);
            text = text[used..];
        }

        return count;
    }

    private static long CountSupplementary(ReadOnlySpan<byte> text)
    {
        long count = 0;
        foreach (var unit in text)
        {
            count += unit >= 0xf0 ? 1 : 0;
        }

        return count;
    }
}

/// <summary>The bytes of each character in one of the servers' character sets that are not Unicode's; 0: the set does not have it. Both
/// servers gave the same numbers (Charsets.txt).</summary>
/// <param name="bmp">a width for each code point up to U+FFFF</param>
internal sealed class CharsetWidths(byte[] bmp, byte supplementary)
{
    private const int BmpLength = 0x10000;

    private static readonly Lazy<Dictionary<string, string[]>> Lines = new(ReadLines);
    private static readonly ConcurrentDictionary<string, CharsetWidths> Known = new();

    public static IReadOnlyCollection<string> Names => Lines.Value.Keys;

    public static CharsetWidths? Find(string name) =>
        Lines.Value.TryGetValue(name, out var words) ? Known.GetOrAdd(name, (_, line) => Read(line), words) : null;

    public int Of(int codePoint) => codePoint < BmpLength ? bmp[codePoint] : supplementary;

    /// <summary>A line of Charsets.txt: name, width beyond U+FFFF, the other widths deflated.</summary>
    public string ToLine(string name)
    {
        using var deflated = new MemoryStream();
        using (var deflate = new DeflateStream(deflated, CompressionLevel.SmallestSize, leaveOpen: true))
        {
            deflate.Write(bmp);
        }

        return $"{name} {supplementary} {Convert.ToBase64String(deflated.ToArray())}";
    }

    private static CharsetWidths Read(string[] words)
    {
        using var inflate = new DeflateStream(new MemoryStream(Convert.FromBase64String(words[2])), CompressionMode.Decompress);
        var bmp = new byte[BmpLength];
        inflate.ReadExactly(bmp);
        return new CharsetWidths(bmp, byte.Parse(words[1], CultureInfo.InvariantCulture));
    }

    private static Dictionary<string, string[]> ReadLines()
    {
        using var reader = new StreamReader(typeof(CharsetWidths).Assembly.GetManifestResourceStream("Charsets.txt")!);
        return reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(' '))
            .ToDictionary(words => words[0]);
    }
}
