using System.CommandLine;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench ...</c>: what this server does with one's rows.</summary>
internal sealed class BenchCommand : Command
{
    /// <summary>What calls it.</summary>
    public const string Word = "bench";

    private static readonly (string Word, Func<CommandContext, Command> Create)[] All =
    [
        (CallsBenchCommand.Word, context => new CallsBenchCommand(context)),
        (StrategiesBenchCommand.Word, context => new StrategiesBenchCommand(context)),
        (SizesBenchCommand.Word, context => new SizesBenchCommand(context)),
        (OltpBenchCommand.Word, context => new OltpBenchCommand(context)),
        (DriversBenchCommand.Word, context => new DriversBenchCommand(context)),
        (TuneBenchCommand.Word, context => new TuneBenchCommand(context)),
    ];

    public BenchCommand(CommandContext context)
        : base(Word, "Measure calls, strategies, sizes, transactions and drivers on your own server; tune imports. Nothing is left behind.")
    {
        NamedCommands.Add(this, context, depth: 1, All);
        SetAction(_ =>
        {
            Output.HelpText.Write(context.Surroundings.Error, this, context.Surroundings.HelpWidth());
            return (int)ExitCode.WrongRequest;
        });
    }
}
