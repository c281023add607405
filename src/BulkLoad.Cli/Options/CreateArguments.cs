using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>A table that is made from the file.</summary>
internal sealed class CreateArguments : ArgumentGroup
{
    private readonly Option<bool> _create;
    private readonly Option<string[]?> _primaryKey;
    private readonly Option<string?> _tempDir;

    public CreateArguments() : base("New table")
    {
        _create = Flag("--create", "create the table first: each column gets the narrowest type that holds every value of the file; the file is read twice");
        _primaryKey = Object("--primary-key", "COLUMN,...", "the new table's key (default: none)", text => OptionParsers.Names(text));
        _tempDir = Text("--temp-dir", "FOLDER", "folder for sorting records, and where --create keeps what can be read only once, such as standard input (default: the system's folder for temporary files)");
    }

    public CreateWords Bind(ParseResult words) => new(words.GetValue(_create), words.GetValue(_primaryKey) ?? [], words.GetValue(_tempDir));
}

/// <summary>The new table as typed.</summary>
internal sealed record CreateWords(bool Create, IReadOnlyList<string> PrimaryKey, string? TempFolder);
