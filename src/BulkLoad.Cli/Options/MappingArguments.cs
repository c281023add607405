using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>The table, and what happens to rows that are there.</summary>
internal sealed class TargetArguments : OptionGroup<LoadRequest>
{
    public const string Table = "--table";

    /// <param name="makesRows">whether the command does; otherwise no record can be a duplicate</param>
    /// <param name="hasDuplicates">whether it has options for duplicates</param>
    public TargetArguments(bool makesRows = true, bool hasDuplicates = true) : base("Table", NextCommand.Reading)
    {
        Text(Table, "NAME", makesRows
            ? "table or database.table (default: the file's base name, as with mysqlimport; several files must have the same)"
            : "table or database.table; has to be named",
            Identity, (request, name) => request with { Table = name })
            .Offers(Offer.Tables).OfAllFiles().InShortHelp(10).AlsoCalled("--into --table-name -t");
        if (makesRows && hasDuplicates)
        {
            Value("--on-duplicate", "WHAT",
                "a record whose primary or unique key already exists: error (default) rejects it, ignore skips it, replace replaces the "
                    + "row, update gives the row its values",
                Identity, text => TypedValue.Choice<DuplicateMode>(text, [.. DuplicateModes.All]),
                (request, mode) => request with { OnDuplicate = mode })
                .InShortHelp(140, "of a key that exists: error (default), ignore, replace, update")
                .AlsoCalled("--replace --replace-duplicates", "that is --on-duplicate replace")
                .AlsoCalled("--ignore --ignore-duplicates --skip-duplicates --insert-ignore", "that is --on-duplicate ignore")
                .AlsoCalled("--upsert --update-duplicates --merge", "that is --on-duplicate update")
                .AlsoCalled("--update", "that is --on-duplicate update, or 'bulkload update'")
                .AlsoCalled("--on-conflict", "that is --on-duplicate ignore, replace or update");
        }
    }
}

internal sealed class MappingArguments : OptionGroup<LoadRequest>
{
    private static readonly (string, EmptyMeaning)[] Empties =
    [
        ("auto", EmptyMeaning.Auto), ("null", EmptyMeaning.Null), ("string", EmptyMeaning.EmptyText), ("default", EmptyMeaning.Default),
    ];

    private static readonly (string, BinaryForm)[] BinaryForms =
        [("hex", BinaryForm.Hex), ("base64", BinaryForm.Base64), ("raw", BinaryForm.Raw), ("uuid", BinaryForm.Uuid),
            ("number", BinaryForm.Number)];

    /// <param name="makesRows">whether the command does; otherwise the values are keys, which are never made up or changed</param>
    /// <param name="sets">whether columns can be filled by SQL</param>
    public MappingArguments(bool makesRows = true, bool sets = true) : base("Mapping and values", NextCommand.Reading)
    {
        sets &= makesRows;
        Value("--columns", "NAME,...",
            (sets
                ? "the column of each field in order; a field named @name goes to no column, and --set can read it (default: by the "
                    + "header's names)"
                : "the column of each field in order; a field named @name is skipped (default: by the header's names)")
            + ". Where a csv or tsv file's first line does not have these names, --header or --no-header says what it is",
            Identity, OptionParsers.Names, (request, names) => request with { Columns = names })
            .Offers(Offer.Fields).InShortHelp(150, "the fields' columns in order, such as id,@skip,name")
            .AlsoCalled("--skip-header", "the first line is a header by default; --columns names the columns in its place");
        Several("--map", "FIELD=COLUMN,...",
            "a field whose name is not its column's; =COLUMN: a field without a name; where no field has that name, "
                + "a number is the field's place; "
                + "address.city=COLUMN, tags[0]=COLUMN: a value within a JSON object; FIELD?=COLUMN: the field is optional; "
                + (sets ? "FIELD=@name: for --set; repeatable" : "repeatable"),
            Identity, OptionParsers.Pairs, (request, lists) => request with { Map = [.. lists.SelectMany(pairs => pairs)] })
            .Offers(Offer.FieldPairs).InShortHelp(160);
        if (sets)
        {
            Several("--set", "COLUMN=EXPRESSION",
                "SQL that the server works out for each row, for a column that the file does not fill; @name in it is the field of that "
                    + "name; repeatable",
                Identity, Assignment, (request, assignments) => request with { Assignments = assignments })
                .Offers(Offer.WordsOfColumn);
        }

        Several("--null-value", "TEXT",
            "unquoted text that means NULL, in addition to \\N; COLUMN=TEXT for one column only, =TEXT where the text itself has a =; "
                + "repeatable",
            Rule, NullValue, (request, texts) => request with { Values = request.Values with { NullTexts = texts } })
            .Offers(Offer.WordsOfColumn).InShortHelp(320).AlsoCalled("--null --nulls --na --na-values --null-string --nullstr");
        Flag("--null-quoted",
            "a field in quotes that is empty or a text of --null-value is what it is without quotes: for files with every field quoted",
            Rule, request => request with { Values = request.Values with { NullQuoted = true } });
        if (makesRows)
        {
            Several("--empty", "MEANING",
                "what an unquoted empty field is: null, string, default (the column's), or auto: NULL, or '' in a text column that is "
                    + "NOT NULL; COLUMN=MEANING for one column only; repeatable",
                Rule, Empty, (request, words) => request with
                {
                    Values = request.Values with
                    {
                        Empty = words.LastOrDefault(word => word.Column is null)?.Meaning ?? request.Values.Empty,
                        EmptyColumns =
                            [.. words.Where(word => word.Column is not null).Select(word => new EmptyColumn(word.Column!, word.Meaning))],
                    },
                });
        }

        Flag("--trim",
            "ignore spaces and tabs around the values of columns that are not text" + (makesRows ? "" : "; with --ids around every key"),
            Rule, request => request with { Values = request.Values with { Trim = true } });
        if (makesRows)
        {
            Flag("--round", "round numbers and fractions of a second to the column's digits, half away from zero, instead of refusing them",
                Rule, request => request with { Values = request.Values with { Round = true } });
        }

        Flag("--zero-dates", "accept dates with a year, month or day of zero, such as 0000-00-00",
            Rule, request => request with { Values = request.Values with { ZeroDates = true } });
        Text("--time-zone", "ZONE",
            "the zone of times: UTC, an offset such as +02:00, a name such as Europe/Berlin, or server: the server's own (default)",
            Rule, (request, zone) => request with { Values = request.Values with { TimeZone = zone } })
            .Offers(Offer.Words, "server", "UTC");
        Several("--binary", "FORM",
            "how fields of BINARY, VARBINARY and BLOB columns are written: hex (0x41 or 41), base64, raw, or uuid, into 16 bytes "
                + "(default: hex; mysql: raw); COLUMN=FORM for one column only; "
                + "of a BIT column COLUMN=number, or COLUMN=raw for its bytes; repeatable",
            Rule, Binary, (request, forms) => request with
            {
                Values = request.Values with
                {
                    Binary = forms.LastOrDefault(word => word.Column is null)?.Form,
                    BinaryColumns =
                        [.. forms.Where(word => word.Column is not null).Select(word => new BinaryColumn(word.Column!, word.Form))],
                },
            });
    }

