using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Cli;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Keys;

/// <summary>Keys and constraints of a table.</summary>
internal sealed record Restrictions
{
    public IReadOnlyList<UniqueKey> UniqueKeys { get; init; } = [];

    public IReadOnlyList<ForeignKey> ForeignKeys { get; init; } = [];

    public bool HasChecks { get; init; }

    public bool CanLackPartition { get; init; }

    public bool? HasRows { get; init; } = false;

    public TableConstraints Constraints =>
        new() { ForeignKeys = ForeignKeys, HasChecks = HasChecks, CanLackPartition = CanLackPartition, HasRows = HasRows };
}

/// <summary>How a check goes, and who hears of it.</summary>
/// <param name="WatchesKeys">false: always two passes</param>
internal sealed record CheckWay(
    bool WatchesKeys = true, IProgress<LoadProgress>? Progress = null, ILogger? Log = null, IRowReferences? References = null);

/// <summary>Whole checks, of inputs in memory, that send nothing.</summary>
internal static class Checks
{
    /// <summary>No key, no constraint, no row.</summary>
    public static readonly Restrictions Nothing = new();

    public static readonly LoadRequest Request = TestFacts.Request with { Mode = JobMode.Check, GoesOnBeyondMaxRejects = true };

    public static UniqueKey Key(string name, params string[] columns) => new(name, [.. columns.Select(column => new KeyPart(column))]);

    public static UniqueKey TextKey(int? prefix = null) => new("k", [new KeyPart("s", prefix)]);

    public static ForeignKey ForeignKey(params string[] columns) =>
        new("f", "shop", "people", columns, "shop", "other", columns, "RESTRICT");

    public static Restrictions With(params UniqueKey[] keys) => new() { UniqueKeys = keys };

    public static Task<LoadReport> RunAsync(
        TableColumn[] columns, Restrictions restrictions, string content, Func<LoadFacts, LoadFacts>? change = null,
        LoadRequest? request = null, int sortBytes = 1 << 20, CheckWay? way = null) =>
        RunAsync(columns, restrictions, [("people.csv", content)], change, request, sortBytes, way);

    public static async Task<LoadReport> RunAsync(
        TableColumn[] columns, Restrictions restrictions, (string Name, string Content)[] inputs, Func<LoadFacts, LoadFacts>? change = null,
        LoadRequest? request = null, int sortBytes = 1 << 20, CheckWay? way = null)
    {
        var asked = request ?? Request;
        var table = Columns.Table(columns) with { UniqueKeys = restrictions.UniqueKeys };
        var sources = new List<LoadSource>();
        foreach (var (name, content) in inputs)
        {
            asked = asked with { Source = new() { Format = content.StartsWith('{') ? InputFormat.Jsonl : InputFormat.Csv } };
            var spool = Spool.Of(new MemoryStream(Encoding.UTF8.GetBytes(content)), name, null, asked.TempFolder, CancellationToken.None);
            using var input = InputFile.Open(spool, asked.Source);
            var look = SourceProbe.Look(input, asked.Source);
            look = look.Format == InputFormat.Jsonl
                ? look with { FieldNames = JsonFields.Choose(look.FieldNames ?? [], table, asked) } : look;
            sources.Add(
                new LoadSource(look, ColumnMapping.Create(name, look.FieldNames, look.FieldCount, table, asked, null), null, spool));
        }

        var facts = TestFacts.Of(TestFacts.MariaDb, [.. sources[0].Mapping.Columns]) with
        { Request = asked, Table = table, Constraints = restrictions.Constraints };
        facts = change?.Invoke(facts) ?? facts;
        var plan = Samples.Plan with { Notes = PlanNotes.OfCheck(facts) };
        using var rejectFile = asked.RejectFile is null ? null : new RejectFile(asked);
        var run = new CheckRun(
            new PreparedJob(sources, facts, new LoadDecision(plan, new BatchSizes(3, 1 << 20, long.MaxValue, 50))),
            new JobServices(way?.Log ?? NullLogger.Instance, TimeProvider.System, way?.Progress),
            new RejectLog(asked.StoppingRejects, rejectFile), new RepairLog(rejectFile), sortBytes, way?.WatchesKeys ?? true)
        { References = way?.References };
        var session = new RecordingSession();
        BulkLoadException? failure = null;
        try
        {
            await run.RunAsync(session, CancellationToken.None);
        }
        catch (BulkLoadException fault)
        {
            failure = fault;
        }

        Xunit.Assert.Empty(session.Steps);
        sources.ForEach(source => source.Spool!.Dispose());
        return RunResult.Of(failure is null ? LoadOutcome.Complete : LoadOutcome.Failed, failure, facts.Request, plan, run, TimeSpan.Zero);
    }

    /// <summary>Whether the report says that the input was read twice.</summary>
    public static bool IsReadTwice(LoadReport report) => report.Notes.Any(note => note.Contains("reading the input twice"));

    /// <summary>Counts and rejects on one line.</summary>
    public static string Describe(LoadReport report) =>
        $"{report.Counts.Accepted} {report.Counts.Undecided} {report.Counts.Rejected}: "
            + $"{string.Join(" ", report.FirstRejects.Select(reject => $"{reject.Record}={reject.Code}"))}"
        + $"{string.Concat(report.UndecidedByReason.Select(undecided => $" {undecided.Reason}*{undecided.Records}"))}";
}
