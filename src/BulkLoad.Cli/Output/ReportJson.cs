using System.Text.Json;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>A report for machines; docs/cli-json.md has the form.</summary>
internal static class ReportJson
{
    public const string Kind = "bulkload-report";

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, LoadReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonOutput.Document(to, Kind, json =>
    {
        json.WriteString("outcome", JsonOutput.WordOf(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        Failure(json, report.Failure, typed);
        json.Value("counts", report.Counts);
        json.WriteNumber("chunks", report.Chunks);
        json.WriteNumber("batches", report.Batches);
        json.WriteNumber("narrowedBatches", report.NarrowedBatches);
        json.WriteString("job", report.Job);
        json.WriteNumber("earlierChunks", report.EarlierChunks);
        json.WriteNumber("retries", report.Retries);
        json.Value("firstRetries", report.FirstRetries);
        json.Value("waits", report.Waits);
        if (report.Replicas is { } replicas)
        {
            json.Value("replicas", replicas);
        }

        json.Value("undecidedByReason", report.UndecidedByReason);
        if (report.Preview is { } preview)
        {
            json.Value("preview", preview);
        }

        json.Value("rebuild", report.Rebuild);
        json.Value("refresh", report.Refresh);
        json.Value("undo", report.Undo);
        json.Value("verification", report.Verification);
        json.Value("rejectsByReason", report.RejectsByReason);
        json.Value("repairsByKind", report.RepairsByKind);
        json.Value("rejects", report.FirstRejects);
        json.WriteString("rejectFile", report.RejectFile);
        json.WriteNumber("rejectsNotCommitted", report.UncommittedRejects);
        json.WriteString("idsFile", report.IdsFile);
        json.Number("idsInFile", report.IdsInFile);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
        json.Value("sources", report.Sources);
        json.Value("notes", report.Notes);
        if (report.Plan is { } plan)
        {
            json.WriteStartObject("plan");
            json.Plan(plan);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNull("plan");
        }
    });

    internal static void Failure(Utf8JsonWriter json, BulkLoadException? failure, TypedCommand? typed = null)
    {
        if (failure is null)
        {
            json.WriteNull("failure");
            return;
        }

        json.WriteStartObject("failure");
        json.WriteString("kind", Word(failure));
        json.WriteString("message", failure.Message);
        if (failure is ServerException { Code: > 0 } server)
        {
            json.WriteNumber("serverError", server.Code);
            json.WriteString("sqlState", server.SqlState);
        }

        json.WriteString("state", failure.State);
        json.WaysOn(failure.WaysOn, typed);
        json.WriteEndObject();
    }

    private static string Word(BulkLoadException failure) => failure switch
    {
        RequestException => "request",
        InputException => "input",
        MappingException => "mapping",
        PlanException => "plan",
        ConnectException => "connect",
        RejectLimitException => "reject-limit",
        ReconciliationException => "reconciliation",
        RejectFileException => "reject-file",
        TempFileException => "temp-file",
        MemoryException => "memory",
        StoppedException => "stopped",
        ServerException => "server",
        _ => "other",
    };
}

/// <summary>A plan for machines; docs/cli-json.md has the form.</summary>
internal static class PlanJson
{
    public const string Kind = "bulkload-plan";

    public static void Write(TextWriter to, LoadPlan plan) => JsonOutput.Document(to, Kind, json => json.Plan(plan));
}
