using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>What of a database is written into a folder.</summary>
internal sealed class SeedInitArguments : ArgumentGroup
{
    private readonly Option<string[]?> _only;
    private readonly Option<bool> _force;

    public SeedInitArguments()
        : base("Folder")
    {
        _only = Object(
            "--only", "TABLE,...", "write these tables and views only (default: all but the ledger)", text => OptionParsers.Names(text));
        _force = Flag("--force", "write into a folder that is not empty: files of the same names are replaced, others stay");
    }

    public (IReadOnlyList<string> Only, bool Force) Bind(ParseResult words) => (words.GetValue(_only) ?? [], words.GetValue(_force));
}
