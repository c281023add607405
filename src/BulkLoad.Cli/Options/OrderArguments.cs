using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>In which order records go.</summary>
internal sealed class OrderArguments : ArgumentGroup
{
    private readonly Option<bool> _noSort;

    public OrderArguments()
        : base("Order") =>
            _noSort = Flag("--no-sort",
                "keep the file's order (default: a file that is not in primary key order is sorted first, if that pays and cannot change "
                    + "the result; --plan says whether, and why)");

    /// <summary>The request with what was typed.</summary>
    public LoadRequest Apply(LoadRequest request, ParseResult words) => request with { NoSort = words.GetValue(_noSort) };
}
