namespace BulkLoad.Core.Input;

/// <summary>What the user said about the form of the input files. Null: the format's own.</summary>
internal sealed record SourceOptions
{
    public InputFormat Format { get; init; }

    /// <summary>Field separator; one ASCII character, or the first one of several.</summary>
    public char? Delimiter { get; init; }

    /// <summary>Further characters of a field separator of several ASCII characters; empty: none.</summary>
    public string DelimiterTail { get; init; } = "";

    /// <summary>Quote character; one ASCII character, or <c>'\0'</c> for none.</summary>
    public char? Quote { get; init; }

    /// <summary>Escape character; one ASCII character, or <c>'\0'</c> for none. Null: a doubled quote (csv, tsv), a backslash
    /// (mysql, postgres).</summary>
    public char? Escape { get; init; }

    /// <summary>Line end, such as <c>\r\n</c>; null: LF, CRLF and CR alike (mysql: LF only).</summary>
    public string? Newline { get; init; }

    /// <summary>Lines that start with this character are not records; one ASCII character.</summary>
    public char? Comment { get; init; }

    /// <summary>Whole lines to skip before the header; null: none, and lines before the header are detected.</summary>
    public int? SkipLines { get; init; }

    /// <summary>Dirty lines before the header (<see cref="DirtKind.Preamble"/>), behind <see cref="SkipLines"/>.</summary>
    internal int PreambleLines { get; init; }

    /// <summary>Whether a spec gives everything, and nothing is detected.</summary>
    internal bool IsPinned { get; init; }

    /// <summary>Whether the first record holds the column names (csv, tsv: yes; mysql, postgres: no). Null: the format's own.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>.NET encoding name; null: by byte order mark, else UTF-8.</summary>
    public string? Encoding { get; init; }

    public InputCompression Compression { get; init; }

    /// <summary>Limit of decompressed bytes for each compressed one, once there are many.</summary>
    public int MaxRatio { get; init; } = 200;

    /// <summary>Largest record, in bytes of UTF-8.</summary>
    public long MaxRecordBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>Line ends within one quoted field; where there are more, its quote counts as unclosed.</summary>
    public int MaxQuotedLines { get; init; } = 1000;

    /// <summary>Whether no record has a line end in a field: one that has is refused, as with 0 of <see cref="MaxQuotedLines"/>, and a part
    /// of a file is found by line ends.</summary>
    public bool LacksMultiline => MaxQuotedLines == 0;

    public DirtPolicies Dirt { get; init; } = DirtPolicies.None;

    /// <summary>keys: whether <c>10..20</c> means all numbers from the one to the other.</summary>
    public bool ReadsRanges { get; init; }

    /// <summary>json: keys, with points between, of the list whose objects are the records; null: the input is that list.</summary>
    public string? JsonPath { get; init; }

    /// <summary>jsonl, json: whether keys that are no column are ignored instead of refused.</summary>
    public bool IgnoreUnknown { get; init; }

    /// <summary>Options that must be the same at each start of a job.</summary>
    internal static IReadOnlyList<OptionRule<SourceOptions>> Rules { get; } =
    [
        new("--json-path", source => source.JsonPath ?? ""),
        new("--ignore-unknown", source => source.IgnoreUnknown ? "on" : ""),
        new("--dirt", source => string.Join(',', Enum.GetValues<DirtKind>().Where(source.Dirt.Names)
            .Select(kind => $"{DirtPolicies.NameOf(kind)}={source.Dirt[kind].ToString().ToLowerInvariant()}"))),
        new("--ranges", source => source.ReadsRanges ? "on" : ""),
        new("--max-quoted-lines",
            source => source.MaxQuotedLines == new SourceOptions().MaxQuotedLines ? "" : source.MaxQuotedLines.ToString()),
    ];
}

/// <summary>An option that must be the same at each start of a job.</summary>
/// <param name="Text">its value, as the ledger stores it; empty: the default, which is left out</param>
internal sealed record OptionRule<T>(string Option, Func<T, string> Text);

/// <summary>How refused records are written, so that they can be read like the input. <paramref name="Head"/> is all before the first
/// record: byte order mark, skipped lines, header. A null encoding is UTF-8; another one throws for characters that it does not
/// have.</summary>
internal sealed record RejectForm(byte[] Head, byte[] Newline, Encoding? Encoding)
{
    public static RejectForm Plain { get; } = new([], [(byte)'\n'], null);
}
