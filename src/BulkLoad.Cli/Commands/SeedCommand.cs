using System.CommandLine;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload seed ...</c>: a database from a folder, and back.</summary>
internal sealed class SeedCommand : Command
{
    /// <summary>What calls it.</summary>
    public const string Word = "seed";

    private static readonly (string Word, Func<CommandContext, Command> Create)[] All =
    [
        (SeedInitCommand.Word, context => new SeedInitCommand(context)),
    ];

    public SeedCommand(CommandContext context)
        : base(Word, "Write a folder of seed files from a database.")
    {
        NamedCommands.Add(this, context, depth: 1, All);
        SetAction(_ =>
        {
            Output.HelpText.Write(context.Surroundings.Error, this);
            return (int)ExitCode.WrongRequest;
        });
    }
}
