using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench strategies [FILE...]</c>.</summary>
internal sealed class StrategiesBenchCommand : MeasuringCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "strategies";

    private readonly BatchRowsArguments _batches;
    private readonly OwnFileArguments _own;

    public StrategiesBenchCommand(CommandContext context)
        : this(context, new BatchRowsArguments("sizes of the batches that every method sends (default: 100,1000,10000); empty for none"),
            new OwnFileArguments())
    {
    }

    private StrategiesBenchCommand(CommandContext context, BatchRowsArguments batches, OwnFileArguments own)
        : base(Word, "Measure every strategy of the catalogue, and every method to send a batch; or every import strategy with your own "
            + "files.", context, [batches, .. own.Groups])
    {
        (_batches, _own) = (batches, own);
        Arguments.Add(own.Files);
    }

    /// <inheritdoc/>
    public override string Words => "[FILE...]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench strategies -D test", "import, update and delete by every strategy, batches by every method"),
        ("bulkload bench strategies people.csv --table people -D shop", "your file, into a copy of your table that is dropped at the end"),
        ("bulkload bench strategies -D test --rows 1M --batch-rows '' --html strategies.html", "strategies alone, with a million rows"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words)
    {
        var request = new StrategiesRequest { Connection = connection, Load = _own.Bind(connection, words) };
        return request with { BatchRows = _batches.Bind(words) ?? request.BatchRows };
    }
}
