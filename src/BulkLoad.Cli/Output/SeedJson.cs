using BulkLoad.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>A seed's plan and report for machines; docs/cli-json.md has the form.</summary>
internal static class SeedJson
{
    public const string PlanKind = "bulkload-seed-plan";

    public const string ReportKind = "bulkload-seed-report";

    public static void Write(TextWriter to, SeedPlan plan) => JsonOutput.Document(to, PlanKind, json =>
    {
        json.WriteString("folder", plan.Folder);
        json.WriteString("database", plan.Database);
        json.WriteString("mode", SeedModes.Of(plan.Mode));
        json.WriteBoolean("atomic", plan.Atomic);
        json.WriteNumber("schemaStatements", plan.SchemaStatements);
        json.Value("tables", plan.Tables);
        json.Value("notes", plan.Notes);
    });

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, SeedReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonOutput.Document(to, ReportKind, json =>
    {
        json.WriteString("outcome", JsonOutput.WordOf(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        ReportJson.Failure(json, report.Failure, typed);
        json.WriteString("failedTable", report.FailedTable);
        json.WriteBoolean("preview", report.IsPreview);
        json.WriteString("database", report.Plan?.Database);
        json.WriteString("mode", report.Plan is { } plan ? SeedModes.Of(plan.Mode) : null);
        json.Value("tables", report.Tables);
        json.Value("notes", report.Notes);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
    });
}

/// <summary>What a check of a folder has found, for machines; docs/cli-json.md has the form.</summary>
internal static class SeedCheckJson
{
    public const string ReportKind = "bulkload-seed-check";

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, SeedCheckReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonOutput.Document(to, ReportKind, json =>
    {
        json.WriteString("outcome", JsonOutput.WordOf(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        ReportJson.Failure(json, report.Failure, typed);
        json.WriteString("folder", report.Folder);
        json.WriteString("schema", report.Schema);
        json.WriteString("server", report.Server);
        json.Objects("tables", report.Tables, table =>
        {
            json.WriteString("table", table.Table);
            json.Value("files", table.Files);
            ReportJson.Failure(json, table.Failure, typed);
            json.WriteNumber("records", table.Records);
            json.WriteNumber("accepted", table.Accepted);
            json.WriteNumber("undecided", table.Undecided);
            json.WriteNumber("rejected", table.Rejected);
            json.Value("undecidedByReason", table.UndecidedByReason);
            json.Seconds("elapsedSeconds", table.Elapsed.TotalSeconds);
            json.Value("rejects", table.FirstRejects);
            json.Value("notes", table.Notes);
        });
        json.Value("notes", report.Notes);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
    });
}
