using System.Globalization;
using System.Text;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks.Matrix;

/// <summary>What is done with each row of a batch.</summary>
internal enum BatchOperation
{
    Insert,

    /// <summary>Name and score by id.</summary>
    Update,

    /// <summary>By id.</summary>
    Delete,
}

/// <summary>One way to send a batch.</summary>
/// <param name="Name">for the table of results</param>
/// <param name="SendAsync">sends all rows; whose transaction it is, is the caller's business</param>
/// <param name="IsOfMariaDb">whether MySQL has nothing like it</param>
internal sealed record BatchMethod(string Name, Func<IServerSession, BatchOperation, IReadOnlyList<MatrixUser>, Task> SendAsync, bool IsOfMariaDb = false);

/// <summary>The methods of the matrix; the first is what the others are compared with.</summary>
internal static class BatchMethods
{
    private const int RowsPerSet = 1000;
    private const int StatementsPerText = 500;
    private const int RowsPerPipeline = 10_000;

    public static IReadOnlyList<BatchMethod> All { get; } =
    [
        new("literal statement a row", SendLiteralAsync),
        new("prepared, a round trip a row", SendPreparedAsync),
        new("prepared, pipelined", SendPipelinedAsync),
        new("set text of 1,000 rows", SendSetsAsync),
        new("multi-statement text of 500", SendTextsAsync),
        new("bulk execute of 1,000 rows", SendBulkAsync, IsOfMariaDb: true),
        new("LOAD DATA, staged where rows are there", SendStagedAsync),
    ];

