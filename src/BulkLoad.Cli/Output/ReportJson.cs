using System.Text.Json;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>A report for machines; docs/cli-json.md has the form.</summary>
internal static class ReportJson
{
    public const string Kind = "bulkload-report";

    /// <param name="typed">for the commands that help; null: they are not known</param>
    public static void Write(
        Stream to, LoadReport report, ExitCode exitCode, TypedCommand? typed = null) => JsonWords.Document(to, Kind, json =>
    {
        json.WriteString("outcome", Word(report.Outcome));
        json.WriteNumber("exitCode", (int)exitCode);
        Failure(json, report.Failure, typed);
        json.WriteStartObject("counts");
        json.WriteNumber("read", report.Counts.Read);
        json.WriteNumber("inserted", report.Counts.Inserted);
        json.WriteNumber("updated", report.Counts.Updated);
        json.WriteNumber("unchanged", report.Counts.Unchanged);
        json.WriteNumber("ignored", report.Counts.Ignored);
        json.WriteNumber("deleted", report.Counts.Deleted);
        json.WriteNumber("deletedRows", report.Counts.DeletedRows);
        json.WriteNumber("matchedRows", report.Counts.MatchedRows);
        json.WriteNumber("changedRows", report.Counts.ChangedRows);
        json.WriteNumber("superseded", report.Counts.Superseded);
        json.WriteNumber("notFound", report.Counts.NotFound);
        json.WriteNumber("accepted", report.Counts.Accepted);
        json.WriteNumber("undecided", report.Counts.Undecided);
        json.WriteNumber("verified", report.Counts.Verified);
        json.WriteNumber("rejected", report.Counts.Rejected);
        json.WriteNumber("notCommitted", report.Counts.NotCommitted);
        json.WriteEndObject();
        json.WriteNumber("chunks", report.Chunks);
        json.WriteNumber("batches", report.Batches);
        json.WriteNumber("narrowedBatches", report.NarrowedBatches);
        json.WriteString("job", report.Job);
        json.WriteNumber("earlierChunks", report.EarlierChunks);
        json.WriteNumber("retries", report.Retries);
        json.Objects("firstRetries", report.FirstRetries, retry =>
        {
            json.WriteString("fault", retry.Fault);
            json.WriteNumber("serverError", retry.ServerCode);
            json.Seconds("waitSeconds", retry.Wait.TotalSeconds);
        });
        json.Objects("waits", report.Waits, wait =>
        {
            json.WriteString("reason", wait.Reason);
            json.Seconds("seconds", wait.Time.TotalSeconds);
        });
        json.Objects("undecidedByReason", report.UndecidedByReason, undecided =>
        {
            json.WriteString("reason", undecided.Reason);
            json.WriteString("description", undecided.Description);
            json.WriteNumber("records", undecided.Records);
        });
        Preview(json, report.Preview);
        Rebuild(json, report.Rebuild);
        Verification(json, report.Verification);
        Counts(json, "rejectsByReason", report.RejectsByReason);
        Counts(json, "repairsByKind", report.RepairsByKind);
        json.Objects("rejects", report.FirstRejects, reject => IssueJson.WriteMembers(json, reject));
        json.WriteString("rejectFile", report.RejectFile);
        json.WriteNumber("rejectsNotCommitted", report.UncommittedRejects);
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
        json.Objects("sources", report.Sources, source =>
        {
            json.WriteString("name", source.Name);
            json.WriteNumber("records", source.Records);
            json.WriteNumber("bytes", source.Bytes);
        });
        json.Strings("notes", report.Notes);
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

    private static void Preview(Utf8JsonWriter json, PreviewReport? preview)
    {
        if (preview is null)
        {
            return;
        }

        json.WriteStartObject("preview");
        json.WriteNumber("insertedRows", preview.InsertedRows);
        json.WriteNumber("updatedRows", preview.UpdatedRows);
        json.WriteNumber("deletedRows", preview.DeletedRows);
        json.WriteNumber("refusedRows", preview.RefusedRows);
        json.Strings("notExact", preview.NotExact);
        json.Strings("key", preview.Key);
        json.Changes(preview.Changes);
        json.Strings("findings", preview.Findings);
        json.WriteString("file", preview.File);
        PreviewStop(json, preview.Stop);
        json.WriteEndObject();
    }

    /// <summary>Where it is not known which record it is, or what would be committed, there is null.</summary>
    private static void PreviewStop(Utf8JsonWriter json, PreviewStop? stop)
    {
        if (stop is null)
        {
            json.WriteNull("stop");
            return;
        }

        json.WriteStartObject("stop");
        json.WriteString("file", stop.Source);
        json.Number("line", stop.Line > 0 ? stop.Line : null);
        json.Number("record", stop.Record > 0 ? stop.Record : null);
        json.Number("committedRecords", stop.CommittedRecords);
        json.WriteString("stays", stop.Stays);
        json.WriteEndObject();
    }

    private static void Rebuild(Utf8JsonWriter json, RebuildReport? rebuild)
    {
        if (rebuild is null)
        {
            json.WriteNull("rebuild");
            return;
        }

        json.WriteStartObject("rebuild");
        json.Strings("indexes", rebuild.Indexes);
        json.Strings("missing", rebuild.Missing);
        json.Seconds("droppingSeconds", rebuild.Dropping.TotalSeconds);
        json.Seconds("addingSeconds", rebuild.Adding.TotalSeconds);
        json.WriteEndObject();
    }

    private static void Verification(Utf8JsonWriter json, VerificationReport? verification)
    {
        if (verification is null)
        {
            json.WriteNull("verification");
            return;
        }

        json.WriteStartObject("verification");
        json.WriteString("mode", VerifyModes.Of(verification.Mode));
        json.WriteString("result", Word(verification.Result));
        json.WriteNumber("rows", verification.Rows);
        json.WriteNumber("earlierRows", verification.EarlierRows);
        Counts(json, "differentByReason", verification.DifferentByReason);
        json.WriteNumber("undecidedRows", verification.UndecidedRows);
        json.WriteString("reason", verification.Reason);
        json.WriteEndObject();
    }

    private static string Word(VerifyResult result) => result switch
    {
        VerifyResult.Equal => "equal",
        VerifyResult.Partial => "partial",
        VerifyResult.Different => "different",
        _ => "unverifiable",
    };

    private static void Counts(Utf8JsonWriter json, string name, IReadOnlyDictionary<string, long> counts)
    {
        json.WriteStartObject(name);
        foreach (var (word, count) in counts)
        {
            json.WriteNumber(word, count);
        }

        json.WriteEndObject();
    }

    internal static string Word(LoadOutcome outcome) => outcome switch
    {
        LoadOutcome.Complete => "complete",
        LoadOutcome.AlreadyComplete => "already-complete",
        LoadOutcome.Interrupted => "interrupted",
        LoadOutcome.Stopped => "stopped",
        _ => "failed",
    };

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

    public static void Write(TextWriter to, LoadPlan plan) => JsonWords.Document(to, Kind, json => json.Plan(plan));
}
