using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Ci;

/// <param name="Name">of the files</param>
/// <param name="Rejects">the first ones</param>
/// <param name="Rejected">the number of all</param>
/// <param name="Failure">null: it did not fail</param>
/// <param name="IsSkipped">whether it was not its turn</param>
internal sealed record CiCase(
    string Name, string Table, IReadOnlyList<Reject> Rejects, long Rejected, string? Failure, bool IsSkipped, TimeSpan Elapsed)
{
    public long Inserted { get; init; }

    public long Updated { get; init; }

    public long Unchanged { get; init; }

    public long Deleted { get; init; }
}

/// <param name="Command">import, check, seed, ...</param>
/// <param name="Failure">null: it did not fail</param>
internal sealed record CiResult(string Command, ExitCode ExitCode, string? Failure, IReadOnlyList<CiCase> Cases, TimeSpan Elapsed)
{
    /// <summary>What is in the table now, and what to type, a line each.</summary>
    public IReadOnlyList<string> Advice { get; private init; } = [];

    public static CiResult Of(LoadReport report, ExitCode code, TypedCommand? typed = null)
    {
        var files = Plural.Names([.. report.Sources.Count > 0
            ? report.Sources.Select(source => source.Name)
            : report.Plan?.Sources.Select(source => source.Name) ?? []]);
        var failure = report.Failure?.Message ?? (report.IsBeyondMaxRejects ? "records would be refused" : null);
        var command = report.Plan?.Command ?? (report.Undo is null ? "bulkload" : "undo");
        var table = report.Plan?.Table ?? report.Undo?.Table ?? "";
        return new CiResult($"{command}{(report.Plan?.Mode == JobMode.Preview ? " --preview" : "")}", code, report.Failure?.Message,
        [
            new CiCase(
                files, table, report.FirstRejects, report.Counts.Rejected, failure, IsSkipped: false, report.Elapsed)
            {
                Inserted = report.Counts.Inserted + report.Counts.Accepted,
                Updated = report.Counts.Updated,
                Unchanged = report.Counts.Unchanged,
                Deleted = report.Counts.Deleted,
            },
        ], report.Elapsed)
        {
            Advice = AdviceOf(report.Failure, typed),
        };
    }

    public static CiResult Of(SeedReport report, ExitCode code, TypedCommand? typed = null) => new(
        "seed", code, report.Failure?.Message,
        [.. report.Tables.Select(table => new CiCase(
            string.Join(", ", table.Files.Select(file => Path.Combine(report.Plan?.Folder ?? "", file))), table.Table, table.FirstRejects,
            table.Rejected,
            FailureOf(table, report),
            table.Outcome is SeedOutcome.NotStarted or SeedOutcome.Undone && table.Rejected == 0, table.Elapsed)
        {
            Inserted = table.Inserted,
            Updated = table.Updated,
            Unchanged = table.Unchanged,
            Deleted = table.Deleted,
        })], report.Elapsed)
    {
        Advice = AdviceOf(report.Failure, typed),
    };

    public static CiResult Of(SeedCheckReport report, ExitCode code, TypedCommand? typed = null) => new(
        "check", code, report.Failure?.Message,
        [.. report.Tables.Select(table => new CiCase(
            string.Join(", ", table.Files.Select(file => Path.Combine(report.Folder, file))), table.Table, table.FirstRejects,
            table.Rejected,
            table.Failure?.Message ?? (table.IsBeyondMaxRejects ? "records would be refused" : null), IsSkipped: false, table.Elapsed)
        {
            Inserted = table.Accepted,
        })], report.Elapsed)
    {
        Advice = AdviceOf(report.Failure, typed),
    };

    /// <summary>Why a table's files are not in it; null: they are, or were not begun. The failure of the seed is that of one
    /// table.</summary>
    private static string? FailureOf(SeedTableReport table, SeedReport report) => table switch
    {
        { Outcome: SeedOutcome.Failed, FirstRejects: [] } => report.Failure?.Message ?? "it was stopped",
        { Outcome: SeedOutcome.Failed or SeedOutcome.NotStarted or SeedOutcome.Undone, FirstRejects: [var first, ..] } => first.Describe(),
        _ => null,
    };

    private static IReadOnlyList<string> AdviceOf(BulkLoadException? failure, TypedCommand? typed) =>
        failure is null ? [] : [.. ErrorText.Lines(failure, typed)];
}
