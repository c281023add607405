using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Sending;

/// <summary>Whole runs over inputs in memory.</summary>
internal static class Runs
{
    public static readonly ILoadStrategy LoadData = StrategyCatalog.Import.Single(strategy => strategy.Name == "load-data");
    public static readonly BatchSizes TwoRowsAChunk = new(1, 1 << 20, 2, long.MaxValue);
    public static readonly BatchSizes TwoRowsABatch = new(2, 1 << 20, long.MaxValue, long.MaxValue);

    /// <summary>A file of so many people, from 1 on.</summary>
    public static string People(int count) => "id,name\n" + string.Concat(Enumerable.Range(1, count).Select(i => $"{i},n{i}\n"));

    /// <summary>What a run that is done has come to.</summary>
    public static LoadCounts Counts(LoadRun run) =>
        run.Complete(new LoadReport
        { Outcome = LoadOutcome.Complete, Counts = new() { Read = run.Read.Records, Rejected = run.Rejects.Count } }).Counts;

    /// <summary>A run of a job without files of rejects.</summary>
    public static LoadRun Of(
        PreparedJob job, IProgress<LoadProgress>? progress = null, TimeProvider? time = null,
        Func<CancellationToken, Task<IServerSession>>? connect = null, JobLedger? ledger = null)
    {
        var services = new JobServices(NullLogger.Instance, time ?? TimeProvider.System, progress);
        return new LoadRun(new LoadWork(job, services, new JobConnections(job.Request, services.Time, connect),
            new RejectLog(job.Request.MaxRejects, file: null), new RepairLog(file: null))
        { Ledger = ledger });
    }

    public static LoadRun Create(
        ILoadStrategy strategy,
        BatchSizes sizes,
        IReadOnlyList<(string Name, string Content)> inputs,
        TableColumn[]? columns = null,
        LoadRequest? request = null,
        ServerFacts? server = null,
        IProgress<LoadProgress>? progress = null,
        TimeProvider? time = null,
        IReadOnlyList<UniqueKey>? keys = null,
        Func<CancellationToken, Task<IServerSession>>? connect = null,
        JobLedger? ledger = null,
        SessionPlan? sessions = null,
        SortPlan? sort = null)
    {
        var asked = request ?? TestFacts.Request;
        var table = Columns.Table(columns ?? [Columns.Integer("id").Required(), Columns.Varchar("name")]) with { UniqueKeys = keys ?? [] };
        var sources = new List<LoadSource>();
        foreach (var (name, content) in inputs)
        {
            var options = asked.Source with { Format = content.StartsWith('{') ? InputFormat.Jsonl : InputFormat.Csv };
            asked = asked with { Source = options };
            var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(content)), name, options);
            var look = SourceProbe.Look(input, options);
            if (look.Format == InputFormat.Jsonl)
            {
                look = look with { FieldNames = JsonFields.Choose(look.FieldNames ?? [], table, asked) };
            }

            var mapping = ColumnMapping.Create(name, look.FieldNames, look.FieldCount, table, asked, null);
            sources.Add(
                new LoadSource(look, sources.Count == 0 ? mapping : mapping.InOrderOf(sources[0].Mapping, name, inputs[0].Name), input));
        }

        var facts = TestFacts.Of(server ?? TestFacts.MariaDb, [.. sources[0].Mapping.Columns]) with { Table = table, Request = asked };
        facts = facts with { Verify = VerifyRules.Of(facts), MaxVerifiedKeys = 1000 };
        var decision = Planned.By(strategy, sizes, facts) with { Sessions = sessions ?? SessionPlan.One(""), Sort = sort ?? SortPlan.None };
        return Of(new PreparedJob(sources, facts, decision), progress, time, connect, ledger);
    }

    public static LoadRun Create(ILoadStrategy strategy, BatchSizes sizes, string content, TableColumn[]? columns = null,
        LoadRequest? request = null, ServerFacts? server = null) =>
            Create(strategy, sizes, [("people.csv", content)], columns, request, server);

    /// <summary>Runs the sending side alone.</summary>
    public static async Task RunAsync(IServerSession session, IBatchSender sender, IReadOnlyList<LoadSource> sources, LoadRequest request,
        bool isAtomic, ReplayQueue feed, CancellationToken stop)
    {
        var results = new ChunkResults(
            sources, new RejectLog(request.MaxRejects, file: null), new RepairLog(file: null), new CommittedState(), new RowLimit(request),
            NullLogger.Instance);
        var rules = new ChunkRules(results, isAtomic, IsRolledBack: false, Undoes: true, Throttle: null);
        var worker = new Worker(
            new ReadySession(session, TestFacts.MariaDb), _ => new SessionSenders(sender, sender), new LedgerEntry(null));
        worker.Start(results);
        var pool = new WorkerPool(worker, _ => throw new NotSupportedException(), _ => throw new NotSupportedException());
        await using var scheduler = new ChunkScheduler(
            pool, rules, isAlone: true, new WorkerCountTuner(1, 1, TimeProvider.System), new RecordOrder([], []), NullLogger.Instance);
        await new ChunkLoader(rules, NullLogger.Instance).RunAsync(scheduler, feed, stop, CancellationToken.None);
    }
}
