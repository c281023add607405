using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench;

/// <summary>Inserts, selects, updates and deletes through the driver core: row by row, and as a batch in one transaction.</summary>
internal sealed record DriversRequest : BenchRequest
{
    private const long MaxRows = 100_000;

    public IReadOnlyList<long> BatchRows { get; init; } = [100, 1_000, 10_000];

    public override string Bench => "drivers";

    public override void Validate()
    {
        base.Validate();
        RequestException.ThrowIf(
            BatchRows.Count == 0 || BatchRows.Any(rows => rows is < 1 or > MaxRows),
            $"--batch-rows: batches have 1 to {MaxRows} rows");
    }

    internal override long EstimatedBytes => BatchRows.DefaultIfEmpty().Max() * 2 * UsersTable.EstimatedBytesPerRow;

    internal override IEnumerable<KeyValuePair<string, string>> Settings => [Setting("repeat", Repeats)];

    internal override IBench Create() => new DriversBench(this);
}

/// <summary>Measures each operation in both shapes. bench/BulkLoad.Benchmarks compares other drivers.</summary>
internal sealed class DriversBench(DriversRequest request) : IBench
{
    public const int IdsPerList = 1_000;

    private const string RowByRow = "row by row";
    private const string Batch = "batch in a transaction";

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        await place.CreateAsync(BatchSql.Users, BatchSql.Definition, cancellationToken);
        var session = await place.ConnectAsync(cancellationToken);
        runner.Begin(new BenchSection
        {
            Name = "drivers",
            Title = "the driver core, row by row and as a batch",
            Unit = "rows",
            SpeedUpOver = RowByRow,
        });
        foreach (var rows in request.BatchRows)
        {
            await MeasureAsync(BatchOperation.Insert, rows);
            await runner.MeasureAsync(Group("select", rows), [.. SelectCases(session, rows)], cancellationToken);
            await MeasureAsync(BatchOperation.Update, rows);
            await MeasureAsync(BatchOperation.Delete, rows);
        }

        Task MeasureAsync(BatchOperation operation, long rows)
        {
            return runner.MeasureAsync(
                Group(operation.ToString().ToLowerInvariant(), rows),
                [
                    Case(BatchMethods.Prepared with { Name = RowByRow }, isTransaction: false) with { IsUnit = true },
                    Case(BatchMethods.Pipelined with { Name = Batch }, isTransaction: true),
                ],
                cancellationToken);

            BenchCase Case(BatchMethod method, bool isTransaction) =>
                BatchMatrix.Case(method, session, session, operation, rows, isTransaction);
        }
    }

    private static string Group(string operation, long rows) => $"{operation} of {rows:N0}";

    /// <summary>Selects every second row of twice as many, as updates and deletes do.</summary>
    private static IEnumerable<BenchCase> SelectCases(ServerSession session, long rows)
    {
        long[] ids = [.. Enumerable.Range(1, (int)rows).Select(number => number * 2L)];
        yield return Case(RowByRow, isTransaction: false, token => ReadOneByOneAsync(session, ids, token)) with { IsUnit = true };
        yield return Case(Batch, isTransaction: true, token => ReadListsAsync(session, ids, token));

        BenchCase Case(string name, bool isTransaction, Func<CancellationToken, Task<long>> readAsync) => new()
        {
            Name = name,
            Amount = rows,
            PrepareAsync = async token =>
            {
                await session.ExecuteAsync(TransactionSql.RollBack, token);
                await session.ExecuteAsync(BenchSql.Autocommit(isOn: true), token);
                await new UsersTable(session).FillAsync(rows * 2, token);
                await session.ExecuteAsync(BenchSql.Autocommit(!isTransaction), token);
            },
            RunAsync = async token =>
            {
                var read = await readAsync(token);
                if (isTransaction)
                {
                    await session.ExecuteAsync(TransactionSql.Commit, token);
                }

                if (read != rows)
                {
                    throw new ReconciliationException($"{read} rows were read, and should have been {rows}");
                }
            },
            CheckAsync = async token => await session.ExecuteAsync(BenchSql.Autocommit(isOn: true), token),
        };
    }

    public static async Task<long> ReadOneByOneAsync(ServerSession session, IReadOnlyList<long> ids, CancellationToken cancellationToken)
    {
        var select = await session.PrepareAsync(CallSql.SelectOne, cancellationToken);
        var id = new BinaryParameters([ParameterType.Int64]);
        var read = 0L;
        foreach (var one in ids)
        {
            id.Reset();
            id.AddInt64(one);
            read += (await session.ReadAsync(select, id, cancellationToken)).Rows;
        }

        await session.CloseAsync(select, cancellationToken);
        return read;
    }

    public static async Task<long> ReadListsAsync(ServerSession session, IReadOnlyList<long> ids, CancellationToken cancellationToken)
    {
        var read = 0L;
        foreach (var list in ids.Chunk(IdsPerList))
        {
            read += (await session.QueryAsync(CallSql.SelectList(list), cancellationToken)).Rows.Count;
        }

        return read;
    }
}
