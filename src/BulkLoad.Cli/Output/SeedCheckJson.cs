using BulkLoad.Core.Rejects;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>What a check of a folder has found, for machines; docs/cli-json.md has the form.</summary>
internal static class SeedCheckJson
{
    public const string ReportKind = "bulkload-seed-check";

    public static void Write(Stream to, SeedCheckReport report, ExitCode exitCode) => JsonWords.Document(to, ReportKind, json =>
    {
        json.WriteString("outcome", ReportJson.Word(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        ReportJson.Failure(json, report.Failure);
        json.WriteString("folder", report.Folder);
        json.WriteString("schema", report.Schema);
        json.WriteString("server", report.Server);
        json.Objects("tables", report.Tables, table =>
        {
            json.WriteString("table", table.Table);
            json.Strings("files", table.Files);
            ReportJson.Failure(json, table.Failure);
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
