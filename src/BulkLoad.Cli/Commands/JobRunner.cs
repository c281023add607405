using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Commands;

/// <summary>Runs the job of every loading command once its request is known.</summary>
internal sealed class JobRunner(CommandContext context, OutputSettings output, CiSettings ci, string command, TypedCommand typed)
{
    /// <summary>Every plan refuses less memory, and the runtime could not say so.</summary>
    private const long MinHeap = 32 * 1024 * 1024;

    public async Task<ExitCode> RunAsync(LoadRequest request, bool asksPassword)
    {
        if (output.IsPlanOnly && request.Mode == JobMode.Preview)
        {
            throw new RequestException(
                $"{(output.PlanJson ? "--plan-json" : "--plan")} with --preview: a plan says how the work would be done, "
                + "and compares no record with a row; --preview does, and writes nothing either: leave one out");
        }

        using var frame = new CommandFrame(context, output, ci, ("--write-spec", output.WriteSpec));
        request = request with { Connection = context.WithPassword(request.Connection, asksPassword) };
        if (request.MaxMemory is >= MinHeap and { } most)
        {
            context.Host.LimitMemory(most);
        }

        if (output.IsPlanOnly)
        {
            return await frame.PlanAsync(context.Jobs(request, frame.Loggers, null).PlanAsync, PlanJson.Write,
                (to, plan) => PlanText.Write(to, plan, output.IsVerbose));
        }

        var report = await frame.RunAsync<LoadProgress, LoadReport>(
            command, request.Files, (progress, stop) => context.Jobs(request, frame.Loggers, progress).RunAsync(stop));
        KeepTable(report, request);
        return frame.Tell(EndingOf(report));
    }

    /// <summary>For completion.</summary>
    private void KeepTable(LoadReport report, LoadRequest request)
    {
        if (context.Host.KeepsTableNames && report is { Failure: null, Plan: { } plan })
        {
            var database = request.Connection.Database ?? "";
            var name = plan.Table.StartsWith($"{database}.", StringComparison.Ordinal) ? plan.Table[(database.Length + 1)..] : plan.Table;
            TableNameCache.Of(context.Host)?.Add(TableNameCache.PlaceOf(plan.Server, database), name);
        }
    }

    private Ending EndingOf(LoadReport report)
    {
        var code = ExitCodes.Of(report, context.Signals.StoppedBy);
        List<(string, Action<Stream>)> files = [("--report", to => ReportJson.Write(to, report, code, context.Typed))];
        if (report.Plan?.Sources[0].Spec is { } spec)
        {
            files.Add(("--write-spec", to => SpecJson.Write(to, spec)));
        }

        return new Ending(code)
        {
            Files = files,
            Ci = CiResult.Of(report, code, context.Typed),
            Failures = report.Failure is { } failure ? [failure] : [],
            Result = report switch
            {
                { Undo: { } undo } => to => UndoText.Write(to, report, undo),
                { Plan: not null, Failure: not DeclinedException } => to => ReportText.Write(to, report, output.IsVerbose, typed),
                { Plan: null, Outcome: LoadOutcome.Interrupted, State: not null } => to => ResultText.WriteStop(to, report, typed),
                _ => null,
            },

            // A reader of only this text must not take it for a load.
            Otherwise = report is { Outcome: LoadOutcome.AlreadyComplete, Headline: { } headline } ? to => to.WriteLine(headline) : null,
            State = report.Undo is { FormerTable: not null } back ? $"{back.Table} is as it was before job {back.Job}"
                : report.Undo is { } done ? $"{Amounts.Count(done.Reversed, "row")} reversed, and stay so"
                : report.Plan is { Mode: { JudgesOnly: true, Nothing: { } nothing } } ? nothing
                : $"{Amounts.Count(report.Counts.Inserted + report.Counts.Updated + report.Counts.Deleted, "record")} in "
                    + $"{Amounts.Count(report.Chunks, "chunk")} committed, and stay so",
        };
    }
}
