using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>A table, or columns, made from the file.</summary>
internal sealed class CreateArguments : ArgumentGroup
{
    private static readonly (string, NewTypes)[] Types = [("roomy", NewTypes.Roomy), ("exact", NewTypes.Exact)];

    private readonly Option<NewTypes?> _create;
    private readonly Option<string[]?> _primaryKey;
    private readonly Option<ColumnType[]> _types;
    private readonly Option<bool> _addColumns;
    private readonly Option<string?> _tempDir;

    public CreateArguments() : base("New table and columns")
    {
        _create = Optional(
            "--create", "TYPES",
            "create the table first: each column gets a type that holds every value of the file, and larger ones to come; --create=exact: "
                + "the narrowest; the file is read twice",
            text => OptionParsers.Choice(text, Types));
        _primaryKey = Object("--primary-key", "COLUMN,...", "the new table's key (default: none)", text => OptionParsers.Names(text));
        _types = Several(
            "--type",
            "COLUMN=TYPE",
            "a new column's type in place of the inferred one, such as price=DECIMAL(12,4); "
            + "behind it can stand NULL, NOT NULL, UNSIGNED, CHARACTER SET, COLLATE and DEFAULT with a value; repeatable",
            Type);
        _addColumns = Flag(
            "--add-columns",
            "add a column to the table for each field that has none: NULL is allowed, the type is as with --create; the file is read "
                + "twice");
        _tempDir = Text(
            "--temp-dir",
            "FOLDER",
            "folder for sorting records, and where --create and --add-columns keep what can be read only once, "
            + "such as standard input (default: the system's folder for temporary files)");
    }

    public CreateWords Bind(ParseResult words) => new(
        words.GetResult(_create) is { Implicit: false },
        words.GetValue(_create) == NewTypes.Exact,
        words.GetValue(_primaryKey) ?? [],
        words.GetValue(_tempDir),
        words.GetValue(_types) ?? [], words.GetValue(_addColumns));

    private static ColumnType Type(string text) => text.IndexOf('=', StringComparison.Ordinal) is > 0 and var at
        && text[..at].Trim() is { Length: > 0 } column && text[(at + 1)..].Trim() is { Length: > 0 } type
        ? new ColumnType(column, type)
        : throw new FormatException($"'{text}' is not COLUMN=TYPE, such as price=DECIMAL(12,4)");
}

/// <summary>The new table or columns as typed.</summary>
internal sealed record CreateWords(
    bool Create, bool ExactTypes, IReadOnlyList<string> PrimaryKey, string? TempFolder, IReadOnlyList<ColumnType> Types, bool AddColumns);

/// <summary>The types of a new table's columns.</summary>
internal enum NewTypes
{
    /// <summary>They hold the file's values, and larger ones.</summary>
    Roomy,

    /// <summary>The narrowest.</summary>
    Exact,
}
