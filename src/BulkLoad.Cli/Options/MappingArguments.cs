using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>Which field goes to which column, and what stands for NULL.</summary>
internal sealed class MappingArguments : ArgumentGroup
{
    private readonly Option<string[]?> _columns;
    private readonly Option<KeyValuePair<string, string>[][]> _map;
    private readonly Option<string[]> _nullValues;

    public MappingArguments()
        : base("Mapping and values")
    {
        _columns = Object(
            "--columns",
            "NAME,...",
            "the column of each field in order; @name passes a field over (default: by the header's names)",
            text => Shapes.Names(text));
        _map = Several("--map", "FIELD=COLUMN,...", "a field whose name is not its column's; repeatable", Shapes.Pairs);
        _nullValues = Several(
            "--null-value",
            "TEXT",
            "unquoted text that means NULL, beside the empty field and \\N; repeatable",
            NullValue);
    }

    public MappingWords Bind(ParseResult words) => new(
        words.GetResult(_columns) is null ? null : words.GetValue(_columns),
        [.. (words.GetValue(_map) ?? []).SelectMany(pairs => pairs)],
        words.GetValue(_nullValues) ?? []);

    // COLUMN=TEXT gets a meaning of its own in a later version: taking it as plain text now would change under the user.
    private static string NullValue(string text) => text.IndexOf('=', StringComparison.Ordinal) > 0
        ? throw new FormatException($"'{text}': a text for one column only is not supported yet")
        : text;
}

/// <summary>The mapping as typed.</summary>
internal sealed record MappingWords(
    IReadOnlyList<string>? Columns,
    IReadOnlyList<KeyValuePair<string, string>> Map,
    IReadOnlyList<string> NullValues);
