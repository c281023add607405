using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

/// <summary>What canonical values tell of the server's comparison. Equal ones are equal to it, always.</summary>
internal enum KeyComparison
{
    /// <summary>Others are not.</summary>
    Exact,

    /// <summary>Others are not, as long as all values are printable ASCII.</summary>
    ExactInAscii,

    /// <summary>
    /// Others are not, as long as all values are printable ASCII: such are equal just where they differ in nothing but the case of letters, and their canonical
    /// values have capital letters.
    /// </summary>
    FoldedInAscii,

    /// <summary>Others may be equal too: another letter case, another text of the same float.</summary>
    OneWay,
}

/// <summary>Which comparison a key's column has.</summary>
internal static class KeyComparisons
{
    /// <summary>Character sets in which different text is never stored as the same bytes.</summary>
    private static readonly string[] OneToOne = ["utf8mb4", "utf8mb3", "utf8", "ucs2", "utf16", "utf16le", "utf32", "latin1", "ascii"];

    /// <summary>Collations of those that tell printable ASCII apart but for the case of letters, on both servers (asked of them, character by character); others make one of <c>v</c> and <c>w</c>, or of <c>i</c> and <c>y</c>.</summary>
    private static readonly string[] FoldingEnds =
        ["_general_ci", "_unicode_ci", "_unicode_520_ci", "mb4_0900_ai_ci", "mb4_0900_as_ci", "_uca1400_ai_ci", "_uca1400_as_ci", "_uca1400_nopad_ai_ci", "_uca1400_nopad_as_ci"];

    /// <param name="column">part of a key</param>
    /// <param name="collation">of text; else null</param>
    public static KeyComparison Of(TableColumn column, string? collation) => column.Kind switch
    {
        ColumnKind.Float or ColumnKind.Double or ColumnKind.Json or ColumnKind.Geometry or ColumnKind.Unsupported => KeyComparison.OneWay,
        _ when !column.IsCharacter => KeyComparison.Exact,
        _ when collation is null || !OneToOne.Contains(column.Charset) => KeyComparison.OneWay,
        _ when collation.EndsWith("_bin", StringComparison.Ordinal) => KeyComparison.Exact,

        // Where a language has a say, two letters can be one; in these no two of ASCII are (MySQL manual, "Unicode Character Sets").
        _ when collation is "utf8mb4_0900_as_cs" or "latin1_general_cs"
            || collation.EndsWith("uca1400_as_cs", StringComparison.Ordinal)
            || collation.EndsWith("uca1400_nopad_as_cs", StringComparison.Ordinal) => KeyComparison.ExactInAscii,
        _ when collation is "latin1_swedish_ci" || FoldingEnds.Any(end => collation.EndsWith(end, StringComparison.Ordinal)) => KeyComparison.FoldedInAscii,
        _ => KeyComparison.OneWay,
    };

    /// <summary>Whether text is printable ASCII.</summary>
    public static bool IsPlain(ReadOnlySpan<byte> value) => value.IndexOfAnyExceptInRange((byte)' ', (byte)'~') < 0;

    /// <summary>
    /// Whether blanks at the end do not count (MySQL manual, "The binary Collation Compared to _bin Collations"; MariaDB
    /// documentation, "Supported Character Sets and Collations": NOPAD).
    /// </summary>
    public static bool Pads(string? collation) => collation is not null
        && !collation.Contains("_0900_", StringComparison.Ordinal)
        && !collation.Contains("_nopad_", StringComparison.Ordinal)
        && collation != "binary";
}
