using System.Globalization;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Running;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Benching;

/// <summary>Every import strategy with the user's own files, into an empty copy of their table.</summary>
internal sealed class OwnFileBench(StrategiesRequest request, LoadRequest load) : IBench
{
    private const string Copy = BenchSql.Prefix + "copy";

    /// <summary>A table with its indexes takes about so much more than its text; a compressed file holds about so much more than it takes.</summary>
    private const int TableFactor = 3;
    private const int CompressionFactor = 10;

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        var files = InputPaths.Expand(load.Files);
        request.RequireRoom(files.Sum(EstimatedBytes), "the input");
        var name = TableName.Of(load, files[0]);
        var like = name.Database is { } database ? SqlName.Quote(database, name.Table) : SqlName.Quote(name.Table);
        await place.CopyAsync(Copy, like, cancellationToken);
        var own = load with { Table = Copy, Connection = place.Connection };
        runner.Note($"{Copy} has the columns and indexes of {name.Table}, but neither its foreign keys nor its triggers");

        runner.Tell("reading the input");
        var first = await StrategyCases.RunAsync(own, cancellationToken);
        var records = first.Counts.Inserted;
        if (records == 0)
        {
            throw new InputException("the input has no record that could be measured");
        }

        runner.Begin(new BenchSection
        {
            Name = "import",
            Title = string.Create(CultureInfo.InvariantCulture, $"import of {records:N0} records of {string.Join(", ", load.Files)} into a copy of {name.Table}"),
            Unit = "rows",
            SpeedUpOver = StrategyCases.RowByRow,
            RatioTo = StrategyCases.UnitOf(JobKind.Import),
        });
        await runner.MeasureAsync("", [StrategyCases.Singles(own, records, EmptyAsync), .. StrategyCases.Of(own, records, EmptyAsync, CheckAsync)], cancellationToken);

        Task EmptyAsync(CancellationToken token) => place.ExecuteAsync(BenchSql.Empty(Copy), token);

        async Task CheckAsync(CancellationToken token)
        {
            var count = (await place.QueryAsync(BenchSql.Count(Copy), token)).Scalar;
            if (count != records.ToString(CultureInfo.InvariantCulture))
            {
                throw new ReconciliationException($"{Copy} has {count} rows, and should have {records}");
            }
        }
    }

    private static long EstimatedBytes(string file) => File.Exists(file)
        ? new FileInfo(file).Length * TableFactor * (file.EndsWith(".gz", StringComparison.OrdinalIgnoreCase) ? CompressionFactor : 1)
        : 0;
}
