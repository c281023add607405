using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Completion;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Cli;

/// <summary>From words to an exit code: parse, invoke, say what went wrong.</summary>
internal static class BulkLoadApp
{
    // Response files are off (a column may be called @skip), and CommandLineWords has undone bundles already.
    internal static readonly ParserConfiguration AsWritten = new() { EnablePosixBundling = false, ResponseFileTokenReplacer = null };

    private const string PasswordApart =
        "the word after -p or --password is not a file; if it is the password, attach it: -pPASSWORD, --password=PASSWORD (-p alone asks "
            + "for it)";

    public static async Task<int> RunAsync(IReadOnlyList<string> args, HostEnvironment surroundings, JobFactory jobs)
    {
        surroundings = surroundings with { Shown = new ShownText(surroundings.Variable, args) };
        var messages = new Messages(surroundings);
        using var signals = new StopSignals(messages, code => Environment.Exit((int)code));
        var context = new CommandContext(surroundings, jobs, messages, signals) { Words = args };
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

    /// <summary>Answers a shell. The words are not parsed as a command line: they are not complete, and any of them may be a
    /// password.</summary>
    private static int Complete(CommandContext context, string[] typed)
    {
        // Help is about all commands.
        var root = new BulkLoadCommand(context with { Words = typed is [HelpCommand.Word, ..] ? [] : typed });
        var answer = new Completer(root, context.Surroundings.Files, TableNameCache.Of(context.Surroundings)).Find(typed);
        context.Output.PrintJson(answer.Write);
        return (int)ExitCode.Done;
    }

    private static async Task<int> InvokeAsync(BulkLoadCommand root, IReadOnlyList<string> args, CommandContext context)
    {
        var messages = context.Messages;
        var words = CommandLineWords.Read(root, args);
        var parsed = root.Parse(words.Ordered, AsWritten);
        var errors = words.BehindPassword.All(word => IsMeant(word, words, context.Surroundings))
            ? words.Errors.Count > 0 ? [.. words.Errors] : parsed.Errors.Select(error => error.Message).ToList()
            : [PasswordApart];
        if (errors.Count > 0 && parsed.Action is not InfoAction)
        {
            errors.ForEach(messages.Error);
            messages.Line($"try '{string.Join(' ', words.CommandPath)} --help'");
            return (int)ExitCode.WrongRequest;
        }

        if (parsed.Action is not InfoAction && parsed.CommandResult.Command is JobCommand command)
        {
            context.Remember(TypedCommand.Of(command, parsed, words.Files, words.CommandPath));
        }

        return await parsed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
    }

    /// <summary>Whether a word behind a lone <c>-p</c> is an input or what a command knows. Anything else may be a password, which no
    /// message may show.</summary>
    private static bool IsMeant(string word, CommandLineWords words, HostEnvironment surroundings) =>
        word == InputPaths.StandardInput || surroundings.Files.Exists(word) || InputPaths.IsPatternThatFits(word)
            || (words.CommandPath is [_, JobsCommand.Word] && JobsCommand.Verbs.Contains(word));
}

/// <summary>Makes a job of a request.</summary>
internal delegate JobSteps JobFactory(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress);

/// <summary>The two things a command asks of a job; a test puts its own here.</summary>
internal sealed record JobSteps(Func<CancellationToken, Task<LoadPlan>> PlanAsync, Func<CancellationToken, Task<LoadReport>> RunAsync)
{
    public static JobSteps OfCore(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress)
    {
        var job = new LoadJob(request, loggers, progress);
        return new JobSteps(job.PlanAsync, job.RunAsync);
    }
}
