using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench drivers</c>.</summary>
internal sealed class DriversBenchCommand(CommandContext context) : MeasuringCommand<BatchRowsArguments>(
    Word, "Measure inserts, selects, updates and deletes through the driver core: row by row, and as a batch in a transaction.", context,
    new BenchArguments(rows: null))
{
    /// <summary>What calls it.</summary>
    public const string Word = "drivers";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench drivers -D test", "of 100, 1,000 and 10,000 rows"),
        ("bulkload bench drivers -D test --batch-rows 500 --html drivers.html", "of 500 rows, and as a page with charts"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words)
    {
        var request = new DriversRequest { Connection = connection };
        return request with { BatchRows = Own.Bind(words) ?? request.BatchRows };
    }
}
