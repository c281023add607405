using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>Asks a replica how far it is behind.</summary>
/// <param name="most">so far it may be</param>
internal sealed class ReplicaWatch(string endpoint, TimeSpan most, Func<CancellationToken, Task<IServerSession>> connect) : IAsyncDisposable
{
    private const string Reason = "max-lag";

    private readonly WatchSession _session = new(connect);
    private bool _isKnown;

    /// <summary>A replica that does not replicate, or cannot be asked at present, is behind by more than any time.</summary>
    /// <exception cref="PlanException">it is no replica, or does not let this account ask</exception>
    /// <exception cref="ConnectException">it has never been reached: its host or port are likelier to be wrong</exception>
    public async Task<ThrottleState> LookAsync(CancellationToken cancellationToken)
    {
        TextResultSet rows;
        try
        {
            rows = await _session.AskAsync(WatchSql.Replication, cancellationToken);
        }
        catch (ConnectException fault) when (!_isKnown)
        {
            throw new ConnectException($"--check-replica {endpoint}: {fault.Message}");
        }
        catch (Exception fault) when (fault is ServerException or ConnectException)
        {
            return ChunkRetry.IsPassing(fault)
                ? ThrottleState.Stop(Reason, $"replica {endpoint} cannot be asked: {fault.Message}")
                : throw new PlanException($"--check-replica {endpoint}: {fault.Message}", fault);
        }

        if (rows.Rows.Count == 0)
        {
            return _isKnown
                ? ThrottleState.Stop(Reason, $"replica {endpoint} is no replica any more")
                : throw new PlanException($"--check-replica {endpoint}: it is not a replica of any server");
        }

        _isKnown = true;
        var column = rows.Columns.ToList().FindIndex(name => WatchSql.LagColumns.Contains(name, StringComparer.OrdinalIgnoreCase));
        return column < 0
            ? throw new PlanException(
                $"--check-replica {endpoint}: does not say how far it is behind (no column {string.Join(" or ", WatchSql.LagColumns)})")
            : rows.Rows.Select(row => StrainOf(row[column])).Aggregate(ThrottleState.None, (worst, next) => worst.Or(next));
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private ThrottleState StrainOf(string? lag) => double.TryParse(lag, NumberStyles.Float, CultureInfo.InvariantCulture, out var seconds)
        ? new ThrottleState(
            Reason, $"replica {endpoint} is {seconds:0.#} s behind (--max-lag {most.TotalSeconds:0.#} s)", seconds / most.TotalSeconds)
        : ThrottleState.Stop(Reason, $"replica {endpoint} does not replicate at present");
}
