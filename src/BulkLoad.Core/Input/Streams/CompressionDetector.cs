namespace BulkLoad.Core.Input.Streams;

/// <summary>By option, first bytes, or extension.</summary>
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
        if (ByBytes(first) is { } known)
        {
            throw new InputException($"{name}: {known}");
        }

        if (ByName(path) is { } what)
        {
            var isPacked = CompressionFormat.ByBytes(first) is not null;
            throw new InputException($"{name}: {what}{(isPacked ? "" : " (if it is text with that name: --compression none)")}");
        }
    }

    private static string? ByBytes(ReadOnlySpan<byte> first) =>
        first.StartsWith(CompoundFile) ? Workbook
        : IsParquet(first) ? Parquet
        : first.StartsWith("PGCOPY\n"u8) || first.StartsWith("PGDMP"u8) ? PostgresDump
        : null;

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
