using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>A table that is made from the file.</summary>
internal sealed class CreateArguments : ArgumentGroup
{
    private static readonly (string, NewTypes)[] Types = [("roomy", NewTypes.Roomy), ("exact", NewTypes.Exact)];

    private readonly Option<NewTypes?> _create;
    private readonly Option<string[]?> _primaryKey;
    private readonly Option<string?> _tempDir;

    public CreateArguments() : base("New table")
    {
        _create = Optional(
            "--create", "TYPES", "create the table first: each column gets a type that holds every value of the file, and larger ones to come; --create=exact: the narrowest; the file is read twice",
            text => OptionParsers.Choice(text, Types));
        _primaryKey = Object("--primary-key", "COLUMN,...", "the new table's key (default: none)", text => OptionParsers.Names(text));
        _tempDir = Text("--temp-dir", "FOLDER", "folder for sorting records, and where --create keeps what can be read only once, such as standard input (default: the system's folder for temporary files)");
    }

    public CreateWords Bind(ParseResult words) => new(words.GetResult(_create) is { Implicit: false }, words.GetValue(_create) == NewTypes.Exact, words.GetValue(_primaryKey) ?? [], words.GetValue(_tempDir));
}

/// <summary>The new table as typed.</summary>
internal sealed record CreateWords(bool Create, bool ExactTypes, IReadOnlyList<string> PrimaryKey, string? TempFolder);

/// <summary>The types of a new table's columns.</summary>
internal enum NewTypes
{
    /// <summary>They hold the file's values, and larger ones.</summary>
    Roomy,

    /// <summary>The narrowest.</summary>
    Exact,
}
