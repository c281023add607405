namespace BulkLoad.Core.Input.Streams;

/// <summary>How an input is compressed, by what the user said, its first bytes, or its extension.</summary>
internal static class CompressionDetector
{
    /// <summary>First bytes that are enough to know every mark.</summary>
    public const int Length = 10;

    /// <summary>The compression; never <see cref="InputCompression.Auto"/>.</summary>
    /// <exception cref="InputException">one that the first bytes belie; or a file that holds no text</exception>
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

/// <summary>Files that people have and that hold no text: recognised, to say what to do.</summary>
internal static class OtherFiles
{
    public const string Workbook = "is an Excel workbook; save its sheet as CSV UTF-8 (File, Save As), and import that";

    public const string OpenDocument = "is an OpenDocument spreadsheet; save its sheet as CSV (UTF-8), and import that";

    private const string Parquet =
        "is a Parquet file; write it as CSV or JSON lines, such as with DuckDB, and import that";

    private const string PostgresDump =
        @"is in a binary form of PostgreSQL; save the table with psql -c ""\copy TABLE to 'FILE.tsv'"", and read that with " +
        "--format postgres";

    /// <summary>The container of old Office files.</summary>
    private static ReadOnlySpan<byte> CompoundFile => [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

    /// <param name="first">ten bytes, or all there are</param>
    /// <exception cref="InputException">it is one</exception>
    public static void RequireNone(string name, string? path, ReadOnlySpan<byte> first)
    {
        if (Find(path, first) is { } what)
        {
            throw new InputException($"{name}: {what}");
        }
    }

    private static string? Find(string? path, ReadOnlySpan<byte> first) =>
        HasEnding(path, ".xlsx") || HasEnding(path, ".xls") || HasEnding(path, ".xlsm") || HasEnding(path, ".xlsb")
            || first.StartsWith(CompoundFile) ? Workbook
        : HasEnding(path, ".ods") ? OpenDocument
        : HasEnding(path, ".parquet") || IsParquet(first) ? Parquet
        : first.StartsWith("PGCOPY\n"u8) || first.StartsWith("PGDMP"u8) ? PostgresDump
        : null;

    /// <summary>Text may begin with the same letters, but not continue with a control character.</summary>
    private static bool IsParquet(ReadOnlySpan<byte> first) => first.StartsWith("PAR1"u8)
        && first is [_, _, _, _, < 0x20 and not ((byte)'\t' or (byte)'\n' or (byte)'\r'), ..];

    private static bool HasEnding(string? path, string ending) =>
        path is not null && path.EndsWith(ending, StringComparison.OrdinalIgnoreCase);
}
