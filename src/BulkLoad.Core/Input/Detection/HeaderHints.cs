using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>What a header looks like when it was probably read in the wrong way.</summary>
internal static class HeaderHints
{
    /// <summary>What may be wrong and what to do, for people; null where nothing is seen.</summary>
    /// <param name="names">the header; null where there is none</param>
    /// <param name="dialect">how it was read</param>
    public static string? For(IReadOnlyList<string>? names, Dialect dialect)
    {
        if (names is null || dialect.Format == InputFormat.Jsonl)
        {
            return null;
        }

        if (names.Any(name => name.Contains('\0', StringComparison.Ordinal)))
        {
            return "the first line holds NUL bytes: UTF-16 without a byte order mark is read with --encoding utf-16";
        }

        return (names is [var only] ? OtherDelimiter(only, dialect.Format) : null)
            ?? (names.Any(IsValue) ? "the first line looks like values, not names: --no-header takes it as a record" : null);
    }

    private static bool IsValue(string name) => name.Length > 0 && PlainValue.Is(Encoding.UTF8.GetBytes(name));

    private static string? OtherDelimiter(string line, InputFormat format) =>
        line.Contains('\t', StringComparison.Ordinal) ? "the first line looks tab-separated: --format tsv"
        : line.Contains(';', StringComparison.Ordinal) ? "the first line looks separated by semicolons: --delimiter ';'"
        : line.Contains('|', StringComparison.Ordinal) ? "the first line looks separated by bars: --delimiter '|'"
        : line.Contains(',', StringComparison.Ordinal) ? $"the first line looks comma-separated: {(format == InputFormat.Csv ? "--delimiter ','" : "--format csv")}"
        : null;
}
