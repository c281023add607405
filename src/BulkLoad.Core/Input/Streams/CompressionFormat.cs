namespace BulkLoad.Core.Input.Streams;

/// <summary>A compression: its word in <c>--compression</c>, its file extension, and the command that checks a file.</summary>
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

    /// <summary>Without the extension of a compression.</summary>
    public static string Unpacked(string name) => ByName(name) is { } packed ? name[..^packed.Ending.Length] : name;

    /// <summary>Needs ten bytes, or all there are.</summary>
    public bool HasMark(ReadOnlySpan<byte> first) => Kind switch
    {
        InputCompression.Gzip => first.StartsWith<byte>([0x1F, 0x8B]),
        // A frame, or one that is skipped (RFC 8878).
        InputCompression.Zstd => first.StartsWith<byte>([0x28, 0xB5, 0x2F, 0xFD])
            || first is [>= 0x50 and <= 0x5F, 0x2A, 0x4D, 0x18, ..],
        InputCompression.Xz => first.StartsWith<byte>([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        // A block, or the end of an empty stream.
        InputCompression.Bzip2 => first is [(byte)'B', (byte)'Z', (byte)'h', >= (byte)'1' and <= (byte)'9', ..]
            && (first[4..].StartsWith<byte>([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
                || first[4..].StartsWith<byte>([0x17, 0x72, 0x45, 0x38, 0x50, 0x90])),
        // A member, or the end of an empty archive.
        _ => first.StartsWith("PK\x03\x04"u8) || first.StartsWith("PK\x05\x06"u8),
    };
}

/// <summary>Detects by option, first bytes, or extension.</summary>
internal static class CompressionDetector
{
    /// <summary>Enough for every mark.</summary>
    public const int Length = 10;

    /// <summary>Never <see cref="InputCompression.Auto"/>. Throws if the first bytes contradict it, or the file has no text.</summary>
    public static InputCompression Resolve(
        string name, string? path, ReadOnlySpan<byte> first, InputCompression wanted, List<string> guesses)
    {
        if (wanted == InputCompression.None)
        {
            return InputCompression.None;
        }

        if (wanted != InputCompression.Auto)
        {
            var said = CompressionFormat.Of(wanted);
            return said.HasMark(first) ? wanted : throw IsNot(name, said, $"--compression {said.Word} was given");
        }

        OtherFiles.RequireNone(name, path, first);
        if (CompressionFormat.ByName(path) is { } named)
        {
            guesses.Add($"{named.Word} (by extension)");
            return named.HasMark(first) ? named.Kind : throw IsNot(name, named, $"its name ends in {named.Ending}");
        }

        if (CompressionFormat.ByBytes(first) is { } found)
        {
            guesses.Add($"{found.Word} (by first bytes)");
            return found.Kind;
        }

        return InputCompression.None;
    }

    private static InputException IsNot(string name, CompressionFormat compression, string reason) =>
        new($"{name}: is not {compression.Word}, though {reason}; --compression none reads it as it is");
}

/// <summary>Recognises files without text, to say what to do.</summary>
internal static class OtherFiles
{
    public const string Workbook = "is an Excel workbook; save its sheet as CSV UTF-8 (File, Save As), and import that";

    public const string OpenDocument = "is an OpenDocument spreadsheet; save its sheet as CSV (UTF-8), and import that";

    private const string Parquet =
        "is a Parquet file; write it as CSV or JSON lines, such as with DuckDB, and import that";

    private const string PostgresDump =
        @"is in a binary form of PostgreSQL; save the table with psql -c ""\copy TABLE to 'FILE.tsv'"", and read that with " +
        "--format postgres";

    /// <summary>Old Office files.</summary>
    private static ReadOnlySpan<byte> CompoundFile => [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

    public static void RequireNone(string name, string? path, ReadOnlySpan<byte> first)
    {
        if (ByContent(first) is { } known)
        {
            throw new InputException($"{name}: {known}");
        }

        if (ByName(path) is { } what)
        {
            var isPacked = CompressionFormat.ByBytes(first) is not null;
            throw new InputException($"{name}: {what}{(isPacked ? "" : " (if it is text with that name: --compression none)")}");
        }
    }

    /// <summary>Of the first ten bytes; null: it may be text.</summary>
    public static string? ByContent(ReadOnlySpan<byte> first) =>
        first.StartsWith(CompoundFile) ? Workbook
        : IsParquet(first) ? Parquet
        : first.StartsWith("PGCOPY\n"u8) || first.StartsWith("PGDMP"u8) ? PostgresDump
        : BinarySignatures.Find(first);

    private static string? ByName(string? path) =>
        HasEnding(path, ".xlsx") || HasEnding(path, ".xls") || HasEnding(path, ".xlsm") || HasEnding(path, ".xlsb") ? Workbook
        : HasEnding(path, ".ods") ? OpenDocument
        : HasEnding(path, ".parquet") ? Parquet
        : null;

    /// <summary>Text may begin with the same letters, but no control character follows.</summary>
    private static bool IsParquet(ReadOnlySpan<byte> first) => first.StartsWith("PAR1"u8)
        && first is [_, _, _, _, < 0x20 and not ((byte)'\t' or (byte)'\n' or (byte)'\r'), ..];

    private static bool HasEnding(string? path, string ending) =>
        path is not null && path.EndsWith(ending, StringComparison.OrdinalIgnoreCase);
}
