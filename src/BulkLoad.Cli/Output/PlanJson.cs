using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>A plan for machines; docs/cli-json.md has the form.</summary>
internal static class PlanJson
{
    public const string Kind = "bulkload-plan";

    public static void Write(TextWriter to, LoadPlan plan) => JsonWords.Document(to, Kind, json => json.Plan(plan));
}
