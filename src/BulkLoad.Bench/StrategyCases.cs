using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Bench;

/// <summary>Whole jobs with each strategy of their kind: connecting and looking at the table count.</summary>
internal static class StrategyCases
{
    /// <summary>The strategy that others are compared with.</summary>
    private const string ImportUnit = "load-data";

    private const string ChangeUnit = "staged-join";

    /// <summary>The general strategy, with one row a batch.</summary>
    private const string RowByRowStrategy = "multi-row-insert";

    private const long RowsPerChunkOfSingles = 1_000;

    private static readonly TimeSpan LongestRowByRow = TimeSpan.FromSeconds(2);

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

    /// <summary>An import with a statement a row. It stops after two seconds; the rest is extrapolated.</summary>
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
                    Throttle = new ThrottleOptions { RunTime = LongestRowByRow },
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
