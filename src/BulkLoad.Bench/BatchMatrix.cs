using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench;

/// <summary>Every method with every operation and size, in autocommit and in one transaction. Checks the table after each run.</summary>
internal sealed class BatchMatrix(BenchPlace place, IReadOnlyList<long> batchRows)
{
    public async Task RunAsync(BenchRunner runner, CancellationToken cancellationToken)
    {
        var session = await place.ConnectAsync(cancellationToken);
        var texts = await place.ConnectAsync(cancellationToken, isForTexts: true);
        runner.Begin(new BenchSection
        {
            Name = "batch-methods",
            Title = "batches by every method, through the driver core",
            Unit = "rows",
            SpeedUpOver = BatchMethods.All[0].Name,
            RatioTo = BatchMethods.All[^1].Name,
        });
        foreach (var rows in batchRows)
        {
            foreach (var operation in Enum.GetValues<BatchOperation>())
            {
                foreach (var isTransaction in new[] { false, true })
                {
                    var commit = isTransaction ? "one transaction" : "autocommit";
                    var group = $"{operation.ToString().ToLowerInvariant()} of {rows:N0}, {commit}";
                    var cases = BatchMethods.All.Select(
                        method => Case(method, method.SendsTexts ? texts : session, session, operation, rows, isTransaction));
                    await runner.MeasureAsync(group, [.. cases], cancellationToken);
                }
            }
        }
    }

    /// <summary>Changes and deletes every second row of twice as many.</summary>
    public static BenchCase Case(
        BatchMethod method, ServerSession sender, ServerSession session, BatchOperation operation, long rows, bool isTransaction)
    {
        var isInsert = operation == BatchOperation.Insert;
        BatchUser[] users =
        [
            .. BatchUser.Range(isInsert ? 1 : 2, isInsert ? rows : rows * 2, isInsert ? 1 : 2, operation == BatchOperation.Update),
        ];
        var others = isInsert ? [] : BatchUser.Range(1, rows * 2, 2, isChanged: false);
        var table = new UsersTable(session);
        return new BenchCase
        {
            Name = method.Name,
            Amount = rows,
            IsUnit = method == BatchMethods.All[0],
            IsRatioUnit = method == BatchMethods.All[^1],
            Unfit = method.IsOfMariaDb && !session.Server.TakesBulkExecutions ? "the server has nothing like it" : null,
            PrepareAsync = async token =>
            {
                // A run before that was refused may have left its transaction and its temporary table.
                await sender.ExecuteAsync(TransactionSql.RollBack, token);
                await sender.ExecuteAsync(BatchSql.DropStaged, token);
                await sender.ExecuteAsync(BenchSql.Autocommit(isOn: true), token);
                await table.FillAsync(isInsert ? 0 : rows * 2, token);
                await sender.ExecuteAsync(BenchSql.Autocommit(!isTransaction), token);
            },
            RunAsync = async token =>
            {
                await method.SendAsync(sender, operation, users, token);
                if (isTransaction)
                {
                    await sender.ExecuteAsync(TransactionSql.Commit, token);
                }
            },
            CheckAsync = async token =>
            {
                await sender.ExecuteAsync(BenchSql.Autocommit(isOn: true), token);
                await table.CheckAsync(others.Concat(operation == BatchOperation.Delete ? [] : users).OrderBy(user => user.Id), token);
            },
        };
    }
}
