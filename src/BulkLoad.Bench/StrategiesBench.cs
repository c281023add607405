using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

internal sealed record StrategiesRequest : OwnFilesRequest
{
    /// <summary>Rows of the batches that every method sends; empty: methods are not measured.</summary>
    public IReadOnlyList<long> BatchRows { get; init; } = [100, 1_000, 10_000];

    public override string Bench => "strategies";

    public override void Validate()
    {
        base.Validate();

        RequestException.ThrowIf(BatchRows.Any(rows => rows is < 1 or > 100_000), "--batch-rows: batches have 1 to 100000 rows");
    }

    /// <summary>Without rows, only the batches are measured.</summary>
    private protected override long MinRows => Load is null && BatchRows.Count == 0 ? 1 : 0;

    /// <summary>Bytes of two tables and a file, or of a table with twice a batch. The user's file is checked later.</summary>
    internal override long EstimatedBytes =>
        Load is null ? Math.Max(Rows * 3, BatchRows.DefaultIfEmpty().Max() * 2) * UsersTable.EstimatedBytesPerRow : 0;

    internal override IBench Create() => Load is null ? new StrategiesBench(this) : new OwnFileBench(this, Load);
}

internal sealed class StrategiesBench(StrategiesRequest request) : IBench
{
    private const string Full = BenchSql.Prefix + "full";

    /// <summary>One row of this number is changed or deleted.</summary>
    private const int RowsPerChange = 10;

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        await place.CreateAsync(BatchSql.Users, BatchSql.Definition, cancellationToken);
        if (request.Rows > 0)
        {
            await RunJobsAsync(place, runner, cancellationToken);
        }

        if (request.BatchRows.Count > 0)
        {
            await new BatchMatrix(place, request.BatchRows).RunAsync(runner, cancellationToken);
        }
    }

    private async Task RunJobsAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        using var folder = new BenchFolder(request.TempFolder);
        runner.Report("writing files");
        await place.CreateAsync(Full, BatchSql.Definition, cancellationToken);
        var changed = request.Rows / RowsPerChange;
        var users = BatchUser.Range(1, request.Rows, 1, isChanged: false);
        var rows = folder.Write("rows.csv", BatchSql.UserColumns, users, user => user.Cells);
        await StrategyCases.RunAsync(Request(place, JobKind.Import, rows) with { Table = Full }, cancellationToken);

        Begin(runner, JobKind.Import, $"import of {Plural.Count(request.Rows, "row")}");
        var import = Request(place, JobKind.Import, rows);
        await runner.MeasureAsync(
            "",
            [
                StrategyCases.Singles(import, request.Rows, EmptyAsync),
                .. StrategyCases.Of(import, request.Rows, EmptyAsync, token => RequireRowsAsync(request.Rows, token)),
            ],
            cancellationToken);
        if (changed == 0)
        {
            return;
        }

        var changes = folder.Write(
            "changes.csv", BatchSql.StagedColumns, RowsToChange(isChanged: true), user => [user.Cells[0], user.Cells[1], user.Cells[4]]);
        Begin(runner, JobKind.Update, $"update of {Plural.Count(changed, "row")} of {Plural.Count(request.Rows, "row")} by id");

        // Counts rows found, not only rows changed: so every strategy can be measured.
        var update = Request(place, JobKind.Update, changes) with { Key = new KeyOptions { CountsMatched = true } };
        await runner.MeasureAsync(
            "", [.. StrategyCases.Of(update, changed, FillAsync, token => RequireRowsAsync(request.Rows, token))], cancellationToken);

        Begin(runner, JobKind.Delete, $"delete of {Plural.Count(changed, "row")} of {Plural.Count(request.Rows, "row")} by id");
        var keys = folder.Write("keys.csv", "id", RowsToChange(isChanged: false), user => [user.Cells[0]]);
        var delete = Request(place, JobKind.Delete, keys);
        await runner.MeasureAsync(
            "",
            [.. StrategyCases.Of(delete, changed, FillAsync, token => RequireRowsAsync(request.Rows - changed, token))],
            cancellationToken);

        IEnumerable<BatchUser> RowsToChange(bool isChanged) => BatchUser.Range(RowsPerChange, request.Rows, RowsPerChange, isChanged);

        Task RequireRowsAsync(long count, CancellationToken token) => place.RequireRowsAsync(BatchSql.Users, count, token);

        Task EmptyAsync(CancellationToken token) => place.ExecuteAsync(BenchSql.Empty(BatchSql.Users), token);

        async Task FillAsync(CancellationToken token)
        {
            await EmptyAsync(token);
            await place.ExecuteAsync(BenchSql.Fill(BatchSql.Users, Full), token);
        }
    }

    private static void Begin(BenchRunner runner, JobKind kind, string title) => runner.Begin(new BenchSection
    {
        Name = kind.ToString().ToLowerInvariant(),
        Title = title,
        Unit = "rows",
        SpeedUpOver = kind == JobKind.Import ? StrategyCases.RowByRow : null,
        RatioTo = StrategyCases.UnitOf(kind),
    });

    private static LoadRequest Request(BenchPlace place, JobKind kind, string file) =>
        new() { Kind = kind, Files = [file], Table = BatchSql.Users, Connection = place.Connection };

}

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
