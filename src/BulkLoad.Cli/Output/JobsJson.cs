using System.Text.Json;
using BulkLoad.Core.Jobs;

namespace BulkLoad.Cli.Output;

/// <summary>What the ledger knows, for machines.</summary>
internal static class JobsJson
{
    private const string ListKind = "bulkload-jobs";
    private const string JobKind = "bulkload-job";

    public static void Write(TextWriter to, JobPage page) => JsonOutput.Document(to, ListKind, json =>
    {
        json.WriteNumber("count", page.Count);
        json.Objects("jobs", page.Jobs, job => Members(json, job));
    });

    /// <param name="count">chunks that there are</param>
    public static void Write(TextWriter to, JobSummary job, IReadOnlyList<JobChunk> chunks, long count) =>
        JsonOutput.Document(to, JobKind, json =>
        {
            json.WriteStartObject("job");
            Members(json, job);
            json.Value("undo", job.Undo);
            json.WriteEndObject();
            json.WriteNumber("chunkCount", count);
            json.Value("chunks", chunks);
        });

    private static void Members(Utf8JsonWriter json, JobSummary job)
    {
        json.WriteString("id", job.Id);
        json.WriteString("state", JobsText.State(job));
        json.WriteString("command", job.Command);
        json.WriteString("table", job.Table);
        json.Value("files", job.Sources);
        json.WriteNumber("fileCount", job.SourceCount);
        json.Number("bytes", job.Written?.Bytes);
        json.WriteString("fileChanged", Time(job.Written?.Changed));
        json.WriteNumber("taken", job.Taken);
        json.WriteNumber("rejected", job.Rejected);
        json.WriteNumber("chunks", job.Chunks);
        json.WriteString("changed", job.Changed.Replace(' ', 'T') + "Z");
        json.WriteString("completed", Time(job.Completed));
        json.WriteString("runner", job.Runner);
        json.WriteString("sortedBy", job.SortedBy);
        json.Value("droppedIndexes", job.DroppedIndexes);
        json.WriteString("rejectFile", job.RejectFile);
        json.WriteString("formerTable", job.Kept?.DisplayName);
    }

    private static string? Time(DateTime? utc) => utc?.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
}
