using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Server;

/// <summary>
/// What happens to a statement under way when the user stops the job: it may end within the grace time, then it is killed on the
/// server from a side session, and if that does not help either the connection is closed.
/// </summary>
internal sealed class OrderlyStop : IAsyncDisposable
{
    private readonly CancellationTokenSource _abort = new();
    private readonly CancellationTokenSource _done = new();
    private readonly CancellationTokenRegistration _registration;
    private Task _ladder = Task.CompletedTask;

    /// <param name="isEnding">whether what runs is waited for, however long it takes: it would be in vain; null: never</param>
    public OrderlyStop(TimeSpan grace, Func<CancellationToken, Task> kill, TimeProvider time, ILogger log, CancellationToken stop,
        Func<bool>? isEnding = null) =>
        _registration = stop.Register(() => _ladder = DescendAsync(grace, kill, isEnding, time, log));

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

    private async Task DescendAsync(
        TimeSpan grace, Func<CancellationToken, Task> kill, Func<bool>? isEnding, TimeProvider time, ILogger log)
    {
        try
        {
            await Task.Delay(grace, time, _done.Token);
            while (isEnding?.Invoke() == true)
            {
                log.StatementAwaited(grace.TotalSeconds);
                await Task.Delay(grace, time, _done.Token);
            }

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
