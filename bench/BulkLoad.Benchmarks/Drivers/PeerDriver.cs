using System.Data.Common;
using BulkLoad.Bench;

namespace BulkLoad.Benchmarks.Drivers;

/// <summary>Another driver, by System.Data.Common alone. A batch is a DbBatch where it has that.</summary>
internal sealed class PeerDriver : IDriver
{
    private readonly DbProviderFactory _factory;
    private readonly string _connectionString;
    private readonly DbConnection _connection;
    private readonly DbCommand _scalar;
    private readonly DbCommand _select;
    private readonly DbCommand _blob;
    private readonly DbCommand _update;

    private PeerDriver(DbProviderFactory factory, string connectionString, DbConnection connection)
    {
        (_factory, _connectionString, _connection) = (factory, connectionString, connection);
        _scalar = Prepare(CallSql.Scalar);
        _select = Prepare(CallSql.SelectRange, 1L, 1L);
        _blob = Prepare(CallSql.SelectBlob, 1L);
        _update = Prepare(TextOf(RowOperation.Update), ValuesOf(RowOperation.Update, new BatchUser(1, IsChanged: true)));
    }

    public static async Task<IDriver> ConnectAsync(Peer peer, ConnectionOptions options)
    {
        var (factory, text) = (peer.CreateFactory(), peer.ConnectionString(options));
        return new PeerDriver(factory, text, await OpenAsync(factory, text));
    }

    public async Task BeginAsync()
    {
        using var command = Command(BenchSql.Autocommit(isOn: false));
        await command.ExecuteNonQueryAsync();
    }

    public async Task OpenAsync() => await (await OpenAsync(_factory, _connectionString)).DisposeAsync();

    public async Task ScalarAsync(bool isPrepared)
    {
        using var simple = isPrepared ? null : Command(CallSql.Scalar);
        await (simple ?? _scalar).ExecuteScalarAsync();
    }

    public async Task<long> QueryAsync(long first, long rows, bool isPrepared)
    {
        if (isPrepared)
        {
            Fill(_select, [first, first + rows - 1]);
            return await ReadAsync(_select);
        }

        using var simple = Command(CallSql.Range(first, first + rows - 1));
        return await ReadAsync(simple);
    }

    public async Task<long> ReadBlobAsync(long id)
    {
        Fill(_blob, [id]);
        return ((byte[])(await _blob.ExecuteScalarAsync())!).Length;
    }

    public async Task<long> ExecuteAsync(long id, bool isPrepared)
    {
        var user = new BatchUser(id, IsChanged: true);
        if (isPrepared)
        {
            Fill(_update, ValuesOf(RowOperation.Update, user));
            return await _update.ExecuteNonQueryAsync();
        }

        using var simple = Command(BatchSql.Literal(BatchOperation.Update, user));
        return await simple.ExecuteNonQueryAsync();
    }

    public Task<long> RowByRowAsync(RowOperation operation, IReadOnlyList<long> ids) => OneByOneAsync(operation, ids, null);

    public async Task<long> BatchAsync(RowOperation operation, IReadOnlyList<long> ids)
    {
        await using var transaction = await _connection.BeginTransactionAsync();
        var rows = operation == RowOperation.Select ? await ReadListsAsync(ids, transaction)
            : _factory.CanCreateBatch ? await AtOnceAsync(operation, ids, transaction)
            : await OneByOneAsync(operation, ids, transaction);
        await transaction.CommitAsync();
        return rows;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var command in new[] { _scalar, _select, _blob, _update })
        {
            await command.DisposeAsync();
        }

        await _connection.DisposeAsync();
    }

    private static async Task<DbConnection> OpenAsync(DbProviderFactory factory, string connectionString)
    {
        var connection = factory.CreateConnection()!;
        connection.ConnectionString = connectionString;
        await connection.OpenAsync();
        return connection;
    }

    private async Task<long> OneByOneAsync(RowOperation operation, IReadOnlyList<long> ids, DbTransaction? transaction)
    {
        using var command = Prepare(TextOf(operation), ValuesOf(operation, new BatchUser(1, IsChanged: false)));
        command.Transaction = transaction;
        var rows = 0L;
        foreach (var id in ids)
        {
            Fill(command, ValuesOf(operation, new BatchUser(id, operation == RowOperation.Update)));
            rows += operation == RowOperation.Select ? await ReadAsync(command) : await command.ExecuteNonQueryAsync();
        }

        return rows;
    }

    private async Task<long> AtOnceAsync(RowOperation operation, IReadOnlyList<long> ids, DbTransaction transaction)
    {
        using var batch = _factory.CreateBatch();
        (batch.Connection, batch.Transaction) = (_connection, transaction);
        var text = Named(TextOf(operation));
        foreach (var id in ids)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = text;
            foreach (var (index, value) in ValuesOf(operation, new BatchUser(id, operation == RowOperation.Update)).Index())
            {
                var parameter = _factory.CreateParameter()!;
                (parameter.ParameterName, parameter.Value) = ($"@p{index}", value);
                command.Parameters.Add(parameter);
            }

            batch.BatchCommands.Add(command);
        }

        await batch.ExecuteNonQueryAsync();
        return ids.Count;
    }

    private async Task<long> ReadListsAsync(IReadOnlyList<long> ids, DbTransaction transaction)
    {
        var rows = 0L;
        foreach (var list in ids.Chunk(DriversBench.IdsPerList))
        {
            using var command = Command(CallSql.SelectList(list));
            command.Transaction = transaction;
            rows += await ReadAsync(command);
        }

        return rows;
    }

    /// <summary>Goes through the rows and takes each value, as somebody who needs them would.</summary>
    private static async Task<long> ReadAsync(DbCommand command)
    {
        await using var reader = await command.ExecuteReaderAsync();
        var values = new object[reader.FieldCount];
        var rows = 0L;
        while (await reader.ReadAsync())
        {
            reader.GetValues(values);
            rows++;
        }

        return rows;
    }

    private DbCommand Command(string text)
    {
        var command = _connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    /// <param name="text">with placeholders</param>
    /// <param name="samples">values that tell the parameters' types</param>
    private DbCommand Prepare(string text, params object[] samples)
    {
        var command = Command(Named(text));
        foreach (var (index, sample) in samples.Index())
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = ($"@p{index}", sample);
            command.Parameters.Add(parameter);
        }

        command.Prepare();
        return command;
    }

    private static void Fill(DbCommand command, object[] values)
    {
        for (var index = 0; index < values.Length; index++)
        {
            command.Parameters[index].Value = values[index];
        }
    }

    /// <summary>Not every driver takes placeholders without a name.</summary>
    private static string Named(string text)
    {
        var parts = text.Split('?');
        return parts[0] + string.Concat(parts.Skip(1).Select((part, index) => $"@p{index}{part}"));
    }

    private static string TextOf(RowOperation operation) => operation switch
    {
        RowOperation.Insert => BatchSql.Placeholders(BatchOperation.Insert),
        RowOperation.Select => CallSql.SelectOne,
        RowOperation.Update => BatchSql.Placeholders(BatchOperation.Update),
        _ => BatchSql.Placeholders(BatchOperation.Delete),
    };

    private static object[] ValuesOf(RowOperation operation, BatchUser user) => operation switch
    {
        RowOperation.Insert => [user.Id, user.Name, user.Age, user.Email, user.Score, user.Created],
        RowOperation.Update => [user.Name, user.Score, user.Id],
        _ => [user.Id],
    };
}
