using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>What becomes of the table's indexes.</summary>
internal sealed class IndexArguments : ArgumentGroup
{
    private readonly Option<bool> _rebuild;

    public IndexArguments()
        : base("Indexes") =>
            _rebuild = Flag("--rebuild-indexes",
                "drop secondary indexes before the load and rebuild them afterwards; other connections cannot use them meanwhile (--plan "
                    + "says which, and what to know)");

    /// <summary>The request with what was typed.</summary>
    public LoadRequest Apply(LoadRequest request, ParseResult words) => request with { RebuildIndexes = words.GetValue(_rebuild) };
}
