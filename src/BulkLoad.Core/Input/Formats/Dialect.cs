namespace BulkLoad.Core.Input.Formats;

/// <summary>How the records of an input are written: <see cref="SourceOptions"/> with the format's defaults.</summary>
internal sealed record Dialect
{
    /// <summary>Dirt of a record that depends on the records before or behind it.</summary>
    private static readonly DirtKind[] OfWholeFile = [DirtKind.MixedNewlines, DirtKind.Footer, DirtKind.SeveralTables];

    private Dialect()
    {
    }

    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>The first byte of <see cref="WholeDelimiter"/>.</summary>
    public required byte Delimiter { get; init; }

    public required byte[] WholeDelimiter { get; init; }

    public required byte? Quote { get; init; }

    /// <summary>Null: a quote within quotes is doubled.</summary>
    public required byte? Escape { get; init; }

    /// <summary>Null: LF, CRLF and CR.</summary>
    public required byte[]? Newline { get; init; }

    /// <summary>Begins a line that is no record.</summary>
    public required byte? Comment { get; init; }

    public required int SkipLines { get; init; }

    /// <summary>Dirty lines behind <see cref="SkipLines"/>.</summary>
    public required int PreambleLines { get; init; }

    public required bool HasHeader { get; init; }

    /// <summary>Bytes of UTF-8.</summary>
    public required int MaxRecordBytes { get; init; }

    /// <summary>With more line ends in a quoted field, its quote counts as unclosed.</summary>
    public required int MaxQuotedLines { get; init; }

    public required DirtPolicies Dirt { get; init; }

    /// <summary>keys: <c>10..20</c> is a range.</summary>
    public required bool ReadsRanges { get; init; }

    /// <summary>keys: blanks around a key belong to it.</summary>
    public bool KeepsBlanks { get; init; }

    /// <summary>JSON: unknown keys are skipped.</summary>
    public required bool IgnoreUnknown { get; init; }

    /// <summary>json: keys from the outermost object to the list of records.</summary>
    public IReadOnlyList<string> JsonPath { get; init; } = [];

    /// <summary>Whether CsvHelper reads it: RFC 4180 with a separator of one character and a quote that is no blank.
    /// <see cref="ScanningReader"/> reads the rest.</summary>
    public bool IsDelimited => Format.IsCsv() && Escape is null && Newline is null
        && WholeDelimiter.Length == 1 && Quote is not ((byte)' ' or (byte)'\t');

    /// <summary>What it is that no place but its beginning is one where a reader can begin; null: there are others.</summary>
    public string? Undivided => Format == InputFormat.Jsonl && PreambleLines == 0 ? null
        : !Format.IsCsv() ? $"a file of format {Format.Word()}"
        : PreambleLines > 0 ? "a file with lines before the header"
        : Comment is not null ? "a file with --comment"
        : Escape is not null ? "a file with --escape"
        : Newline is not null ? "a file with --newline"
        : !IsDelimited ? "a file with such a delimiter or quote"
        : OfWholeFileOnly;

    /// <summary>Why a record's meaning depends on the records before or behind it, for people, such as <c>a file with --dirt footer</c>;
    /// null: it does not.</summary>
    private string? OfWholeFileOnly =>
        OfWholeFile.Where(Dirt.Names).Select(kind => $"a file with --dirt {DirtPolicies.NameOf(kind)}").FirstOrDefault();

    /// <summary>Why nobody can read a part of the file by itself, for people; null: one can.</summary>
    public string? PartObstacle => Format is InputFormat.Json or InputFormat.Objects ? $"a file of format {Format.Word()}"
        : PreambleLines > 0 ? "a file with lines before the header (--skip-lines N skips them)"
        : OfWholeFileOnly;

    /// <summary>Why a line end may be within a record even where no quoted field has one, for people; null: it ends the record.</summary>
    public string? LineEndObstacle => Escape is not null && !Format.IsJson() ? "a file with escaped line ends"
        : Newline is not null && !Format.IsJson() ? "a file with --newline"
        : null;

    /// <summary>Throws for characters that are not ASCII or have two meanings.</summary>
    public static Dialect Of(SourceOptions options, InputFormat format)
    {
        var behaviour = format.Behaviour();
        var quote = Ascii("--quote", options.Quote ?? (behaviour.IsEscaped ? '\0' : '"'));
        var escape = Ascii("--escape", options.Escape ?? (behaviour.IsEscaped ? '\\' : '\0'));
        if (format == InputFormat.Postgres && (quote is not null || escape != '\\'))
        {
            throw new RequestException(
                $"{(quote is null ? "--escape: " : "--quote: ")}the postgres format has no quotes, and a backslash escapes: the CSV form " +
                "of COPY is --format csv");
        }

        var delimiter = Ascii("--delimiter", options.Delimiter ?? behaviour.Delimiter)
            ?? throw new RequestException("--delimiter: needs a character");
        var dialect = new Dialect
        {
            Format = format,
            Delimiter = delimiter,
            WholeDelimiter = [delimiter, .. options.DelimiterTail.Select(
                one => Ascii("--delimiter", one) ?? throw new RequestException("--delimiter: it cannot contain a NUL"))],
            Quote = quote,
            // An escape that is the quote itself means RFC 4180's doubled quotes.
            Escape = escape == quote ? null : escape,
            Newline = NewlineOf(options.Newline ?? behaviour.Newline),
            Comment = Ascii("--comment", options.Comment ?? '\0'),
            SkipLines = options.SkipLines ?? 0,
            PreambleLines = options.PreambleLines,
            HasHeader = options.HasHeader ?? behaviour.HasHeader,
            MaxRecordBytes = (int)Math.Clamp(options.MaxRecordBytes, 1, Array.MaxLength / 2),
            MaxQuotedLines = options.MaxQuotedLines,
            Dirt = options.Dirt,
            ReadsRanges = options.ReadsRanges,
            IgnoreUnknown = options.IgnoreUnknown,
            JsonPath = options.JsonPath?.Split('.') ?? [],
        };
        dialect.RequireDistinct();
        return dialect;
    }

    private static byte? Ascii(string option, char character) => character switch
    {
        '\0' => null,
        <= '\x7F' => (byte)character,
        _ => throw new RequestException($"{option}: '{character}' is not an ASCII character"),
    };

    private static byte[]? NewlineOf(string? newline) => newline switch
    {
        null => null,
        "" => throw new RequestException("--newline: needs at least one character"),
        _ => Encoding.UTF8.GetBytes(newline),
    };

    private void RequireDistinct()
    {
        var meanings = new Dictionary<byte, string>();
        Require(Delimiter, "--delimiter");
        Require(Quote, "--quote");
        Require(Escape, "--escape");
        Require(Comment, "--comment");
        Require(Newline?[0] ?? (byte)'\n', "--newline");
        Require(Newline is null ? (byte)'\r' : null, "--newline");
        foreach (var one in WholeDelimiter.AsSpan(1))
        {
            if (one == Quote || one == Escape || (Newline?[0] ?? (byte)'\n') == one || (Newline is null && one == '\r'))
            {
                throw new RequestException($"--delimiter: its characters cannot be {meanings.GetValueOrDefault(one)}, too");
            }
        }

        void Require(byte? character, string option)
        {
            if (character is { } one && !meanings.TryAdd(one, option))
            {
                throw new RequestException($"{option}: the same character as {meanings[one]}; one of them must be another");
            }
        }
    }
}
