using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>How many rows the batches of a bench have.</summary>
internal sealed class BatchRowsArguments : ArgumentGroup
{
    private readonly Option<long[]?> _rows;

    public BatchRowsArguments() : this("rows of a batch, each number measured (default: 100,1000,10000)")
    {
    }

    public BatchRowsArguments(string description)
        : base("Batches") => _rows = Object("--batch-rows", "LIST", description, OptionParsers.Sizes);

    /// <summary>Null: not typed.</summary>
    public IReadOnlyList<long>? Bind(ParseResult words) => TypedList(words, _rows);
}
