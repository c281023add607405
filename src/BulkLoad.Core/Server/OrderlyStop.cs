using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Server;

/// <summary>Stops a running statement when the user stops the job: it may end within the grace time; then a side session kills it on the
/// server; if that does not help either, the connection is closed.</summary>
internal sealed class OrderlyStop : IAsyncDisposable
{
    private readonly CancellationTokenSource _abort = new();
    private readonly CancellationTokenSource _done = new();
    private readonly CancellationTokenRegistration _registration;
    private Task _ladder = Task.CompletedTask;

    public OrderlyStop(TimeSpan grace, Func<CancellationToken, Task> kill, TimeProvider time, ILogger log, CancellationToken stop) =>
        _registration = stop.Register(() => _ladder = DescendAsync(grace, kill, time, log));

    /// <summary>Cancelled when nothing else helped: closes the connection.</summary>
    public CancellationToken Abort => _abort.Token;

    public async ValueTask DisposeAsync()
    {
        await _registration.DisposeAsync();
        await _done.CancelAsync();
        await _ladder;
        _abort.Dispose();
        _done.Dispose();
    }

    private async Task DescendAsync(TimeSpan grace, Func<CancellationToken, Task> kill, TimeProvider time, ILogger log)
    {
        try
        {
            await Task.Delay(grace, time, _done.Token);
            log.StatementKilled(grace.TotalSeconds);
            await kill(_done.Token);
            await Task.Delay(grace, time, _done.Token);
        }
        catch (OperationCanceledException)
        {
            return;
        }
        catch (BulkLoadException fault)
        {
            log.KillFailed(fault.Message);
        }

        log.SessionAborted();
        await _abort.CancelAsync();
    }
}

internal static class QueryKiller
{
    /// <summary>Interrupts a session's statement, within <see cref="ConnectionOptions.ConnectTimeout"/>. Behind a balancer or a proxy the
    /// same number can be another user's session: nothing is killed unless the same server answers, and by its own number.</summary>
    /// <exception cref="ConnectException">no session could be opened in time, or not with that server</exception>
    /// <exception cref="ServerException">such as 1094: the session has ended</exception>
    public static async Task KillQueryAsync(
        ConnectionOptions options, ServerFacts server, uint connectionId, CancellationToken cancellationToken)
    {
        // A greeting has only 32 bits for the number.
        if ((uint)server.ConnectionId != connectionId)
        {
            throw new ConnectException($"a proxy at {options.Endpoint} gives sessions its own numbers: none can be killed there");
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        try
        {
            await using var side = await ServerSession.ConnectAsync(
                options with { Database = null, OffersLocalInfile = false }, limit.Token);
            await KillQueryAsync(side, server, limit.Token);
        }
        catch (OperationCanceledException fault) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectException($"{options.Endpoint} did not answer within {options.ConnectTimeout.TotalSeconds:0.#} s", fault);
        }
    }

    internal static async Task KillQueryAsync(IServerSession side, ServerFacts server, CancellationToken cancellationToken)
    {
        var identity = (await side.QueryAsync(CatalogSql.Identity, cancellationToken)).Scalar;
        if (identity != server.Identity)
        {
            throw new ConnectException(
                $"another server answers at {side.Server.Endpoint} ({identity}, not {server.Identity}): nothing is killed there");
        }

        await side.ExecuteAsync(SessionSql.KillQuery(server.ConnectionId), cancellationToken);
    }
}
