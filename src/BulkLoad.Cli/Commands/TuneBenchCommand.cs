using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench tune [FILE...]</c>.</summary>
internal sealed class TuneBenchCommand : MeasuringCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "tune";

    private readonly OwnFileArguments _own;

    public TuneBenchCommand(CommandContext context) : this(context, new OwnFileArguments())
    {
    }

    private TuneBenchCommand(CommandContext context, OwnFileArguments own)
        : base(
            Word,
            "Measure the best strategy, batch sizes and sessions for imports on this server; write a profile for import --profile.",
            context,
            new BenchArguments(defaultRows: "200k"),
            new BenchOutputArguments(writesProfile: true),
            [.. own.Groups])
    {
        _own = own;
        Arguments.Add(own.Files);
    }

    /// <inheritdoc/>
    public override string Words => "[FILE...]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload bench tune -D test --profile server.json", "measures with the bench's own table"),
        ("bulkload bench tune people.csv --table people -D shop --profile server.json", "with your file and a copy of your table"),
        ("bulkload import people.csv -D shop --profile server.json --plan", "what an import makes of it"),
    ];

    protected override BenchRequest Bind(ConnectionOptions connection, ParseResult words) =>
        new TuneRequest { Connection = connection, Rows = TuneRequest.UsualRows, Load = _own.Bind(connection, words) };
}
