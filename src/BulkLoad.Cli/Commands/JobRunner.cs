using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core;
using BulkLoad.Core.Planning;

namespace BulkLoad.Cli.Commands;

/// <summary>What every loading command does once its request is known: open the outputs, run, report.</summary>
internal sealed class JobRunner(CommandContext context, OutputWords output)
{
    private Surroundings Surroundings => context.Surroundings;

    public async Task<ExitCode> RunAsync(LoadRequest request, bool asksPassword)
    {
        CheckOutputs(request);
        using var reportFile = output.Report is { } path ? ReportFile.Open(path, output.Overwrite) : null;
        using var logging = Logging.Open(output, context.Messages);
        var ready = asksPassword ? request with { Connection = request.Connection with { Password = AskPassword() } } : request;
        context.Signals.Listen();
        if (output.IsPlanOnly)
        {
            var plan = await context.Jobs(ready, logging.Loggers, null).PlanAsync(context.Signals.Token);
            PrintPlan(plan);
            return ExitCode.Done;
        }

        LoadReport report;
        using (var progress = ProgressLine.For(output.Progress, Surroundings, context.Messages))
        {
            report = await context.Jobs(ready, logging.Loggers, progress).RunAsync(context.Signals.Token);
        }

        return Tell(report, reportFile);
    }

    private ExitCode Tell(LoadReport report, ReportFile? reportFile)
    {
        var code = ExitCodes.Of(report, context.Signals.StoppedBy);
        var unwritten = reportFile is null ? null : Fault($"the report '{output.Report}'", () => reportFile.Write(report, code));
        if (report.Plan is not null && !(output.IsQuiet && code == ExitCode.Done))
        {
            unwritten ??= Fault("standard output", () =>
            {
                ReportText.Write(Surroundings.Output, report);
                Surroundings.Output.Flush();
            });
        }

        if (report.Failure is { } failure)
        {
            context.Messages.Error(failure.Message);
        }

        return unwritten is null ? code : throw new OutputException(
            $"{unwritten} ({Amounts.Count(report.Counts.Inserted, "record")} in {Amounts.Count(report.Chunks, "chunk")} committed, and stay so)",
            code is ExitCode.Done or ExitCode.DoneWithRejects ? ExitCode.Failed : code);
    }

    private void PrintPlan(LoadPlan plan)
    {
        if (output.PlanJson)
        {
            PlanJson.Write(Surroundings.Output, plan);
        }
        else
        {
            PlanText.Write(Surroundings.Output, plan);
        }
    }

    private string AskPassword() => Surroundings.AskPassword is { } ask
        ? ask()
        : throw new RequestException("there is no terminal to ask for the password on: use an option file, a login path or MYSQL_PWD");

    /// <summary>An input file that is named as an output too would be destroyed.</summary>
    private void CheckOutputs(LoadRequest request)
    {
        var taken = request.Files.Where(file => file != "-").Select(Path.GetFullPath).ToHashSet(StringComparer.Ordinal);
        foreach (var (option, path) in new[] { ("--report", output.Report), ("--log-file", output.LogFile) })
        {
            if (path is not null && !taken.Add(Path.GetFullPath(path)))
            {
                throw new RequestException($"{option}: '{path}' is another file of this command already");
            }
        }
    }

    private static string? Fault(string what, Action write)
    {
        try
        {
            write();
            return null;
        }
        catch (IOException fault)
        {
            return $"{what} cannot be written: {fault.Message}";
        }
    }
}
