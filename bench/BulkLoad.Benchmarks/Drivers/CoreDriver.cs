using System.Text;
using BulkLoad.Bench;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Benchmarks.Drivers;

/// <summary>The driver core.</summary>
internal sealed class CoreDriver : IDriver
{
    public const string Name = "core";

    private readonly ConnectionOptions _connection;
    private readonly ServerSession _session;
    private readonly PreparedStatement _scalar;
    private readonly PreparedStatement _select;
    private readonly PreparedStatement _blob;
    private readonly PreparedStatement _update;
    private readonly BinaryParameters _none = new([]);
    private readonly BinaryParameters _range = new([ParameterType.Int64, ParameterType.Int64]);
    private readonly BinaryParameters _id = new([ParameterType.Int64]);
    private readonly BinaryParameters _change = new(BatchMethods.Types(BatchOperation.Update));

    private CoreDriver(ConnectionOptions connection, ServerSession session, PreparedStatement scalar, PreparedStatement select, PreparedStatement blob, PreparedStatement update) =>
        (_connection, _session, _scalar, _select, _blob, _update) = (connection, session, scalar, select, blob, update);

    public static async Task<IDriver> ConnectAsync(ConnectionOptions connection)
    {
        var session = await BenchPlace.OpenSessionAsync(connection, default);
        return new CoreDriver(
            connection,
            session,
            await session.PrepareAsync(CallSql.Scalar, default),
            await session.PrepareAsync(CallSql.SelectRange, default),
            await session.PrepareAsync(CallSql.SelectBlob, default),
            await session.PrepareAsync(BatchSql.Placeholders(BatchOperation.Update), default));
    }

    public async Task BeginAsync() => await _session.ExecuteAsync(BenchSql.Autocommit(isOn: false), default);

    public async Task OpenAsync() => await (await ServerSession.ConnectAsync(_connection, default)).DisposeAsync();

    public async Task ScalarAsync(bool isPrepared)
    {
        if (isPrepared)
        {
            await _session.ReadAsync(_scalar, _none, default);
        }
        else
        {
            await _session.QueryAsync(CallSql.Scalar, default);
        }
    }

    public async Task<long> QueryAsync(long first, long rows, bool isPrepared)
    {
        if (!isPrepared)
        {
            return (await _session.QueryAsync(CallSql.Range(first, first + rows - 1), default)).Rows.Count;
        }

        _range.Reset();
        _range.AddInt64(first);
        _range.AddInt64(first + rows - 1);
        return (await _session.ReadAsync(_select, _range, default)).Rows;
    }

    public async Task<long> ReadBlobAsync(long id)
    {
        _id.Reset();
        _id.AddInt64(id);
        return (await _session.ReadAsync(_blob, _id, default)).Bytes;
    }

    public async Task<long> ExecuteAsync(long id, bool isPrepared)
    {
        var user = new BatchUser(id, IsChanged: true);
        if (!isPrepared)
        {
            return (long)(await _session.ExecuteAsync(BatchSql.Literal(BatchOperation.Update, user), default)).AffectedRows;
        }

        _change.Reset();
        _change.AddBytes(Encoding.UTF8.GetBytes(user.Name));
        _change.AddDouble(user.Score);
        _change.AddInt64(user.Id);
        return (long)(await _session.ExecuteAsync(null, _update, _change, default)).AffectedRows;
    }

    public Task<long> RowByRowAsync(RowOperation operation, IReadOnlyList<long> ids) =>
        operation == RowOperation.Select ? DriversBench.ReadOneByOneAsync(_session, ids, default) : SendAsync(BatchMethods.Prepared, operation, ids);

    public async Task<long> BatchAsync(RowOperation operation, IReadOnlyList<long> ids)
    {
        await _session.ExecuteAsync(BenchSql.Autocommit(isOn: false), default);
        var rows = await (operation == RowOperation.Select ? DriversBench.ReadListsAsync(_session, ids, default) : SendAsync(BatchMethods.Pipelined, operation, ids));
        await _session.ExecuteAsync(TransactionSql.Commit, default);
        await _session.ExecuteAsync(BenchSql.Autocommit(isOn: true), default);
        return rows;
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private async Task<long> SendAsync(BatchMethod method, RowOperation operation, IReadOnlyList<long> ids)
    {
        var kind = operation switch { RowOperation.Insert => BatchOperation.Insert, RowOperation.Update => BatchOperation.Update, _ => BatchOperation.Delete };
        await method.SendAsync(_session, kind, [.. ids.Select(id => new BatchUser(id, operation == RowOperation.Update))], default);
        return ids.Count;
    }
}
