using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Bench;

/// <summary>The caller begins and ends the transaction.</summary>
internal sealed record BatchMethod(
    string Name, Func<IServerSession, BatchOperation, IReadOnlyList<BatchUser>, CancellationToken, Task> SendAsync)
{
    public bool IsOfMariaDb { get; init; }

    public bool SendsTexts { get; init; }
}

/// <summary>The first is the one with which the others are compared.</summary>
internal static class BatchMethods
{
    private const int RowsPerSet = 1000;
    private const int StatementsPerText = 500;
    private const int RowsPerPipeline = 10_000;

    public static BatchMethod Prepared { get; } = new("prepared, a round trip a row", SendPreparedAsync);

    public static BatchMethod Pipelined { get; } = new("prepared, pipelined", SendPipelinedAsync);

    public static IReadOnlyList<BatchMethod> All { get; } =
    [
        new("literal statement a row", SendLiteralAsync),
        Prepared,
        Pipelined,
        new("set text of 1,000 rows", SendSetsAsync),
        new("multi-statement text of 500", SendTextsAsync) { SendsTexts = true },
        new("bulk execute of 1,000 rows", SendBulkAsync) { IsOfMariaDb = true },
        new("LOAD DATA, staged where rows are there", SendStagedAsync),
    ];

    private static async Task SendLiteralAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        foreach (var user in users)
        {
            await session.ExecuteAsync(BatchSql.Literal(operation, user), cancellationToken);
        }
    }

    private static async Task SendPreparedAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        var statement = await session.PrepareAsync(BatchSql.Placeholders(operation), cancellationToken);
        var parameters = new BinaryParameters(Types(operation));
        foreach (var user in users)
        {
            parameters.Reset();
            Add(parameters, operation, user);
            await session.ExecuteAsync(null, statement, parameters, cancellationToken);
        }

        await session.CloseAsync(statement, cancellationToken);
    }

    private static async Task SendPipelinedAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        var statement = await session.PrepareAsync(BatchSql.Placeholders(operation), cancellationToken);
        var parameters = new BinaryParameters(Types(operation));
        var pipeline = new Pipeline();
        for (var from = 0; from < users.Count; from += RowsPerPipeline)
        {
            pipeline.Clear();
            foreach (var user in users.Skip(from).Take(RowsPerPipeline))
            {
                parameters.Reset();
                Add(parameters, operation, user);
                pipeline.Add(statement, parameters);
            }

            await RunAsync(session, pipeline, cancellationToken);
        }

        await session.CloseAsync(statement, cancellationToken);
    }

    private static async Task SendSetsAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        foreach (var set in users.Chunk(RowsPerSet))
        {
            await session.ExecuteAsync(BatchSql.Set(operation, set, session.Server.IsMariaDb), cancellationToken);
        }
    }

    private static async Task SendTextsAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        foreach (var texts in users.Chunk(StatementsPerText))
        {
            await session.ExecuteAsync(string.Join(';', texts.Select(user => BatchSql.Literal(operation, user))), cancellationToken);
        }
    }

    private static async Task SendBulkAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        var statement = await session.PrepareAsync(BatchSql.Placeholders(operation), cancellationToken);
        var parameters = new BulkParameters(Types(operation));
        foreach (var rows in users.Chunk(RowsPerSet))
        {
            parameters.Reset();
            foreach (var user in rows)
            {
                Add(parameters, operation, user);
            }

            await session.ExecuteAsync(null, statement, parameters, cancellationToken);
        }

        await session.CloseAsync(statement, cancellationToken);
    }

    private static async Task SendStagedAsync(
        IServerSession session, BatchOperation operation, IReadOnlyList<BatchUser> users, CancellationToken cancellationToken)
    {
        if (operation == BatchOperation.Insert)
        {
            await LoadAsync(BatchSql.Users, BatchSql.UserColumns, user => user.Cells);
            return;
        }

        await session.ExecuteAsync(BatchSql.CreateStaged, cancellationToken);
        await LoadAsync(BatchSql.Staged, BatchSql.StagedColumns, user => [user.Cells[0], user.Cells[1], user.Cells[4]]);
        await session.ExecuteAsync(BatchSql.Joined(operation), cancellationToken);
        await session.ExecuteAsync(BatchSql.DropStaged, cancellationToken);

        async Task LoadAsync(string table, string columns, Func<BatchUser, IEnumerable<string?>> cells) => await session.LoadLocalAsync(
            new LocalLoad(null, BatchSql.Load(table, columns), BatchSql.FileName),
            UsersTable.Lines(users, cells), null, null, cancellationToken);
    }

    public static async Task RunAsync(IServerSession session, Pipeline pipeline, CancellationToken cancellationToken)
    {
        await session.RunAsync(pipeline, cancellationToken);
        if (pipeline.Faults.Count > 0)
        {
            throw pipeline.Faults[0].Error;
        }
    }

    public static ParameterType[] Types(BatchOperation operation) => operation switch
    {
        BatchOperation.Insert =>
        [
            ParameterType.Int64, ParameterType.Text, ParameterType.Int64, ParameterType.Text, ParameterType.Double, ParameterType.DateTime,
        ],
        BatchOperation.Update => [ParameterType.Text, ParameterType.Double, ParameterType.Int64],
        _ => [ParameterType.Int64],
    };

    public static void Add(BinaryParameters parameters, BatchOperation operation, BatchUser user)
    {
        switch (operation)
        {
            case BatchOperation.Insert:
                parameters.AddInt64(user.Id);
                parameters.AddBytes(Encoding.UTF8.GetBytes(user.Name));
                parameters.AddInt64(user.Age);
                parameters.AddBytes(Encoding.UTF8.GetBytes(user.Email));
                parameters.AddDouble(user.Score);
                var created = user.Created;
                parameters.AddDateTime(created.Year, created.Month, created.Day, (int)created.TimeOfDay.TotalSeconds, 0);
                break;
            case BatchOperation.Update:
                parameters.AddBytes(Encoding.UTF8.GetBytes(user.Name));
                parameters.AddDouble(user.Score);
                parameters.AddInt64(user.Id);
                break;
            default:
                parameters.AddInt64(user.Id);
                break;
        }
    }
}

/// <summary>Measures every method, operation and size, in autocommit and in one transaction. Checks the table after each run.</summary>
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

    /// <summary>Updates and deletes take every second row of a table that has twice as many.</summary>
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
                // An earlier run that was refused may have left its transaction and its temporary table.
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
