using System.CommandLine;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload seed ...</c>.</summary>
internal sealed class SeedCommand : Command
{
    /// <summary>What calls it.</summary>
    public const string Word = "seed";

    private static readonly (string Word, Func<CommandContext, Command> Create)[] All =
    [
        (SeedResetCommand.Word, context => new SeedResetCommand(context)),
    ];

    public SeedCommand(CommandContext context)
        : base(Word, "Put the tables of a test database back as they were seeded.")
    {
        NamedCommands.Add(this, context, depth: 1, All);
        SetAction(_ =>
        {
            Output.HelpText.Write(context.Surroundings.Error, this);
            return (int)ExitCode.WrongRequest;
        });
    }
}
