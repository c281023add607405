using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench sizes</c>.</summary>
internal sealed class SizesBenchCommand(CommandContext context) : MeasuringCommand<SizesBenchCommand.SizesArguments>(
    Word, "Measure how many rows and bytes per statement are best, also over longer routes to the server.", context)
{
    /// <summary>What calls it.</summary>
    public const string Word = "sizes";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench sizes -D test", "INSERTs and LOAD DATA by rows and bytes a statement"),
        ("bulkload bench sizes -D test --latency 0.1,1,10,50ms --html sizes.html", "also over longer routes, with curves"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words) =>
        Own.Apply(new SizesRequest { Connection = connection }, words);

    /// <summary>Its own options.</summary>
    internal sealed class SizesArguments : ArgumentGroup
    {
        private readonly Option<long[]?> _rows;
        private readonly Option<long[]?> _bytes;
        private readonly Option<TimeSpan[]?> _latencies;

        public SizesArguments() : base("Sizes")
        {
            _rows = Object("--statement-rows", "LIST", "rows per statement (default: 1,10,40,100,1000,5000,10000); empty for none",
                OptionParsers.Sizes);
            _bytes = Object("--statement-bytes", "LIST", "bytes per statement (default: 16Ki,64Ki,256Ki,1Mi,4Mi,16Mi); empty for none",
                OptionParsers.Sizes);
            _latencies = Object("--latency", "LIST",
                "also measure rows per statement over longer routes: milliseconds that a relay in this program adds to a round trip, such "
                    + "as 0.1,1,10,50ms",
                OptionParsers.Latencies);
        }

        public SizesRequest Apply(SizesRequest request, ParseResult words) => request with
        {
            StatementRows = TypedList(words, _rows) ?? request.StatementRows,
            StatementBytes = TypedList(words, _bytes) ?? request.StatementBytes,
            Latencies = TypedList(words, _latencies) ?? request.Latencies,
        };
    }
}
