using System.CommandLine;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>The program itself: its commands, <c>--help</c> and <c>--version</c>.</summary>
internal sealed class BulkLoadCommand : Command
{
    public const string ProgramName = "bulkload";

    private static readonly (string Word, Func<CommandContext, Command> Create)[] All =
    [
        (ImportCommand.Word, context => new ImportCommand(context)),
        (UpdateCommand.Word, context => new UpdateCommand(context)),
        (DeleteCommand.Word, context => new DeleteCommand(context)),
        (CheckCommand.Word, context => new CheckCommand(context)),
        (VerifyCommand.Word, context => new VerifyCommand(context)),
        (SeedCommand.Word, context => new SeedCommand(context)),
        (JobsCommand.Word, context => new JobsCommand(context)),
        (DoctorCommand.Word, context => new DoctorCommand(context)),
        (BenchCommand.Word, context => new BenchCommand(context)),
        (CompletionCommand.Word, context => new CompletionCommand(context)),
        (HelpCommand.Word, context => new HelpCommand(context, all => new BulkLoadCommand(all))),
    ];

    public BulkLoadCommand(CommandContext context)
        : base(ProgramName, "Bulk import, update and delete for MySQL and MariaDB. Every record is stored exactly, or reported.")
    {
        Options.Add(new Option<bool>("--help", "-?")
        {
            Description = "show this help",
            Recursive = true,
            Action = new InfoAction(
                words => context.Output.Print(to => HelpText.Write(to, words.CommandResult.Command, context.Surroundings.HelpWidth()))),
        });
        Options.Add(new Option<bool>("--help-all")
        {
            Description = "show all options",
            Recursive = true,
            Action = new InfoAction(words => context.Output.Print(
                to => HelpText.Write(to, words.CommandResult.Command, context.Surroundings.HelpWidth(), isWhole: true))),
        });
        Options.Add(new Option<bool>("--version")
        {
            Description = "show the version",
            Action = new InfoAction(_ => context.Output.Print(to => to.WriteLine($"{ProgramName} {ProgramVersion.Text}"))),
        });
        NamedCommands.Add(this, context, depth: 0, All);
        SetAction(_ =>
        {
            StandardOutput.OfError(context.Surroundings).Print(to => HelpText.Write(to, this, context.Surroundings.HelpWidth()));
            return (int)ExitCode.WrongRequest;
        });
    }
}
