namespace BulkLoad.Core.Input.Streams;

/// <summary>First bytes of files without text, and their kinds.</summary>
internal static class BinarySignatures
{
    private static readonly (byte[] Start, string What)[] Known =
    [
        ([0x7F, (byte)'E', (byte)'L', (byte)'F'], "a program (ELF)"),
        ([(byte)'M', (byte)'Z', 0x90, 0x00], "a program for Windows"),
        ([0xCF, 0xFA, 0xED, 0xFE], "a program for macOS"),
        ([0xCA, 0xFE, 0xBA, 0xBE], "a program"),
        ("%PDF-"u8.ToArray(), "a PDF document"),
        ([0x89, (byte)'P', (byte)'N', (byte)'G'], "a picture (PNG)"),
        ([0xFF, 0xD8, 0xFF], "a picture (JPEG)"),
        ("GIF89a"u8.ToArray(), "a picture (GIF)"),
        ("GIF87a"u8.ToArray(), "a picture (GIF)"),
        ("SQLite format 3\0"u8[..10].ToArray(), "a database of SQLite"),
        ([(byte)'7', (byte)'z', 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive"),
        ("Rar!\x1a\x07"u8.ToArray(), "a RAR archive"),
        ([(byte)'O', (byte)'b', (byte)'j', 0x01], "an Avro file"),
        ("ARROW1"u8.ToArray(), "an Arrow file"),
        ("FEA1"u8.ToArray(), "a Feather file"),
        ([0x89, (byte)'H', (byte)'D', (byte)'F'], "an HDF5 file"),
        ([0x93, (byte)'N', (byte)'U', (byte)'M', (byte)'P', (byte)'Y'], "an array of NumPy"),
        ([0x00, 0x01, 0x00, 0x00, (byte)'S', (byte)'t', (byte)'a', (byte)'n'], "a database of Access"),
        ("{\\rtf"u8.ToArray(), "a document (RTF)"),
        ([0x04, 0x22, 0x4D, 0x18], "compressed by lz4"),
        ([0x1F, 0x9D], "compressed by compress (.Z)"),
        ("LZIP"u8.ToArray(), "compressed by lzip"),
        ([0xFE, (byte)'b', (byte)'i', (byte)'n'], "a binary log of the server"),
    ];

    /// <summary>The end of a sentence about the file; null: unknown. Needs ten bytes.</summary>
    public static string? Find(ReadOnlySpan<byte> first)
    {
        foreach (var (start, what) in Known)
        {
            if (first.StartsWith(start))
            {
                return what.StartsWith("compressed", StringComparison.Ordinal)
                    ? $"is {what}; decompress it, and pipe it into bulkload import -"
                    : $"is {what}, and holds no records as text";
            }
        }

        return null;
    }
}
