using System.CommandLine;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>The program itself: its commands, <c>--help</c> and <c>--version</c>.</summary>
internal sealed class BulkLoadCommand : RootCommand
{
    public const string ProgramName = "bulkload";

    private static readonly (string Word, Func<CommandContext, Command> Create)[] Commands =
    [
        (ImportCommand.Word, context => new ImportCommand(context)),
        (UpdateCommand.Word, context => new UpdateCommand(context)),
        (DeleteCommand.Word, context => new DeleteCommand(context)),
        (CheckCommand.Word, context => new CheckCommand(context)),
        (VerifyCommand.Word, context => new VerifyCommand(context)),
        (JobsCommand.Word, context => new JobsCommand(context)),
        (BenchCommand.Word, context => new BenchCommand(context)),
    ];

    /// <param name="context">what the commands work with</param>
    /// <param name="word">the first word of the command line; where it is a command's name, the others are not made, which would take longer than all the rest of the reading</param>
    public BulkLoadCommand(CommandContext context, string? word = null)
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
        var named = Array.FindAll(Commands, command => command.Word == word);
        foreach (var (_, create) in named.Length > 0 ? named : Commands)
        {
            Subcommands.Add(create(context));
        }

        SetAction(_ =>
        {
            HelpText.Write(context.Surroundings.Error, this);
            return (int)ExitCode.WrongRequest;
        });
    }
}
