using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Completion;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Commands;

/// <summary>What every loading command does once its request is known: open the outputs, run, report.</summary>
internal sealed class JobRunner(CommandContext context, OutputWords output, CiWords ci, string command, TypedCommand typed)
{
    /// <summary>Less than this is refused by every plan, and the runtime could not say so.</summary>
    private const long LeastHeap = 32 * 1024 * 1024;

    private HostEnvironment Host => context.Host;

    public async Task<ExitCode> RunAsync(LoadRequest request, bool asksPassword)
    {
        if (output.IsPlanOnly && request.Mode == JobMode.Preview)
        {
            throw new RequestException(
                $"{(output.PlanJson ? "--plan-json" : "--plan")} with --preview: a plan says how the work would be done, "
                + "and compares no record with a row; --preview does, and writes nothing either: leave one out");
        }

        using var reportFile = JsonFile.Open("--report", output.Report, output.Overwrite);
        using var specFile = JsonFile.Open("--write-spec", output.WriteSpec, output.Overwrite);
        using var outputs = CiOutputs.Open(ci, output.Overwrite, context.Host, context.Output);
        using var logging = Logging.Open(output, context.Messages);
        var ready = request with { Connection = context.WithPassword(request.Connection, asksPassword) };
        context.Signals.Listen();
        if (ready.MaxMemory is >= LeastHeap and { } most)
        {
            Host.LimitMemory(most);
        }

        if (output.IsPlanOnly)
        {
            var plan = await context.Jobs(ready, logging.Loggers, null).PlanAsync(context.Signals.Token);
            PrintPlan(plan);
            return ExitCode.Done;
        }

        outputs.Events?.Start(command, request.Files);
        LoadReport report;
        using (var progress = ProgressLine.For(output, Host, context.Messages, request.Files))
        {
            report = await context.Jobs(ready, logging.Loggers, outputs.WithEvents(progress)).RunAsync(context.Signals.Token);
        }

        KeepTable(report, ready);
        return Tell(report, reportFile, specFile, outputs, logging);
    }

    /// <summary>For completion.</summary>
    private void KeepTable(LoadReport report, LoadRequest request)
    {
        if (Host.KeepsTableNames && report is { Failure: null, Plan: { } plan })
        {
            var database = request.Connection.Database ?? "";
            var name = plan.Table.StartsWith($"{database}.", StringComparison.Ordinal) ? plan.Table[(database.Length + 1)..] : plan.Table;
            TableNameCache.Of(Host)?.Add(TableNameCache.PlaceOf(plan.Server, database), name);
        }
    }

    private ExitCode Tell(LoadReport report, JsonFile? reportFile, JsonFile? specFile, CiOutputs outputs, Logging logging)
    {
        var code = ExitCodes.Of(report, context.Signals.StoppedBy);
        List<string> unwritten = logging.Fault is { } fault ? [fault] : [];
        if (reportFile is not null)
        {
            Try(() => reportFile.Write(to => ReportJson.Write(to, report, code, context.Typed)), unwritten);
        }

        if (specFile is not null && report.Plan?.Sources[0].Spec is { } spec)
        {
            Try(() => specFile.Write(to => SpecJson.Write(to, spec)), unwritten);
        }

        Try(() => outputs.End(CiResult.Of(report, code, context.Typed)), unwritten);
        if (report.Failure is { } failure)
        {
            context.Report(failure, output.IsVerbose);
        }

        if (report.Plan is not null && report.Failure is not DeclinedException && !(output.IsQuiet && code == ExitCode.Done))
        {
            Try(() => outputs.Report.PrintResult(to => ReportText.Write(to, report, output.IsVerbose, typed), code), unwritten);
        }
        else if (report is { Plan: null, Outcome: LoadOutcome.Interrupted, State: not null })
        {
            Try(() => outputs.Report.PrintResult(to => ResultText.WriteStop(to, report, typed), code), unwritten);
        }
        else if (report is { Outcome: LoadOutcome.AlreadyComplete, Headline: { } headline })
        {
            // Who reads nothing else must not take it for a load.
            Try(() => outputs.Report.Print(to => to.WriteLine(headline)), unwritten);
        }

        return unwritten.Count == 0 ? code : throw new OutputException(
            $"{string.Join("; ", unwritten)} ({Committed(report)})",
            code is ExitCode.Done or ExitCode.DoneWithRejects ? ExitCode.Failed : code);
    }

    private static string Committed(LoadReport report) => report.Plan is { Mode.JudgesOnly: true }
        ? "a check leaves the table as it was"
        : $"{Amounts.Count(report.Counts.Inserted + report.Counts.Updated + report.Counts.Deleted, "record")} in "
            + $"{Amounts.Count(report.Chunks, "chunk")} committed, and stay so";

    private void PrintPlan(LoadPlan plan)
    {
        if (output.PlanJson)
        {
            context.Output.PrintJson(to => PlanJson.Write(to, plan));
        }
        else
        {
            context.Output.Print(to => PlanText.Write(to, plan, output.IsVerbose));
        }
    }

    private static void Try(Action write, List<string> unwritten)
    {
        try
        {
            write();
        }
        catch (OutputException fault)
        {
            unwritten.Add(fault.Message);
        }
    }
}
