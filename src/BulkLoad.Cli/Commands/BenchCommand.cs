using System.CommandLine;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload bench ...</c>: what this server does with one's rows.</summary>
internal sealed class BenchCommand : Command
{
    /// <summary>What calls it.</summary>
    public const string Word = "bench";

    public BenchCommand(CommandContext context)
        : base(Word, "Measures on your own server: calls, strategies, sizes, transactions, drivers; tunes imports; leaves nothing behind.")
    {
        Subcommands.Add(new CallsBenchCommand(context));
        Subcommands.Add(new StrategiesBenchCommand(context));
        Subcommands.Add(new SizesBenchCommand(context));
        Subcommands.Add(new OltpBenchCommand(context));
        Subcommands.Add(new DriversBenchCommand(context));
        Subcommands.Add(new TuneBenchCommand(context));
        SetAction(_ =>
        {
            Output.HelpText.Write(context.Surroundings.Error, this);
            return (int)ExitCode.WrongRequest;
        });
    }
}
