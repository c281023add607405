using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench calls</c>.</summary>
internal sealed class CallsBenchCommand(CommandContext context) : MeasuringCommand<CallsBenchCommand.CallsArguments>(
    Word, "Measure what one call costs: queries and executions, simple and prepared, of one row and many; blobs; opening a session.",
    context)
{
    /// <summary>What calls it.</summary>
    public const string Word = "calls";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench calls -D test", "calls a second, latency, and bytes allocated for each call"),
        ("bulkload bench calls -D test --calls 10k --repeat 11 --html calls.html", "longer, and as a page with charts"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words) =>
        Own.Apply(new CallsRequest { Connection = connection }, words);

    /// <summary>Its own options.</summary>
    internal sealed class CallsArguments : ArgumentGroup
    {
        private readonly Option<int?> _count;

        public CallsArguments()
            : base("Calls") =>
            _count = Value("--calls", "SIZE", "calls of one run where they are short; fewer where they are long (default: 2k)",
                text => OptionParsers.SmallSize(text) is > 0 and <= 1_000_000 and var count
                ? count
                : throw new FormatException($"'{text}' is not a number of calls from 1 to 1M"));

        public CallsRequest Apply(CallsRequest request, ParseResult words) =>
            request with { Calls = words.GetValue(_count) ?? request.Calls };
    }
}
