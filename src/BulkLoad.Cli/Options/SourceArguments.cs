using System.CommandLine;
using BulkLoad.Core.Input;

namespace BulkLoad.Cli.Options;

/// <summary>The form of the input.</summary>
internal sealed class SourceArguments : ArgumentGroup
{
    private static readonly (string, InputFormat)[] Formats =
    [
        ("auto", InputFormat.Auto), ("csv", InputFormat.Csv), ("tsv", InputFormat.Tsv), ("mysql", InputFormat.Mysql),
        ("postgres", InputFormat.Postgres), ("jsonl", InputFormat.Jsonl), ("json", InputFormat.Json),
    ];

    private static readonly (string, InputCompression)[] Compressions =
        [("auto", InputCompression.Auto), ("none", InputCompression.None), ("gzip", InputCompression.Gzip), ("zstd", InputCompression.Zstd),
            ("xz", InputCompression.Xz), ("bzip2", InputCompression.Bzip2), ("zip", InputCompression.Zip)];

    private readonly Option<string?> _spec;
    private readonly Option<InputFormat?> _format;
    private readonly Option<string?> _delimiter;
    private readonly Option<char?> _quote;
    private readonly Option<char?> _escape;
    private readonly Option<string?> _newline;
    private readonly Option<char?> _comment;
    private readonly Option<int?> _skipLines;
    private readonly Option<long?> _limit;
    private readonly Option<bool> _noHeader;
    private readonly Option<bool> _header;
    private readonly Option<string?> _encoding;
    private readonly Option<InputCompression?> _compression;
    private readonly Option<int?> _maxRatio;
    private readonly Option<long?> _maxRecordBytes;
    private readonly Option<int?> _maxQuotedLines;
    private readonly Option<bool> _ignoreUnknown;
    private readonly Option<(DirtKind? Kind, DirtAction Action)[][]> _dirt;

    public SourceArguments() : base("Input")
    {
        _spec = Text("--spec", "FILE", "take all of this from a file that --write-spec wrote, and refuse an input that does not fit it");
        _format = Value(
            "--format",
            "NAME",
            "csv, tsv (quoted like CSV), mysql (backslash-escaped, as 'mysql -B' and SELECT ... INTO OUTFILE write it), "
                + "postgres (the text form of COPY), jsonl (an object a line), json (an array of objects), "
                + "or auto: by extension, else by the first bytes",
            text => OptionParsers.Choice(text, Formats));
        _delimiter = Object("--delimiter", "TEXT", "field separator, one character or several; \\t or tab for a tab",
            OptionParsers.Delimiter, "--fields-terminated-by");
        _quote = Value(
            "--quote",
            "CHAR",
            "quote character; empty for none",
            OptionParsers.CharacterOrNone,
            "--fields-enclosed-by",
            "--fields-optionally-enclosed-by");
        _escape = Value(
            "--escape",
            "CHAR",
            "escape character; empty for none (default: a doubled quote in csv and tsv, a backslash in mysql and postgres)",
            OptionParsers.CharacterOrNone,
            "--fields-escaped-by");
        _newline = Object(
            "--newline",
            "TEXT",
            "line end: lf, crlf, cr or the characters (default: LF, CRLF and CR alike; mysql: LF)",
            OptionParsers.Newline,
            "--lines-terminated-by");
        _comment = Value("--comment", "CHAR", "lines that start with it are not records", OptionParsers.Character);
        _skipLines = Value(
            "--skip-lines",
            "N",
            "whole lines to skip before the header",
            text => OptionParsers.Whole(text, 0, int.MaxValue),
            "--ignore-lines");
        _limit = Value("--limit", "N", "read only the first N records, of several files together",
            text => (long)OptionParsers.Whole(text, 1, int.MaxValue));
        _noHeader = Flag("--no-header", "the first record holds values, not column names (the default of mysql and postgres)");
        _header = Flag("--header", "the first record holds column names (the default of csv and tsv)");
        _encoding = Text("--encoding", "NAME", "the text's encoding, such as latin1 or utf-16 (default: by byte order mark, else UTF-8)");
        _compression = Value(
            "--compression",
            "NAME",
            "none, gzip, zstd, xz, bzip2, zip (an archive of one file), or auto: by extension or first bytes",
            text => OptionParsers.Choice(text, Compressions));
        _maxRatio = Value("--max-ratio", "N", "stop if a compressed file expands to more than N times its size (default: 200)",
            text => OptionParsers.Whole(text, 1, int.MaxValue));
        _maxRecordBytes = Value(
            "--max-record-bytes", "SIZE", "largest record; a larger one is refused (default: 16Mi)", OptionParsers.Size);
        _maxQuotedLines = Value(
            "--max-quoted-lines",
            "N",
            "line ends that a quoted field may hold; if there are more, its quote counts as unclosed: the line is refused and reading "
                + "continues after it (default: 1000)",
            text => OptionParsers.Whole(text, 1, int.MaxValue));
        _dirt = Several(
            "--dirt",
            "KIND=ACTION",
            $"what to do with dirty records: reject (the default), repair, or fail, which ends the job; all=ACTION for every kind, "
                + $"several with commas. Kinds: {string.Join(", ", Enum.GetValues<DirtKind>().Select(DirtPolicies.NameOf))}",
            OptionParsers.Dirt);
        _ignoreUnknown = Flag("--ignore-unknown", "jsonl, json: ignore keys that are not a column, instead of refusing the record");
    }

    /// <summary>The file of <c>--spec</c>; null: not typed.</summary>
    public string? SpecFile(ParseResult words) => words.GetValue(_spec);

    /// <summary>Records that are read at most; null: all.</summary>
    public long? Limit(ParseResult words) => words.GetValue(_limit);

    /// <exception cref="RequestException">two options contradict each other</exception>
    public SourceOptions Bind(ParseResult words)
    {
        var unset = new SourceOptions();
        return new SourceOptions
        {
            Format = words.GetValue(_format) ?? unset.Format,
            Delimiter = words.GetValue(_delimiter)?[0],
            DelimiterTail = words.GetValue(_delimiter)?[1..] ?? "",
            Quote = words.GetValue(_quote),
            Escape = words.GetValue(_escape),
            Newline = words.GetValue(_newline),
            Comment = words.GetValue(_comment),
            SkipLines = words.GetValue(_skipLines),
            HasHeader = HasHeader(words.GetValue(_header), words.GetValue(_noHeader)),
            Encoding = words.GetValue(_encoding),
            Compression = words.GetValue(_compression) ?? unset.Compression,
            MaxRatio = words.GetValue(_maxRatio) ?? unset.MaxRatio,
            MaxRecordBytes = words.GetValue(_maxRecordBytes) ?? unset.MaxRecordBytes,
            MaxQuotedLines = words.GetValue(_maxQuotedLines) ?? unset.MaxQuotedLines,
            Dirt = (words.GetValue(_dirt) ?? []).SelectMany(pairs => pairs)
                .Aggregate(DirtPolicies.None, (policies, pair) => policies.With(pair.Kind, pair.Action)),
            IgnoreUnknown = words.GetValue(_ignoreUnknown),
        };
    }

    private static bool? HasHeader(bool header, bool noHeader) => (header, noHeader) switch
    {
        (true, true) => throw new RequestException("--header and --no-header contradict each other"),
        (true, false) => true,
        (false, true) => false,
        _ => null,
    };
}
