using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Completion;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Input;

namespace BulkLoad.Cli.App;

internal static class BulkLoadApp
{
    private const string PasswordApart =
        "the word after -p or --password is not a file; if it is the password, attach it: -pPASSWORD, --password=PASSWORD (-p alone asks "
            + "for it)";

    public static async Task<int> RunAsync(IReadOnlyList<string> args, HostEnvironment host, JobFactory jobs)
    {
        host = host with { Shown = new ShownText(host.Variable, args) };
        var messages = new Messages(host);
        using var signals = new StopSignals(messages.Line, code => Environment.Exit((int)code));
        var context = new CommandContext(host, jobs, messages, signals) { Words = args };
        try
        {
            if (args is [Completer.Word, "--", ..])
            {
                return Complete(context, [.. args.Skip(2)]);
            }

            var root = new BulkLoadCommand(context);
            return await InvokeAsync(root, args, context);
        }
        catch (BulkLoadException failure)
        {
            context.Report(failure);
            return (int)ExitCodes.Of(failure);
        }
        catch (OutputException lost)
        {
            messages.Error(lost.Message);
            return (int)lost.ExitCode;
        }
        catch (OperationCanceledException) when (signals.Token.IsCancellationRequested)
        {
            return (int)signals.StoppedBy;
        }
#pragma warning disable CA1031 // The last stop: whatever else arrives here is a bug, and its stack is needed to fix it.
        catch (Exception bug)
#pragma warning restore CA1031
        {
            messages.Error($"internal error, please report it: {bug}");
            return (int)ExitCode.Failed;
        }
    }

    /// <summary>Answers a shell. The words are not parsed as a command line: they are incomplete, and any of them may be a
    /// password.</summary>
    private static int Complete(CommandContext context, string[] typed)
    {
        // Help is about all commands.
        var root = new BulkLoadCommand(context with { Words = typed is [HelpCommand.Word, ..] ? [] : typed });
        var answer = new Completer(root, context.Host.Files, TableNameCache.Of(context.Host)).Find(typed);
        context.Output.PrintJson(answer.Write);
        return (int)ExitCode.Done;
    }

    private static async Task<int> InvokeAsync(BulkLoadCommand root, IReadOnlyList<string> args, CommandContext context)
    {
        var messages = context.Messages;
        var line = new CommandLine(root, args);
        if (line.Parsed.Action is not InfoAction)
        {
            var errors = line.AfterPassword.All(word => IsMeant(word, line.Command, context.Host)) ? line.Errors : [PasswordApart];
            if (errors.Count > 0)
            {
                errors.ToList().ForEach(messages.Error);
                messages.Line($"try '{line.Command.Path()} --help'");
                return (int)ExitCode.WrongRequest;
            }

            if (line.Command is JobCommand command)
            {
                context.Remember(TypedCommand.Of(command.Groups, line.Parsed, line.Files, command.Path()));
            }
        }

        return await line.Parsed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
    }

    /// <summary>Whether a word behind a lone <c>-p</c> is an input or a word of a command. Anything else may be a password, which no
    /// message may show.</summary>
    private static bool IsMeant(string word, Command command, HostEnvironment host) =>
        word == InputPaths.StandardInput || host.Files.Exists(word) || InputPaths.IsPatternThatFits(word)
            || (command is JobsCommand && JobsCommand.Verbs.Contains(word));
}
