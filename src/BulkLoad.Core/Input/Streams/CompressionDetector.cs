namespace BulkLoad.Core.Input.Streams;

/// <summary>How an input is compressed, by what the user said, its first bytes, or its extension.</summary>
internal static class CompressionDetector
{
    /// <summary>First bytes that are enough to know every mark.</summary>
    public const int Length = 10;

    private static ReadOnlySpan<byte> Gzip => [0x1F, 0x8B];

    private static ReadOnlySpan<byte> Zip => [0x50, 0x4B, 0x03, 0x04];

    /// <summary>The compression; never <see cref="InputCompression.Auto"/>.</summary>
    /// <exception cref="InputException">a compression that is not read here, or one that the first bytes belie</exception>
    public static InputCompression Resolve(
        string name, string? path, ReadOnlySpan<byte> first, InputCompression wanted, List<string> guesses)
    {
        if (wanted == InputCompression.None)
        {
            return InputCompression.None;
        }

        if (wanted == InputCompression.Gzip || HasExtension(path, ".gz"))
        {
            if (!first.StartsWith(Gzip))
            {
                throw new InputException($"{name}: is not gzip, though {Reason(wanted)}; --compression none reads it as it is");
            }

            if (wanted == InputCompression.Auto)
            {
                guesses.Add("gzip (by extension)");
            }

            return InputCompression.Gzip;
        }

        if (first.StartsWith(Gzip))
        {
            guesses.Add("gzip (by first bytes)");
            return InputCompression.Gzip;
        }

        if (first.StartsWith(Zip) && (HasExtension(path, ".xlsx") || HasExtension(path, ".ods")))
        {
            throw new InputException($"{name}: is a spreadsheet; save its sheet as CSV (UTF-8) and load that");
        }

        if (Unsupported(path, first) is { } program)
        {
            throw new InputException(
                $"{name}: this compression is not supported yet; pipe it: {program}{(path is null ? "" : $" {path}")} | bulkload import " +
                "- ...");
        }

        return InputCompression.None;
    }

    private static string Reason(InputCompression wanted) =>
        wanted == InputCompression.Gzip ? "--compression gzip was given" : "its name ends in .gz";

    /// <summary>The command that decompresses to standard output, or null where nothing says that the input is compressed.</summary>
    private static string? Unsupported(string? path, ReadOnlySpan<byte> first) =>
        first.StartsWith<byte>([0x28, 0xB5, 0x2F, 0xFD]) || HasExtension(path, ".zst") ? "zstd -dc"
        : first.StartsWith<byte>([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) || HasExtension(path, ".xz") ? "xz -dc"
        : (first.StartsWith("BZh"u8) && first[Math.Min(4, first.Length)..].StartsWith("1AY&SY"u8)) || HasExtension(path, ".bz2")
            ? "bzip2 -dc"
        : first.StartsWith(Zip) ? "unzip -p"
        : null;

    private static bool HasExtension(string? path, string extension) =>
        path is not null && path.EndsWith(extension, StringComparison.OrdinalIgnoreCase);
}
