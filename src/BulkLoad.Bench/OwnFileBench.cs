using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Every import strategy with the user's files, into an empty copy of their table.</summary>
internal sealed class OwnFileBench(StrategiesRequest request, LoadRequest load) : IBench
{
    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        var copy = await OwnCopy.MakeAsync(request, load, place, runner, cancellationToken);
        runner.Begin(new BenchSection
        {
            Name = "import",
            Title = $"import of {copy.Title}",
            Unit = "rows",
            SpeedUpOver = StrategyCases.RowByRow,
            RatioTo = StrategyCases.UnitOf(JobKind.Import),
        });
        await runner.MeasureAsync(
            "",
            [
                StrategyCases.Singles(copy.Load, copy.Records, copy.EmptyAsync),
                .. StrategyCases.Of(copy.Load, copy.Records, copy.EmptyAsync, copy.CheckAsync),
            ],
            cancellationToken);
    }
}
