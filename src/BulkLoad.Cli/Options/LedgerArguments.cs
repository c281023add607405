using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>Where the ledger is.</summary>
internal sealed class LedgerArguments : ArgumentGroup
{
    private readonly Option<string?> _schema;

    public LedgerArguments()
        : base("Ledger") => _schema = Text("--ledger-schema", "NAME", "the schema that has bulkload_ledger (default: --database)");

    public string? Bind(ParseResult words) => words.GetValue(_schema);
}
