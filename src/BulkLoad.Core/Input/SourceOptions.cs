using BulkLoad.Core.Input.Repairing;

namespace BulkLoad.Core.Input;

/// <summary>The format of an input's records.</summary>
public enum InputFormat
{
    /// <summary>By extension, else by the first bytes; the report names what was taken.</summary>
    Auto,

    /// <summary>RFC 4180, comma unless a delimiter is given.</summary>
    Csv,

    /// <summary>As CSV, with tabs.</summary>
    Tsv,

    /// <summary>Backslash-escaped with tabs, as <c>mysql -B</c> and <c>SELECT ... INTO OUTFILE</c> write it.</summary>
    Mysql,

    /// <summary>Backslash-escaped with tabs, as PostgreSQL's <c>COPY</c> writes its text form.</summary>
    Postgres,

    /// <summary>One JSON object a line.</summary>
    Jsonl,

    /// <summary>One JSON array of objects, or objects one after the other; an object may have several lines.</summary>
    Json,

    /// <summary>One key a line, without quotes.</summary>
    Keys,
}

/// <summary>How an input is compressed.</summary>
public enum InputCompression
{
    /// <summary>By extension or first bytes.</summary>
    Auto,

    /// <summary>Not compressed.</summary>
    None,

    /// <summary>gzip (RFC 1952), several members too.</summary>
    Gzip,

    /// <summary>Zstandard (RFC 8878), several frames too.</summary>
    Zstd,

    /// <summary>xz, several streams too.</summary>
    Xz,

    /// <summary>bzip2, several streams too.</summary>
    Bzip2,

    /// <summary>A zip archive of one file.</summary>
    Zip,
}

/// <summary>What the user said about the input files' form. Null: the format's own.</summary>
public sealed record SourceOptions
{
    /// <summary>The format of all files.</summary>
    public InputFormat Format { get; init; }

    /// <summary>Field separator; one ASCII character, or the first one of several.</summary>
    public char? Delimiter { get; init; }

    /// <summary>What else belongs to a field separator of several ASCII characters; empty: nothing.</summary>
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

    /// <summary>Whole lines to skip before the header; null: none, and what is before the header is looked for.</summary>
    public int? SkipLines { get; init; }

    /// <summary>Dirty lines before the header (<see cref="DirtKind.Preamble"/>), behind <see cref="SkipLines"/>.</summary>
    internal int PreambleLines { get; init; }

    /// <summary>Whether a spec gives everything, and nothing is detected.</summary>
    internal bool IsPinned { get; init; }

    /// <summary>Whether the first record holds the column names (csv, tsv: yes; mysql, postgres: no). Null: the format's own.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>.NET encoding name; null: by byte order mark, else UTF-8.</summary>
    public string? Encoding { get; init; }

    /// <summary>How the files are compressed.</summary>
    public InputCompression Compression { get; init; }

    /// <summary>Most decompressed bytes for each compressed one, once there are many.</summary>
    public int MaxRatio { get; init; } = 200;

    /// <summary>Largest record, in bytes of UTF-8.</summary>
    public long MaxRecordBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>Line ends within one quoted field; where there are more, its quote counts as unclosed.</summary>
    public int MaxQuotedLines { get; init; } = 1000;

    /// <summary>What is done about dirty records.</summary>
    public DirtPolicies Dirt { get; init; } = DirtPolicies.None;

    /// <summary>keys: whether <c>10..20</c> means all numbers from the one to the other.</summary>
    public bool ReadsRanges { get; init; }

    /// <summary>jsonl, json: whether keys that are no column are ignored instead of refused.</summary>
    public bool IgnoreUnknown { get; init; }
}

/// <summary>How refused records are written, so that they can be read like the input. <paramref name="Head"/> is all before the first
/// record: byte order mark, skipped lines, header. A null encoding is UTF-8; another one throws for characters that it does not
/// have.</summary>
internal sealed record RejectForm(byte[] Head, byte[] Newline, Encoding? Encoding)
{
    public static RejectForm Plain { get; } = new([], [(byte)'\n'], null);
}

/// <summary>What an unquoted empty field means.</summary>
public enum EmptyMeaning
{
    /// <summary>NULL where the column can be NULL; else the empty string in a character column, and a reject elsewhere.</summary>
    Auto,

    /// <summary>NULL, whatever the column.</summary>
    Null,

    /// <summary>The empty string, as a quoted empty field is.</summary>
    EmptyText,

    /// <summary>The column's DEFAULT.</summary>
    Default,
}

/// <summary>An unquoted text that means NULL.</summary>
/// <param name="Column">the one column where it does; null: all</param>
/// <param name="Text">the whole field; empty: an unquoted empty field is NULL whatever <see cref="ValueOptions.Empty"/> says</param>
public sealed record NullText(string? Column, string Text);

/// <summary>How fields are read as values, where the contract leaves a choice.</summary>
public sealed record ValueOptions
{
    /// <summary>Texts that mean NULL beside <c>\N</c>.</summary>
    public IReadOnlyList<NullText> NullTexts { get; init; } = [];

    /// <summary>What an unquoted empty field means.</summary>
    public EmptyMeaning Empty { get; init; }

    /// <summary>Whether spaces and tabs around the values of columns that are not text are ignored.</summary>
    public bool Trim { get; init; }

    /// <summary>Whether numbers and fractions of a second finer than the column are rounded instead of refused.</summary>
    public bool Round { get; init; }

    /// <summary>Whether dates with a year, month or day of zero are taken.</summary>
    public bool ZeroDates { get; init; }

    /// <summary>How fields of binary columns are written; null: raw in the mysql format, hexadecimal digits in all others.</summary>
    public BinaryForm? Binary { get; init; }

    /// <summary>How fields of single binary columns are written.</summary>
    public IReadOnlyList<BinaryColumn> BinaryColumns { get; init; } = [];

    /// <summary>How dates, times, numbers and true/false words are written, where it is not as the rules have them.</summary>
    public IReadOnlyList<ValueFormat> Formats { get; init; } = [];

    /// <summary><c>UTC</c>, an offset such as <c>+02:00</c>, or a zone's name; null or <c>server</c>: the session's own.</summary>
    public string? TimeZone { get; init; }

    /// <summary>Hexadecimal digits by default.</summary>
    internal BinaryForm BinaryOf(string column) =>
        BinaryColumns.FirstOrDefault(one => one.Column.Equals(column, StringComparison.OrdinalIgnoreCase))?.Form ?? Binary
            ?? BinaryForm.Hex;

    /// <summary>The options for one format, with its defaults.</summary>
    internal ValueOptions In(InputFormat format) =>
        this with { Binary = Binary ?? (format == InputFormat.Mysql ? BinaryForm.Raw : BinaryForm.Hex) };
}

/// <summary>How the bytes of a binary column are written in a field.</summary>
public enum BinaryForm
{
    /// <summary>Two hexadecimal digits a byte, with <c>0x</c> or <c>\x</c> before them or not.</summary>
    Hex,

    /// <summary>RFC 4648, section 4, with padding; line ends between are ignored.</summary>
    Base64,

    /// <summary>The field's own bytes.</summary>
    Raw,

    /// <summary>The 16 bytes of a UUID, in the order of its digits, as UUID_TO_BIN() has them.</summary>
    Uuid,
}

/// <summary>How the fields of one binary column are written.</summary>
public sealed record BinaryColumn(string Column, BinaryForm Form);