    /// <summary>No column has an empty name, so that a text with a <c>=</c> of its own can stand behind one.</summary>
    private static NullText NullValue(string text) => text.IndexOf('=', StringComparison.Ordinal) switch
    {
        < 0 => new NullText(null, text),
        0 => new NullText(null, text[1..]),
        var at => new NullText(text[..at], text[(at + 1)..]),
    };

    private static EmptyWord Empty(string text) => text.LastIndexOf('=') is > 0 and var at
        ? new EmptyWord(text[..at], TypedValue.Choice(text[(at + 1)..], Empties))
        : new EmptyWord(null, TypedValue.Choice(text, Empties));

    private static BinaryWord Binary(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        ? new BinaryWord(text[..at], TypedValue.Choice(text[(at + 1)..], BinaryForms))
        : new BinaryWord(null, TypedValue.Choice(text, BinaryForms));

    private static ColumnAssignment Assignment(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        ? new ColumnAssignment(text[..at].Trim(), text[(at + 1)..].Trim())
        : throw new FormatException($"'{text}' is not COLUMN=EXPRESSION");

    /// <param name="Column">null: all columns</param>
    private sealed record EmptyWord(string? Column, EmptyMeaning Meaning);

    /// <param name="Column">null: all binary columns</param>
    private sealed record BinaryWord(string? Column, BinaryForm Form);
}

internal sealed class FormatArguments : OptionGroup<LoadRequest>
{
    private const string OrColumn = "; COLUMN=... for one column only; repeatable";

    public FormatArguments() : base("How values are written", NextCommand.Reading)
    {
        Format(ValueAspect.Date, "PATTERN",
            "dates of DATE columns, such as dd.MM.yyyy, M/d/yy or d-MMM-yyyy, or excel (a number of days), epoch, epoch-ms",
            "excel", "epoch", "epoch-ms")
            .InShortHelp(190);
        Format(ValueAspect.DateTime, "PATTERN",
            "values of DATETIME and TIMESTAMP columns, such as 'dd.MM.yyyy HH:mm' or 'M/d/yyyy h:mm tt', or excel, epoch (seconds since "
                + "1970), epoch-ms",
            "excel", "epoch", "epoch-ms");
        Format(ValueAspect.Time, "PATTERN", "times of TIME columns, such as 'h:mm tt', or excel (a part of a day)", "excel");
        Format(ValueAspect.DecimalPoint, "CHAR", "the character before a number's fraction, such as a comma");
        Format(ValueAspect.Thousands, "CHAR", "the character between thousands, such as a point, or space: any kind of blank");
        Format(ValueAspect.Currency, "SIGN,...", "currency signs or words beside numbers, which are left out, such as €,EUR");
        Format(ValueAspect.Percent, "MEANING", "numbers with a percent sign: fraction (12.5 % is 0.125) or number (12.5 % is 12.5)",
            "fraction", "number");
        Format(ValueAspect.True, "WORD,...", "words for true, beside the usual ones, in any case");
        Format(ValueAspect.False, "WORD,...", "words for false, beside the usual ones, in any case");
    }

    /// <param name="words">with a meaning of their own</param>
    private OptionNotes Format(ValueAspect aspect, string helpName, string description, params string[] words) =>
        Several(ValueFormat.OptionOf(aspect), helpName, description + OrColumn, Rule, text => Read(aspect, text),
            (request, formats) => request with { Values = request.Values with { Formats = [.. request.Values.Formats, .. formats] } })
            .Offers(Offer.WordsOfColumn, words);

    private static ValueFormat Read(ValueAspect aspect, string text) => text.IndexOf('=', StringComparison.Ordinal) switch
    {
        _ when text.Length == 0 => throw new FormatException("is empty"),
        < 0 => new ValueFormat(aspect, null, text),
        0 => new ValueFormat(aspect, null, text[1..]),
        var at => new ValueFormat(aspect, text[..at], text[(at + 1)..]),
    };
}
