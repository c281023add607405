using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

/// <summary>Sessions that keep the thread that uses them while they wait: as all others, but that nothing else runs meanwhile.</summary>
public sealed class KeptThreadTests
{
    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Every_call_is_done_when_it_returns(string name, Way way)
    {
        var opening = ServerSession.ConnectAsync(Servers.Get(name).Options(way) with { KeepsThread = true }, default);
        Assert.True(opening.IsCompleted || way == Way.Tls);
        await using var session = await opening;
        var thread = Environment.CurrentManagedThreadId;
        var large = session.QueryAsync($"SELECT REPEAT('x', {1 << 20})", default);
        Assert.True(large.IsCompletedSuccessfully);
        Assert.Equal(1 << 20, (await large).Scalar!.Length);
        var refused = session.ExecuteAsync("DO no_such_function(1)", default);
        Assert.True(refused.IsFaulted);
        await Assert.ThrowsAsync<ServerException>(() => refused.AsTask());
        var statement = await session.PrepareAsync("SELECT ? + 1", default);
        var parameters = new BinaryParameters([ParameterType.Int64]);
        parameters.AddInt64(41);
        Assert.Equal(1, (await session.ReadAsync(statement, parameters, default)).Rows);
        Assert.Equal(thread, Environment.CurrentManagedThreadId);
    }

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Cancelling_ends_the_wait_and_the_session(string name, Way way)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(way) with { KeepsThread = true }, default);
        using var stop = new CancellationTokenSource();
        stop.CancelAfter(TimeSpan.FromMilliseconds(200));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Task.Run(() => session.ExecuteAsync("DO SLEEP(60)", stop.Token).AsTask(), CancellationToken.None)
                .WaitAsync(TimeSpan.FromSeconds(20), CancellationToken.None));
        Assert.False(session.IsUsable);
    }

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Only_the_token_of_the_last_call_ends_the_session_between_calls(string name, Way way)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(way) with { KeepsThread = true }, default);
        using var former = new CancellationTokenSource();
        using var last = new CancellationTokenSource();
        await session.ExecuteAsync("DO 1", former.Token);
        await session.ExecuteAsync("DO 2", last.Token);
        await former.CancelAsync();
        await session.ExecuteAsync("DO 3", last.Token);
        await last.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => session.ExecuteAsync("DO 4", last.Token).AsTask());
        Assert.False(session.IsUsable);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_that_is_killed_is_lost(string name)
    {
        await using var session =
            await ServerSession.ConnectAsync(Servers.Get(name).Options(Way.Plain) with { KeepsThread = true }, default);
        await using var other = await ServerSession.ConnectAsync(Servers.Get(name).Options(Way.Plain), default);
        var waiting = Task.Run(() => session.ExecuteAsync("DO SLEEP(60)", default).AsTask());
        await Task.Delay(100);
        await other.ExecuteAsync($"KILL {session.Server.ConnectionId}", default);
        var fault = await Assert.ThrowsAsync<ServerException>(() => waiting.WaitAsync(TimeSpan.FromSeconds(20)));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
    }

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task A_session_that_is_closed_from_another_side_is_lost(string name, Way way)
    {
        var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(way) with { KeepsThread = true }, default);
        var waiting = Task.Run(() => session.ExecuteAsync("DO SLEEP(60)", default).AsTask());
        await Task.Delay(100);
        await session.DisposeAsync();
        var fault = await Assert.ThrowsAsync<ServerException>(() => waiting.WaitAsync(TimeSpan.FromSeconds(20)));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
    }

    [Fact]
    public async Task Where_nobody_listens_is_told_as_ever()
    {
        var server = Servers.Get(Servers.MariaDb);
        var fault = await Assert.ThrowsAsync<ConnectException>(
            () => ServerSession.ConnectAsync(server.Options() with { Port = 1, KeepsThread = true }, default));
        Assert.Contains("127.0.0.1:1", fault.Message, StringComparison.Ordinal);
    }
}
