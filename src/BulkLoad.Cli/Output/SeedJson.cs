using BulkLoad.Core.Rejects;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>A seed's plan and report for machines; docs/cli-json.md has the form.</summary>
internal static class SeedJson
{
    public const string PlanKind = "bulkload-seed-plan";

    public const string ReportKind = "bulkload-seed-report";

    public static void Write(TextWriter to, SeedPlan plan) => JsonWords.Document(to, PlanKind, json =>
    {
        json.WriteString("folder", plan.Folder);
        json.WriteString("database", plan.Database);
        json.WriteString("mode", SeedModes.Of(plan.Mode));
        json.WriteBoolean("atomic", plan.Atomic);
        json.WriteNumber("schemaStatements", plan.SchemaStatements);
        json.Objects("tables", plan.Tables, table =>
        {
            json.WriteString("table", table.Table);
            json.Strings("files", table.Files);
            json.Strings("after", table.After);
            json.WriteBoolean("known", table.IsKnown);
            json.Number("rows", table.Rows);
            json.Strings("notes", table.Notes);
        });
        json.Strings("notes", plan.Notes);
    });

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, SeedReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonWords.Document(to, ReportKind, json =>
    {
        json.WriteString("outcome", ReportJson.Word(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        ReportJson.Failure(json, report.Failure, typed);
        json.WriteString("failedTable", report.FailedTable);
        json.WriteBoolean("preview", report.IsPreview);
        json.WriteString("database", report.Plan?.Database);
        json.WriteString("mode", report.Plan is { } plan ? SeedModes.Of(plan.Mode) : null);
        json.Objects("tables", report.Tables, table =>
        {
            json.WriteString("table", table.Table);
            json.Strings("files", table.Files);
            json.WriteString("outcome", Word(table.Outcome));
            json.WriteNumber("inserted", table.Inserted);
            json.WriteNumber("updated", table.Updated);
            json.WriteNumber("unchanged", table.Unchanged);
            json.WriteNumber("deleted", table.Deleted);
            json.WriteNumber("rejected", table.Rejected);
            json.Seconds("elapsedSeconds", table.Elapsed.TotalSeconds);
            json.Objects("rejects", table.FirstRejects, reject => IssueJson.WriteMembers(json, reject));
            json.Changes(table.Changes);
            json.Strings("notes", table.Notes);
        });
        json.Strings("notes", report.Notes);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
    });

    private static string Word(SeedOutcome outcome) => outcome switch
    {
        SeedOutcome.NotStarted => "not-started",
        SeedOutcome.Loaded => "loaded",
        SeedOutcome.Known => "known",
        SeedOutcome.LoadedBefore => "loaded-before",
        SeedOutcome.Failed => "failed",
        _ => "undone",
    };
}

/// <summary>What a check of a folder has found, for machines; docs/cli-json.md has the form.</summary>
internal static class SeedCheckJson
{
    public const string ReportKind = "bulkload-seed-check";

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, SeedCheckReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonWords.Document(to, ReportKind, json =>
    {
        json.WriteString("outcome", ReportJson.Word(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        ReportJson.Failure(json, report.Failure, typed);
        json.WriteString("folder", report.Folder);
        json.WriteString("schema", report.Schema);
        json.WriteString("server", report.Server);
        json.Objects("tables", report.Tables, table =>
        {
            json.WriteString("table", table.Table);
            json.Strings("files", table.Files);
            ReportJson.Failure(json, table.Failure, typed);
            json.WriteNumber("records", table.Records);
            json.WriteNumber("accepted", table.Accepted);
            json.WriteNumber("undecided", table.Undecided);
            json.WriteNumber("rejected", table.Rejected);
            json.Objects("undecidedByReason", table.UndecidedByReason, count =>
            {
                json.WriteString("reason", count.Reason);
                json.WriteString("description", count.Description);
                json.WriteNumber("records", count.Records);
            });
            json.Seconds("elapsedSeconds", table.Elapsed.TotalSeconds);
            json.Objects("rejects", table.FirstRejects, reject => IssueJson.WriteMembers(json, reject));
            json.Strings("notes", table.Notes);
        });
        json.Strings("notes", report.Notes);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
    });
}
