using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>Loads that are sent behind the content of the one before, and what becomes of them.</summary>
public sealed class AnnouncedLoadTests
{
    private static readonly LocalLoad First = new("SAVEPOINT 1", "LOAD 1", "f");
    private static readonly LocalLoad Second = new("SAVEPOINT 2", "LOAD 2", "g");

    /// <summary>The first load, which is answered when the second one has come too.</summary>
    private static readonly Script FirstIsLoaded = Peers.Login
        .Then(2, 1, Ok()).Then(0, 1, LocalRequest("f"))
        .Then(4, 4, Ok(1));

    private static readonly string[] FirstAndAnnouncement =
        ["\u0003SAVEPOINT 1", "\u0003LOAD 1", "1\n", "", "\u0003SAVEPOINT 2", "\u0003LOAD 2"];

    private static IEnumerable<string> Heard(ScriptedPeer peer) => peer.Heard.Skip(1).Select(Encoding.UTF8.GetString);

    private static ValueTask<OkResult> LoadFirstAsync(ServerSession session, CancellationToken cancellationToken = default) =>
        session.LoadLocalAsync(First, "1\n"u8.ToArray(), Second, null, cancellationToken);

    private static ValueTask<OkResult> LoadSecondAsync(ServerSession session, CancellationToken cancellationToken = default) =>
        session.LoadLocalAsync(Second, "2\n"u8.ToArray(), null, null, cancellationToken);

    private static async Task<ServerException> FailsAsync<T>(ValueTask<T> exchange) =>
        await Assert.ThrowsAsync<ServerException>(async () => await exchange);

    [Fact]
    public async Task It_goes_out_behind_the_content_and_is_taken_up()
    {
        var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded
            .Then(0, 1, Ok()).Then(0, 1, LocalRequest("g"))
            .Then(2, 4, Ok(2))
            .ThenAnswer(Ok()));
        Assert.Equal(1ul, (await LoadFirstAsync(session)).AffectedRows);
        Assert.Equal(FirstAndAnnouncement, Heard(peer));

