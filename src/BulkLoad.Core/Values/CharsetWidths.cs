using System.Collections.Concurrent;
using System.IO.Compression;

namespace BulkLoad.Core.Values;

/// <summary>How many bytes each character takes in one of the servers' character sets that are not Unicode's; 0 for those that it does not
/// have. Taken from the servers themselves (Charsets.txt): both have the same.</summary>
internal sealed class CharsetWidths
{
    private const int BmpLength = 0x10000;

    private static readonly Lazy<Dictionary<string, string[]>> Lines = new(() => ReadLines());
    private static readonly ConcurrentDictionary<string, CharsetWidths> Known = new();

    private readonly byte[] _bmp;
    private readonly byte _supplementary;

    /// <param name="bmp">a width for each code point up to U+FFFF</param>
    public CharsetWidths(byte[] bmp, byte supplementary)
    {
        _bmp = bmp;
        _supplementary = supplementary;
    }

    /// <summary>The names of the sets.</summary>
    public static IReadOnlyCollection<string> Names => Lines.Value.Keys;

    /// <summary>Null where the set is not known.</summary>
    public static CharsetWidths? Find(string name) =>
        Lines.Value.TryGetValue(name, out var words) ? Known.GetOrAdd(name, (_, line) => Read(line), words) : null;

    public int Of(int codePoint) => codePoint < BmpLength ? _bmp[codePoint] : _supplementary;

    /// <summary>The set as a line of Charsets.txt: name, width beyond U+FFFF, the other widths deflated.</summary>
    public string ToLine(string name)
    {
        using var deflated = new MemoryStream();
        using (var deflate = new DeflateStream(deflated, CompressionLevel.SmallestSize, leaveOpen: true))
        {
            deflate.Write(_bmp);
        }

        return $"{name} {_supplementary} {Convert.ToBase64String(deflated.ToArray())}";
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
