using System.CommandLine;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>Which field goes to which column, and how fields are read as values.</summary>
internal sealed class MappingArguments : ArgumentGroup
{
    private static readonly (string, EmptyMeaning)[] Empties =
    [
        ("auto", EmptyMeaning.Auto), ("null", EmptyMeaning.Null), ("string", EmptyMeaning.EmptyText), ("default", EmptyMeaning.Default),
    ];

    private static readonly (string, BinaryForm)[] BinaryForms = [("hex", BinaryForm.Hex), ("base64", BinaryForm.Base64),
        ("raw", BinaryForm.Raw), ("uuid", BinaryForm.Uuid)];

    private readonly Option<string[]?> _columns;
    private readonly Option<KeyValuePair<string, string>[][]> _map;
    private readonly Option<ColumnAssignment[]>? _set;
    private readonly Option<NullText[]> _nullValues;
    private readonly Option<EmptyMeaning?>? _empty;
    private readonly Option<bool> _trim;
    private readonly Option<bool>? _round;
    private readonly Option<bool> _zeroDates;
    private readonly Option<string?> _timeZone;
    private readonly Option<BinaryWord[]> _binary;

    /// <param name="makesRows">whether the command does; else the values are keys, of which none is made up or changed</param>
    /// <param name="sets">whether columns can be filled by SQL</param>
    public MappingArguments(bool makesRows = true, bool sets = true) : base("Mapping and values")
    {
        _columns = Object(
            "--columns",
            "NAME,...",
            (sets && makesRows
                ? "the column of each field in order; a field named @name goes to no column, and --set can read it (default: by the "
                    + "header's names)"
                : "the column of each field in order; a field named @name is skipped (default: by the header's names)")
            + ". Where a csv or tsv file's first line does not have these names, --header or --no-header says what it is",
            text => OptionParsers.Names(text));
        _map = Several(
            "--map",
            "FIELD=COLUMN,...",
            "a field whose name is not its column's; =COLUMN: a field without a name; where no field has that name, "
            + "a number is the field's place; "
            + "address.city=COLUMN, tags[0]=COLUMN: a value within a JSON object; FIELD?=COLUMN: the field is optional; "
            + (sets && makesRows ? "FIELD=@name: for --set; repeatable" : "repeatable"),
            OptionParsers.Pairs);
        _set = !makesRows || !sets ? null : Several(
            "--set",
            "COLUMN=EXPRESSION",
            "SQL that the server works out for each row, for a column that the file does not fill; @name in it is the field of that name; "
                + "repeatable",
            Assignment);
        _nullValues = Several(
            "--null-value",
            "TEXT",
            "unquoted text that means NULL, in addition to \\N; COLUMN=TEXT for one column only, =TEXT where the text itself has a =; "
                + "repeatable",
            NullValue);
        _empty = !makesRows ? null : Value(
            "--empty",
            "MEANING",
            "what an unquoted empty field is: null, string, default (the column's), or auto: NULL, or '' in a text column that is NOT NULL",
            text => OptionParsers.Choice(text, Empties));
        _trim = Flag("--trim", makesRows
            ? "ignore spaces and tabs around the values of columns that are not text"
            : "ignore spaces and tabs around the values of columns that are not text; with --ids around every key");
        _round = !makesRows
            ? null
            : Flag(
                "--round", "round numbers and fractions of a second to the column's digits, half away from zero, instead of refusing them");
        _zeroDates = Flag("--zero-dates", "accept dates with a year, month or day of zero, such as 0000-00-00");
        _timeZone = Text(
            "--time-zone",
            "ZONE",
            "the zone of times: UTC, an offset such as +02:00, a name such as Europe/Berlin, or server: the server's own (default)");
        _binary = Several(
            "--binary",
            "FORM",
            "how fields of BINARY, VARBINARY and BLOB columns are written: hex (0x41 or 41), base64, raw, or uuid, into 16 bytes "
                + "(default: hex; mysql: raw); COLUMN=FORM for one column only; repeatable",
            Binary);
    }

    public MappingWords Bind(ParseResult words) => new(
        words.GetResult(_columns) is null ? null : words.GetValue(_columns),
        [.. (words.GetValue(_map) ?? []).SelectMany(pairs => pairs)],
        (_set is null ? null : words.GetValue(_set)) ?? [],
        new ValueOptions
        {
            NullTexts = words.GetValue(_nullValues) ?? [],
            Empty = (_empty is null ? null : words.GetValue(_empty)) ?? EmptyMeaning.Auto,
            Trim = words.GetValue(_trim),
            Round = _round is not null && words.GetValue(_round),
            ZeroDates = words.GetValue(_zeroDates),
            TimeZone = words.GetValue(_timeZone),
            Binary = (words.GetValue(_binary) ?? []).LastOrDefault(binary => binary.Column is null)?.Form,
            BinaryColumns = [.. (words.GetValue(_binary) ?? []).Where(binary => binary.Column is not null)
                .Select(binary => new BinaryColumn(binary.Column!, binary.Form))],
        });

    /// <summary>No column's name is empty, so that a text with a <c>=</c> of its own can stand behind one.</summary>
    private static NullText NullValue(string text) => text.IndexOf('=', StringComparison.Ordinal) switch
    {
        < 0 => new NullText(null, text),
        0 => new NullText(null, text[1..]),
        var at => new NullText(text[..at], text[(at + 1)..]),
    };

    private static BinaryWord Binary(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        ? new BinaryWord(text[..at], OptionParsers.Choice(text[(at + 1)..], BinaryForms))
        : new BinaryWord(null, OptionParsers.Choice(text, BinaryForms));

    private static ColumnAssignment Assignment(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        ? new ColumnAssignment(text[..at].Trim(), text[(at + 1)..].Trim())
        : throw new FormatException($"'{text}' is not COLUMN=EXPRESSION");
}

/// <param name="Column">null: all binary columns</param>
internal sealed record BinaryWord(string? Column, BinaryForm Form);

/// <summary>Mapping and values as typed.</summary>
internal sealed record MappingWords(
    IReadOnlyList<string>? Columns,
    IReadOnlyList<KeyValuePair<string, string>> Map,
    IReadOnlyList<ColumnAssignment> Assignments,
    ValueOptions Values);