        Assert.Equal(2ul, (await LoadSecondAsync(session)).AffectedRows);
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal([.. FirstAndAnnouncement, "2\n", "", "\u0003COMMIT"], Heard(peer));
        Assert.Equal([1, 0, 0, 2, 3, 0, 0, 2, 3, 0], peer.HeardSequences);
    }

    [Fact]
    public async Task One_without_a_prologue_is_taken_up_too()
    {
        var next = Second with { Prologue = null };
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(LocalRequest("f")).Then(3, 4, Ok(1))
            .Then(0, 1, LocalRequest("g")).Then(2, 4, Ok(2)));
        await session.LoadLocalAsync(First with { Prologue = null }, "1\n"u8.ToArray(), next, null, default);
        Assert.Equal(2ul, (await session.LoadLocalAsync(next, "2\n"u8.ToArray(), null, null, default)).AffectedRows);
        Assert.Equal(["\u0003LOAD 1", "1\n", "", "\u0003LOAD 2", "2\n", ""], Heard(peer));
    }

    [Fact]
    public async Task Any_other_command_comes_after_it_has_loaded_nothing()
    {
        foreach (var (command, packets, answer) in (IEnumerable<(Func<ServerSession, Task>, int, byte[])>)
            [
                (async session => await session.ExecuteAsync("COMMIT", default), 1, Ok()),
                (async session => await session.ExecuteAsync("SAVEPOINT", "INSERT"u8.ToArray(), default), 2, Ok()),
                (async session => await session.QueryAsync("SHOW WARNINGS", default), 1, Ok()),
                (async session => await session.PrepareAsync("INSERT", default), 1, Prepared(1, 0, 0)),
                (async session => await LoadFirstAsync(session), 2, Error(1146, "no table")),
            ])
        {
            var script = FirstIsLoaded.Then(0, 1, Ok()).Then(0, 1, LocalRequest("g")).Then(1, 3, Ok());
            script = packets == 1 ? script.ThenAnswer(answer) : script.Then(2, 1, Ok()).Then(0, 1, answer);
            var (session, peer) = await Peers.ConnectAsync(script);
            await LoadFirstAsync(session);
            try
            {
                await command(session);
            }
            catch (ServerException fault) when (fault.Code == 1146)
            {
                // The first load once more, which is another one than was announced.
            }

            Assert.Equal([.. FirstAndAnnouncement, ""], Heard(peer).Take(7));
            Assert.Equal(8 + packets, peer.Heard.Count);
            Assert.True(session.IsUsable);
        }
    }

    [Fact]
    public async Task Where_the_load_before_it_failed_it_stays_announced()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .Then(2, 1, Ok()).Then(0, 1, LocalRequest("f"))
            .Then(4, 4, Error(1300, "Invalid utf8mb4 character string"))
            .Then(0, 1, Ok()).Then(0, 1, LocalRequest("g")).Then(1, 3, Ok())
            .ThenAnswer(Ok()));
        Assert.Equal(1300, (await FailsAsync(LoadFirstAsync(session))).Code);
        await session.ExecuteAsync("ROLLBACK TO 1", default);
        Assert.Equal([.. FirstAndAnnouncement, "", "\u0003ROLLBACK TO 1"], Heard(peer));
    }

    [Fact]
    public async Task Nothing_is_announced_behind_a_load_that_is_not_served()
    {
        foreach (var (script, load) in (IEnumerable<(Script, Func<ServerSession, ValueTask<OkResult>>)>)
            [
                (Peers.Login.Then(2, 1, Error(1213, "deadlock")).Then(0, 1, LocalRequest("f")).Then(1, 3, Ok()),
                    session => LoadFirstAsync(session)),
                (Peers.Login.Then(2, 1, Ok()).Then(0, 1, Error(1146, "no table")), session => LoadFirstAsync(session)),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(script.ThenAnswer(Ok()));
            await FailsAsync(load(session));
            await session.ExecuteAsync("x", default);
            Assert.DoesNotContain("\u0003LOAD 2", Heard(peer));
            Assert.True(session.IsUsable);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_fails_of_it_is_told_instead_of_running_another_command(bool failsAtOnce)
    {
        // A cluster may undo the whole transaction at any statement: a commit behind it would commit nothing and say that it did.
        var (session, peer) = await Peers.ConnectAsync((failsAtOnce
                ? FirstIsLoaded.Then(0, 1, Error(1213, "deadlock")).Then(0, 1, LocalRequest("g")).Then(1, 3, Ok())
                : FirstIsLoaded.Then(0, 1, Ok()).Then(0, 1, LocalRequest("g")).Then(1, 3, Error(1213, "deadlock")))
            .ThenAnswer(Ok()));
        await LoadFirstAsync(session);
        Assert.Equal(1213, (await FailsAsync(session.ExecuteAsync("COMMIT", default))).Code);
        await session.ExecuteAsync("ROLLBACK", default);
        Assert.Equal([.. FirstAndAnnouncement, "", "\u0003ROLLBACK"], Heard(peer));
    }

    [Fact]
    public async Task Where_its_prologue_failed_it_gets_nothing()
    {
        var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded
            .Then(0, 1, Error(1317, "killed")).Then(0, 1, LocalRequest("g")).Then(1, 3, Ok())
            .ThenAnswer(Ok()));
        await LoadFirstAsync(session);
        Assert.Equal(1317, (await FailsAsync(LoadSecondAsync(session))).Code);
        await session.ExecuteAsync("ROLLBACK", default);
        Assert.Equal([.. FirstAndAnnouncement, "", "\u0003ROLLBACK"], Heard(peer));
    }

    [Theory]
    [InlineData("/etc/passwd")]
    [InlineData("f")]
    public async Task Another_file_is_refused(string asked)
    {
        foreach (var command in (Func<ServerSession, Task>[])
            [
                async session => await LoadSecondAsync(session),
                async session => await session.ExecuteAsync("COMMIT", default),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded.Then(0, 1, Ok()).Then(0, 1, LocalRequest(asked)).Then(1, 3, Ok()));
            await LoadFirstAsync(session);
            Assert.Equal(FaultKind.Protocol, (await Assert.ThrowsAsync<ServerException>(() => command(session))).Kind);
            Assert.Equal([.. FirstAndAnnouncement, ""], Heard(peer));
            Assert.True(peer.IsClosed);
            Assert.False(session.IsUsable);
        }
    }

    [Fact]
    public async Task A_server_that_goes_away_in_between_has_lost_the_session()
    {
        foreach (var end in (Script[])[new Script(), new Script().Then(0, 1, Ok()),
            new Script().Then(0, 0, Error(1927, "Connection was killed"))])
        {
            foreach (var command in (Func<ServerSession, Task>[])
                [
                    async session => await LoadSecondAsync(session),
                    async session => await session.ExecuteAsync("COMMIT", default),
                ])
            {
                var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded.Then(end));
                await LoadFirstAsync(session);
                Assert.Equal(FaultKind.SessionLost, (await Assert.ThrowsAsync<ServerException>(() => command(session))).Kind);
                Assert.Equal(FirstAndAnnouncement, Heard(peer));
                Assert.False(session.IsUsable);
            }
        }
    }

    [Fact]
    public async Task Cancelling_closes_the_session_without_an_end_of_file()
    {
        foreach (var command in (Func<ServerSession, CancellationToken, Task>[])
            [
                async (session, token) => await LoadSecondAsync(session, token),
                async (session, token) => await session.ExecuteAsync("COMMIT", token),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded.Then(0, 1, Ok()).Then(9, 1, LocalRequest("g")));
            await LoadFirstAsync(session);
            using var cancel = new CancellationTokenSource();
            var running = command(session, cancel.Token);
            Assert.False(running.IsCompleted);
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
            Assert.Equal(FirstAndAnnouncement, Heard(peer));
            Assert.True(peer.IsClosed);
        }
    }

    [Fact]
    public async Task Closing_sends_no_farewell_which_would_be_taken_for_content()
    {
        var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded.Then(9, 1, Ok()));
        await LoadFirstAsync(session);
        await session.DisposeAsync();
        Assert.Equal(FirstAndAnnouncement, Heard(peer));
        Assert.True(peer.IsClosed);
    }

    [Fact]
    public async Task It_is_sent_before_the_caller_computes_anything()
    {
        var (session, peer) = await Peers.ConnectAsync(FirstIsLoaded);
        var heard = 0;
        await session.LoadLocalAsync(First, "1\n"u8.ToArray(), Second, () => heard = peer.Heard.Count, default);
        Assert.Equal(7, heard);
    }
}
