using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

internal sealed class SourceArguments : OptionGroup<LoadRequest>
{
    /// <summary>The command reads its file when all other options are known.</summary>
    public const string Spec = "--spec";

    public const string Part = "--part";

    private static readonly (string, InputFormat)[] Formats =
    [
        .. InputFormats.All.Where(one => one.Format is not (InputFormat.Keys or InputFormat.Objects)).Select(one => (one.Word, one.Format)),
    ];

    private static readonly (string, InputCompression)[] Compressions =
    [
        ("auto", InputCompression.Auto), ("none", InputCompression.None), ("gzip", InputCompression.Gzip), ("zstd", InputCompression.Zstd),
        ("xz", InputCompression.Xz), ("bzip2", InputCompression.Bzip2), ("zip", InputCompression.Zip),
    ];

    /// <summary>Frequent encodings, for completion.</summary>
    private static readonly string[] Encodings = ["utf-8", "utf8mb4", "utf-16", "utf-16BE", "utf-32", "latin1", "iso-8859-15",
        "windows-1252", "windows-1250", "windows-1251", "cp850", "macintosh", "shift_jis", "cp932", "euc-jp", "gb18030", "big5", "euc-kr",
        "cp949", "koi8-r"];

    /// <param name="readsAll">whether the inputs are always read to their ends</param>
    public SourceArguments(bool readsAll = false) : base("Input", NextCommand.Reading)
    {
        Input(Spec, "take all of this from a file that --write-spec wrote, and refuse an input that does not fit it", Rule);
        Value("--format", "NAME",
            "csv, tsv (quoted like CSV), mysql (backslash-escaped, as 'mysql -B' and SELECT ... INTO OUTFILE write it), "
                + "postgres (the text form of COPY), jsonl (an object a line), json (an array of objects), "
                + "or auto: by extension, else by the first bytes",
            Rule, text => TypedValue.Choice(text, Formats),
            (request, format) => request with { Source = request.Source with { Format = format } })
            .InShortHelp(170, "csv, tsv, mysql, postgres, jsonl, json (default: by extension or first bytes)");
        Value("--delimiter", "TEXT", "field separator, one character or several; \\t or tab for a tab", Rule, OptionParsers.Delimiter,
            (request, text) => request with { Source = request.Source with { Delimiter = text[0], DelimiterTail = text[1..] } },
            "--fields-terminated-by")
            .InShortHelp(310).AlsoCalled("--separator --sep");
        Value("--quote", "CHAR", "quote character; empty for none", Rule, OptionParsers.CharacterOrNone,
            (request, quote) => request with { Source = request.Source with { Quote = quote } },
            "--fields-enclosed-by", "--fields-optionally-enclosed-by");
        Value("--escape", "CHAR",
            "escape character; empty for none (default: a doubled quote in csv and tsv, a backslash in mysql and postgres)",
            Rule, OptionParsers.CharacterOrNone, (request, escape) => request with { Source = request.Source with { Escape = escape } },
            "--fields-escaped-by");
        Value("--newline", "TEXT", "line end: lf, crlf, cr or the characters (default: LF, CRLF and CR alike; mysql: LF)",
            Rule, OptionParsers.Newline, (request, newline) => request with { Source = request.Source with { Newline = newline } },
            "--lines-terminated-by");
        Value("--comment", "CHAR", "lines that start with it are not records", Rule, OptionParsers.Character,
            (request, comment) => request with { Source = request.Source with { Comment = comment } });
        Value("--skip-lines", "N", "whole lines to skip before the header", Rule, text => TypedValue.Whole(text, 0, int.MaxValue),
            (request, lines) => request with { Source = request.Source with { SkipLines = lines } }, "--ignore-lines")
            .AlsoCalled("--skip-rows");
        if (!readsAll)
        {
            Value("--limit", "N", "read only the first N records, of several files together", Way,
                text => TypedValue.Whole(text, 1, int.MaxValue), (request, records) => request with { Limit = records });
            Value(Part, "i/n", "only the i-th of n parts of the file, as a job of its own: n starts load it side by side", Identity,
                OptionParsers.Part, (request, part) => request with { Part = part })
                .OfAllFiles();
        }

        Flag("--no-header", "the first record holds values, not column names (the default of mysql and postgres)", Rule,
            request => request with { Source = request.Source with { HasHeader = false } });
        Flag("--header", "the first record holds column names (the default of csv and tsv)", Rule,
            request => request.Source.HasHeader is null
                ? request with { Source = request.Source with { HasHeader = true } }
                : throw new RequestException("--header and --no-header contradict each other"));
        Text("--encoding", "NAME",
            "the text's encoding, such as latin1, cp1252, sjis or utf-16 (default: by byte order mark, else UTF-8)",
            Rule,
            (request, name) => request with { Source = request.Source with { Encoding = name } })
            .Offers(Offer.Words, Encodings).InShortHelp(180)
            .AlsoCalled("--charset --default-character-set", "that is --encoding, for the file; the connection is always utf8mb4");
        Value("--compression", "NAME", "none, gzip, zstd, xz, bzip2, zip (an archive of one file), or auto: by extension or first bytes",
            Way, text => TypedValue.Choice(text, Compressions),
            (request, compression) => request with { Source = request.Source with { Compression = compression } });
        Value("--max-ratio", "N", "stop if a compressed file expands to more than N times its size (default: 200)",
            Way, text => TypedValue.Whole(text, 1, int.MaxValue),
            (request, ratio) => request with { Source = request.Source with { MaxRatio = ratio } });
        Value("--max-record-bytes", "SIZE", "largest record; a larger one is refused (default: 16Mi)", Way, OptionParsers.Size,
            (request, bytes) => request with { Source = request.Source with { MaxRecordBytes = bytes } });
        Value("--max-quoted-lines", "N",
            "line ends that a quoted field may hold; if there are more, its quote counts as unclosed: the line is refused and reading "
                + "continues after it (default: 1000)",
            Rule, text => TypedValue.Whole(text, 1, int.MaxValue),
            (request, lines) => request with { Source = request.Source with { MaxQuotedLines = lines } });
        Flag("--no-multiline",
            "no field holds a line end: a record with one is refused, and --part finds its place at once, without reading what is before",
            Rule, request => request with { Source = request.Source with { MaxQuotedLines = 0 } });
        Several("--dirt", "KIND=ACTION",
            $"what to do with dirty records: reject (the default), repair, or fail, which ends the job; all=ACTION for every kind, "
                + $"several with commas. Kinds: {string.Join(", ", Enum.GetValues<DirtKind>().Select(DirtPolicies.NameOf))}",
            Rule, OptionParsers.Dirt, (request, lists) => request with
            {
                Source = request.Source with
                {
                    Dirt = lists.SelectMany(pairs => pairs)
                        .Aggregate(DirtPolicies.None, (policies, pair) => policies.With(pair.Kind, pair.Action)),
                },
            })
            .Offers(Offer.Dirt).InShortHelp(200, "what to do with dirty records, such as few-fields=repair");
        Text("--json-path", "KEYS", "json: the list of records within an object, by its key, such as results or data.items", Rule,
            (request, path) => request with { Source = request.Source with { JsonPath = path } });
        Flag("--ignore-unknown", "jsonl, json: ignore keys that are not a column, instead of refusing the record", Rule,
            request => request with { Source = request.Source with { IgnoreUnknown = true } });
    }
}