    private static async Task SendLiteralAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        foreach (var user in users)
        {
            await session.ExecuteAsync(Literal(operation, user), default);
        }
    }

    private static async Task SendPreparedAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        var statement = await session.PrepareAsync(Placeholders(operation), default);
        var parameters = new BinaryParameters(Types(operation));
        foreach (var user in users)
        {
            parameters.Reset();
            Add(parameters, operation, user);
            await session.ExecuteAsync(null, statement, parameters, default);
        }

        await session.CloseAsync(statement, default);
    }

    private static async Task SendPipelinedAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        var statement = await session.PrepareAsync(Placeholders(operation), default);
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

            await RunAsync(session, pipeline);
        }

        await session.CloseAsync(statement, default);
    }

    private static async Task SendSetsAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        foreach (var set in users.Chunk(RowsPerSet))
        {
            await session.ExecuteAsync(Set(operation, set, session.Server.IsMariaDb), default);
        }
    }

    private static async Task SendTextsAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        foreach (var texts in users.Chunk(StatementsPerText))
        {
            await session.ExecuteAsync(string.Join(';', texts.Select(user => Literal(operation, user))), default);
        }
    }

    private static async Task SendBulkAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        var statement = await session.PrepareAsync(Placeholders(operation), default);
        var parameters = new BulkParameters(Types(operation));
        foreach (var rows in users.Chunk(RowsPerSet))
        {
            parameters.Reset();
            foreach (var user in rows)
            {
                Add(parameters, operation, user);
            }

            await session.ExecuteAsync(null, statement, parameters, default);
        }

        await session.CloseAsync(statement, default);
    }

    private static async Task SendStagedAsync(IServerSession session, BatchOperation operation, IReadOnlyList<MatrixUser> users)
    {
        if (operation == BatchOperation.Insert)
        {
            await LoadAsync("users", "id,name,age,email,score,created", user => user.Cells);
            return;
        }

        await session.ExecuteAsync("CREATE TEMPORARY TABLE staged (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(64), score DOUBLE)", default);
        await LoadAsync("staged", "id,name,score", user => [user.Cells[0], user.Cells[1], user.Cells[4]]);
        await session.ExecuteAsync(
            operation == BatchOperation.Update
                ? "UPDATE staged STRAIGHT_JOIN users ON users.id=staged.id SET users.name=staged.name,users.score=staged.score"
                : "DELETE users FROM staged STRAIGHT_JOIN users ON users.id=staged.id",
            default);
        await session.ExecuteAsync("DROP TEMPORARY TABLE staged", default);

        async Task LoadAsync(string table, string columns, Func<MatrixUser, IEnumerable<string?>> cells) => await session.LoadLocalAsync(
            new LocalLoad(null, UsersTable.Load(table, columns), UsersTable.FileName), UsersTable.Lines(users, cells), null, null, default);
    }

    /// <exception cref="InvalidOperationException">a command failed</exception>
    public static async Task RunAsync(IServerSession session, Pipeline pipeline)
    {
        await session.RunAsync(pipeline, default);
        if (pipeline.Faults.Count > 0)
        {
            throw new InvalidOperationException($"command {pipeline.Faults[0].Command} of a pipeline failed: {pipeline.Faults[0].Error.Message}");
        }
    }

    /// <summary>A statement of one row with placeholders.</summary>
    public static string Placeholders(BatchOperation operation) => operation switch
    {
        BatchOperation.Insert => "INSERT INTO users (id,name,age,email,score,created) VALUES (?,?,?,?,?,?)",
        BatchOperation.Update => "UPDATE users SET name=?,score=? WHERE id=?",
        _ => "DELETE FROM users WHERE id=?",
    };

    /// <summary>The types of <see cref="Placeholders"/>.</summary>
    public static ParameterType[] Types(BatchOperation operation) => operation switch
    {
        BatchOperation.Insert => [ParameterType.Int64, ParameterType.Text, ParameterType.Int64, ParameterType.Text, ParameterType.Double, ParameterType.DateTime],
        BatchOperation.Update => [ParameterType.Text, ParameterType.Double, ParameterType.Int64],
        _ => [ParameterType.Int64],
    };

    /// <summary>A row's values for <see cref="Placeholders"/>.</summary>
    public static void Add(BinaryParameters parameters, BatchOperation operation, MatrixUser user)
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

    private static string Literal(BatchOperation operation, MatrixUser user) => operation switch
    {
        BatchOperation.Insert => $"INSERT INTO users (id,name,age,email,score,created) VALUES {Values(user)}",
        BatchOperation.Update => string.Create(CultureInfo.InvariantCulture, $"UPDATE users SET name={Quote(user.Name)},score={user.Score}e0 WHERE id={user.Id}"),
        _ => string.Create(CultureInfo.InvariantCulture, $"DELETE FROM users WHERE id={user.Id}"),
    };

    private static string Set(BatchOperation operation, IReadOnlyList<MatrixUser> users, bool isMariaDb)
    {
        switch (operation)
        {
            case BatchOperation.Insert:
                return $"INSERT INTO users (id,name,age,email,score,created) VALUES {string.Join(',', users.Select(Values))}";
            case BatchOperation.Update:
                var rows = string.Join(',', users.Select(user => string.Create(
                    CultureInfo.InvariantCulture, $"{(isMariaDb ? "" : "ROW")}({user.Id},{Quote(user.Name)},{user.Score}e0)")));
                var list = isMariaDb ? $"(SELECT 0 id,'' name,0e0 score WHERE 0 UNION ALL VALUES {rows}) list" : $"(VALUES {rows}) AS list(id,name,score)";
                return $"UPDATE {list} STRAIGHT_JOIN users ON users.id=list.id SET users.name=list.name,users.score=list.score";
            default:
                return $"DELETE FROM users WHERE id IN ({string.Join(',', users.Select(user => user.Id.ToString(CultureInfo.InvariantCulture)))})";
        }
    }

    private static string Values(MatrixUser user) => string.Create(
        CultureInfo.InvariantCulture, $"({user.Id},{Quote(user.Name)},{user.Age},{Quote(user.Email)},{user.Score}e0,{Quote(user.Created.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture))})");

    private static string Quote(string text) => $"'{text.Replace("'", "''", StringComparison.Ordinal)}'";
}
