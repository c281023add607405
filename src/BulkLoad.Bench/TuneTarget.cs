using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <summary>The import that a bench tunes.</summary>
internal sealed record TuneTarget(
    LoadRequest Load, long Records, string Title, Func<CancellationToken, Task> Empty, Func<CancellationToken, Task> Check)
{
    public const string Batches = "batches";

    public static TuneTarget Of(OwnCopy copy) => new(copy.Load, copy.Records, copy.Title, copy.EmptyAsync, copy.CheckAsync);

    /// <summary>Generated rows into the bench's table.</summary>
    public static TuneTarget Of(BenchPlace place, string table, string file, long rows) => new(
        new LoadRequest { Files = [file], Table = table, Connection = place.Connection },
        rows,
        $"{rows:N0} rows into the bench's own table",
        token => place.ExecuteAsync(BenchSql.Empty(table), token),
        token => place.RequireRowsAsync(table, rows, token));

    /// <summary><paramref name="accept"/> throws if a run was not as it should be.</summary>
    public BenchCase Case(string name, double? x, LoadRequest load, Action<LoadReport>? accept = null)
    {
        var batches = 0L;
        return new BenchCase
        {
            Name = name,
            X = x,
            Amount = Records,
            PrepareAsync = Empty,
            RunAsync = async token =>
            {
                var report = await StrategyCases.RunAsync(load, token);
                batches = report.Batches;
                accept?.Invoke(report);
            },
            CheckAsync = Check,
            Values = () => [new(Batches, batches)],
        };
    }
}
