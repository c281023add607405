using System.CommandLine;
using System.CommandLine.Invocation;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

internal sealed class BulkLoadCommand : Command
{
    private static readonly CommandEntry[] All =
    [
        ImportCommand.Entry, UpdateCommand.Entry, DeleteCommand.Entry, CheckCommand.Entry, VerifyCommand.Entry, SeedCommand.Entry,
        JobsCommand.Entry, UndoCommand.Entry, DoctorCommand.Entry, BenchCommand.Entry, CompletionCommand.Entry, HelpCommand.Entry,
    ];

    public BulkLoadCommand(CommandContext context)
        : base(ThisProgram.Name, "Bulk import, update and delete for MySQL and MariaDB. Every record is stored exactly, or reported.")
    {
        var (output, width) = (context.Output, context.Host.HelpWidth);
        Info("--help", "show this help", words => output.Print(to => HelpText.Write(to, words.CommandResult.Command, width())), "-?");
        Info("--help-all", "show all options",
            words => output.Print(to => HelpText.Write(to, words.CommandResult.Command, width(), isWhole: true)));
        Info("--version", "show the version", _ => output.Print(to => to.WriteLine(ThisProgram.Description)))
            .Recursive = false;
        CommandEntry.Add(this, context, depth: 0, All);
        SetAction(_ =>
        {
            StandardOutput.OfError(context.Host).Print(to => HelpText.Write(to, this, width()));
            return (int)ExitCode.WrongRequest;
        });
    }

    private Option<bool> Info(string name, string description, Action<ParseResult> print, params string[] aliases)
    {
        var option = new Option<bool>(name, aliases)
        {
            Arity = ArgumentArity.Zero,
            Description = description,
            Recursive = true,
            Action = new InfoAction(print),
        };
        Options.Add(option);
        return option;
    }
}

/// <summary>An option that prints something and stops, whatever else is wrong with the command line.</summary>
internal sealed class InfoAction(Action<ParseResult> print) : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override bool Terminating => true;

    public override int Invoke(ParseResult parseResult)
    {
        print(parseResult);
        return (int)ExitCode.Done;
    }
}
