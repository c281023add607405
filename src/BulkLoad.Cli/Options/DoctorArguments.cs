using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>What is looked at, and for whom.</summary>
internal sealed class DoctorArguments : ArgumentGroup
{
    private readonly Option<string?> _table;
    private readonly Option<bool> _json;

    public DoctorArguments() : base("What to look at")
    {
        _table = Text("--table", "NAME",
            "also look at this table or database.table, and plan an import, an update and a delete of all of its columns");
        _json = Flag("--json", "print JSON, for machines; see docs/cli-json.md");
    }

    public (string? Table, bool IsJson) Bind(ParseResult words) => (words.GetValue(_table), words.GetValue(_json));
}
