using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>The table.</summary>
internal sealed class TargetArguments : ArgumentGroup
{
    private readonly Option<string?> _table;

    public TargetArguments()
        : base("Table") =>
        _table = Text("--table", "NAME", "table or database.table (default: the first file's base name, as with mysqlimport)");

    /// <summary>Null: not typed.</summary>
    public string? Bind(ParseResult words) => words.GetValue(_table);
}
