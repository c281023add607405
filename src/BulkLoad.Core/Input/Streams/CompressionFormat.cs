namespace BulkLoad.Core.Input.Streams;

/// <summary>A compression: its word in <c>--compression</c>, its file ending, and the command that checks a file.</summary>
internal sealed record CompressionFormat(InputCompression Kind, string Word, string Ending, string Tester)
{
    public static IReadOnlyList<CompressionFormat> All { get; } =
    [
        new(InputCompression.Gzip, "gzip", ".gz", "gzip -t"),
        new(InputCompression.Zstd, "zstd", ".zst", "zstd -t"),
        new(InputCompression.Xz, "xz", ".xz", "xz -t"),
        new(InputCompression.Bzip2, "bzip2", ".bz2", "bzip2 -t"),
        new(InputCompression.Zip, "zip", ".zip", "unzip -t"),
    ];

    public static CompressionFormat Of(InputCompression kind) => All.First(one => one.Kind == kind);

    public static CompressionFormat? ByName(string? path) =>
        All.FirstOrDefault(one => path is not null && path.EndsWith(one.Ending, StringComparison.OrdinalIgnoreCase));

    public static CompressionFormat? ByBytes(ReadOnlySpan<byte> first)
    {
        foreach (var one in All)
        {
            if (one.HasMark(first))
            {
                return one;
            }
        }

        return null;
    }

    /// <summary>Without the ending of a compression.</summary>
    public static string Unpacked(string name) => ByName(name) is { } packed ? name[..^packed.Ending.Length] : name;

    /// <summary>Needs ten bytes, or all there are.</summary>
    public bool HasMark(ReadOnlySpan<byte> first) => Kind switch
    {
        InputCompression.Gzip => first.StartsWith<byte>([0x1F, 0x8B]),
        // A frame, or one that is skipped (RFC 8878).
        InputCompression.Zstd => first.StartsWith<byte>([0x28, 0xB5, 0x2F, 0xFD])
            || first is [>= 0x50 and <= 0x5F, 0x2A, 0x4D, 0x18, ..],
        InputCompression.Xz => first.StartsWith<byte>([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        // A block, or the end of a stream that holds nothing.
        InputCompression.Bzip2 => first is [(byte)'B', (byte)'Z', (byte)'h', >= (byte)'1' and <= (byte)'9', ..]
            && (first[4..].StartsWith<byte>([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
                || first[4..].StartsWith<byte>([0x17, 0x72, 0x45, 0x38, 0x50, 0x90])),
        // A member, or the end of an archive without one.
        _ => first.StartsWith("PK\x03\x04"u8) || first.StartsWith("PK\x05\x06"u8),
    };
}
