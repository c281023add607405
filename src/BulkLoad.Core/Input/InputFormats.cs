namespace BulkLoad.Core.Input;

/// <summary>How a format differs from the others: a row of <see cref="InputFormats.All"/>. A row leaves out what is the property's
/// default.</summary>
internal sealed record FormatBehaviour(InputFormat Format)
{
    /// <summary>As in <c>--format</c>.</summary>
    public string Word { get; } = Format.ToString().ToLowerInvariant();

    /// <summary>Of files, with the point and in small letters.</summary>
    public string[] Extensions { get; init; } = [];

    /// <summary>Whether records are text; otherwise no encoding is detected, and refused records are written as CSV.</summary>
    public bool IsText { get; init; } = true;

    /// <summary>Whether fields may be in quotes, and delimiter, quotes and header are detected where no option sets them.</summary>
    public bool IsCsv { get; init; }

    /// <summary>Whether records are objects that name their fields, in any order.</summary>
    public bool IsJson { get; init; }

    /// <summary>Whether backslashes escape, and only <c>\N</c> is NULL.</summary>
    public bool IsEscaped { get; init; }

    /// <summary>Whether all records have the same number of fields, in the same order.</summary>
    public bool HasPlaces { get; init; } = true;

    public bool HasHeader { get; init; }

    public char Delimiter { get; init; } = '\t';

    /// <summary>Null: LF, CRLF and CR alike.</summary>
    public string? Newline { get; init; }

    public BinaryForm Binary { get; init; } = BinaryForm.Hex;
}

internal static class InputFormats
{
    public static readonly IReadOnlyList<FormatBehaviour> All =
    [
        new(InputFormat.Auto),
        new(InputFormat.Csv) { Extensions = [".csv"], IsCsv = true, HasHeader = true, Delimiter = ',' },
        new(InputFormat.Tsv) { Extensions = [".tsv", ".tab"], IsCsv = true, HasHeader = true },
        new(InputFormat.Mysql) { IsEscaped = true, Newline = "\n", Binary = BinaryForm.Raw },
        new(InputFormat.Postgres) { IsEscaped = true },
        new(InputFormat.Jsonl) { Extensions = [".jsonl", ".ndjson"], IsJson = true, HasPlaces = false, Newline = "\n" },
        new(InputFormat.Json) { IsJson = true, HasPlaces = false, Newline = "\n" },
        new(InputFormat.Keys) { HasPlaces = false },
        new(InputFormat.Objects) { IsText = false, HasHeader = true, Binary = BinaryForm.Raw },
    ];

    private static readonly Dictionary<InputFormat, FormatBehaviour> Rows = All.ToDictionary(one => one.Format);

    public static FormatBehaviour Behaviour(this InputFormat format) => Rows[format];

    public static bool IsCsv(this InputFormat format) => format.Behaviour().IsCsv;

    public static bool IsJson(this InputFormat format) => format.Behaviour().IsJson;

    public static bool IsEscaped(this InputFormat format) => format.Behaviour().IsEscaped;

    public static bool HasPlaces(this InputFormat format) => format.Behaviour().HasPlaces;

    public static string Word(this InputFormat format) => format.Behaviour().Word;

    /// <summary>Null: no format that a spec can name has this word.</summary>
    public static InputFormat? Find(string word) =>
        All.FirstOrDefault(one => one.Format is not (InputFormat.Auto or InputFormat.Keys or InputFormat.Objects) && one.Word == word)
            ?.Format;
}
