using System.CommandLine;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>The program itself: its commands, <c>--help</c> and <c>--version</c>.</summary>
internal sealed class BulkLoadCommand : RootCommand
{
    public const string ProgramName = "bulkload";

    public BulkLoadCommand(CommandContext context)
        : base("Loads files into MySQL and MariaDB tables: every record stands in the table exactly, or is told.")
    {
        Options.Clear();
        Directives.Clear();
        Options.Add(new Option<bool>("--help", "-?")
        {
            Description = "show this help",
            Recursive = true,
            Action = new InfoAction(words => context.Output.Print(to => HelpText.Write(to, words.CommandResult.Command))),
        });
        Options.Add(new Option<bool>("--version")
        {
            Description = "show the version",
            Action = new InfoAction(_ => context.Output.Print(to => to.WriteLine($"{ProgramName} {ProgramVersion.Text}"))),
        });
        Subcommands.Add(new ImportCommand(context));
        Subcommands.Add(new UpdateCommand(context));
        Subcommands.Add(new DeleteCommand(context));
        Subcommands.Add(new CheckCommand(context));
        Subcommands.Add(new JobsCommand(context));
        SetAction(_ =>
        {
            HelpText.Write(context.Surroundings.Error, this);
            return (int)ExitCode.WrongRequest;
        });
    }
}
