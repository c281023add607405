using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Bench;

/// <summary>Whole jobs with each strategy of their kind. Connecting and asking about the table are part of the time.</summary>
internal static class StrategyCases
{
    private const string ImportUnit = "load-data";

    private const string ChangeUnit = "staged-join";

    /// <summary>The general strategy; here it sends one row per batch.</summary>
    private const string RowByRowStrategy = "multi-row-insert";

    private const long RowsPerChunkOfSingles = 1_000;

    private static readonly TimeSpan MaxRowByRowTime = TimeSpan.FromSeconds(2);

    public const string RowByRow = "row by row";

    public static string UnitOf(JobKind kind) => kind == JobKind.Import ? ImportUnit : ChangeUnit;

    public static IEnumerable<BenchCase> Of(
        LoadRequest request, long records, Func<CancellationToken, Task> prepareAsync, Func<CancellationToken, Task> checkAsync) =>
        StrategyCatalog.Of(request.Kind).Select(strategy => new BenchCase
        {
            Name = strategy.Name,
            Amount = records,
            IsRatioUnit = strategy.Name == UnitOf(request.Kind),
            PrepareAsync = prepareAsync,
            RunAsync = token => RunAsync(request with { Strategy = strategy.Name }, token),
            CheckAsync = checkAsync,
        });

    /// <summary>An import with one statement per row. It stops after two seconds; the time of the rest is estimated from that.</summary>
    public static BenchCase Singles(LoadRequest request, long records, Func<CancellationToken, Task> prepareAsync)
    {
        var each = TimeSpan.Zero;
        return new BenchCase
        {
            Name = RowByRow,
            Amount = records,
            IsUnit = true,
            PrepareAsync = prepareAsync,
            RunAsync = async token =>
            {
                var single = request with
                {
                    Strategy = RowByRowStrategy,
                    RowsPerBatch = 1,
                    RowsPerChunk = RowsPerChunkOfSingles,
                    Throttle = new ThrottleOptions { RunTime = MaxRowByRowTime },
                };
                var report = await RunAsync(single, token);
                each = report.Elapsed / Math.Max(1, report.Counts.Inserted);
            },
            Time = () => each * records,
        };
    }

    public static async Task<LoadReport> RunAsync(LoadRequest request, CancellationToken cancellationToken)
    {
        var report = await new LoadJob(request with { NoLedger = true }, NullLoggerFactory.Instance).RunAsync(cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();
        return report.Failure is null or StoppedException ? report : throw report.Failure;
    }
}

/// <summary>An empty copy of the user's table, and the job that imports their files into it.</summary>
internal sealed class OwnCopy
{
    private const string Copy = BenchSql.Prefix + "copy";

    /// <summary>A table with indexes is about 3 times as large as its text, text about 10 times as large as its compressed file.</summary>
    private const int TableFactor = 3;
    private const int CompressionFactor = 10;

    private readonly BenchPlace _place;

    private OwnCopy(BenchPlace place, LoadRequest load, long records, string title) =>
        (_place, Load, Records, Title) = (place, load, records, title);

    public LoadRequest Load { get; }

    public long Records { get; }

    public string Title { get; }

    public static async Task<OwnCopy> MakeAsync(
        BenchRequest request, LoadRequest load, BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        var files = InputPaths.Expand(load.Files);
        request.RequireRoom(files.Sum(EstimatedBytes), "the input");
        var name = TableName.Of(load, files[0]);
        var like = name.Database is { } database ? SqlName.Quote(database, name.Table) : SqlName.Quote(name.Table);
        await place.CopyAsync(Copy, like, cancellationToken);
        var own = load with { Table = Copy, Connection = place.Connection };
        runner.Note($"{Copy} has the columns and indexes of {name.Table}, but neither its foreign keys nor its triggers");

        runner.Report("reading the input");
        var records = (await StrategyCases.RunAsync(own, cancellationToken)).Counts.Inserted;
        return records > 0
            ? new OwnCopy(place, own, records, $"{records:N0} records of {string.Join(", ", load.Files)} into a copy of {name.Table}")
            : throw new InputException("the input has no record that could be measured");
    }

    public Task EmptyAsync(CancellationToken cancellationToken) => _place.ExecuteAsync(BenchSql.Empty(Copy), cancellationToken);

    public Task CheckAsync(CancellationToken cancellationToken) => _place.RequireRowsAsync(Copy, Records, cancellationToken);

    private static long EstimatedBytes(string file) => File.Exists(file)
        ? new FileInfo(file).Length * TableFactor * (file.EndsWith(".gz", StringComparison.OrdinalIgnoreCase) ? CompressionFactor : 1)
        : 0;
}
