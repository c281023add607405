using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

public sealed class LocalInfileTests
{
    private const int ContentPacket = 128 * 1024;

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(ContentPacket, 1)]
    [InlineData(ContentPacket + 1, 2)]
    [InlineData(10 * ContentPacket, 10)]
    public async Task The_content_is_sent_and_ended(int length, int packets)
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(LocalRequest("größe"))
            .Then(packets + 1, packets + 3, Ok(5)));
        var content = new byte[length];
        new Random(length).NextBytes(content);
        Assert.Equal(5ul, (await session.LoadLocalAsync(new LocalLoad(null, "LOAD", "größe"), content, null, null, default)).AffectedRows);
        Assert.Equal(content, peer.Heard.Skip(2).SelectMany(packet => packet));
        Assert.Empty(peer.Heard[^1]);
        Assert.True(session.IsUsable);
    }

    [Fact]
    public async Task Sequence_ids_of_a_long_content_wrap()
    {
        const int packets = 300;
        var (session, _) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(LocalRequest("f"))
            .Then(packets + 1, (packets + 3) % 256, Ok(5)));
        await session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), new byte[packets * ContentPacket], null, null, default);
    }

    [Theory]
    [InlineData("/etc/passwd")]
    [InlineData("")]
    [InlineData("F")]
    [InlineData("f\0")]
    public async Task Another_file_is_refused(string asked)
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(LocalRequest(asked)).Then(1, 3, Ok()));
        var fault = await FailsAsync(session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), "content"u8.ToArray(), null, null, default));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
        Assert.Equal(3, peer.Heard.Count);
        Assert.Empty(peer.Heard[^1]);
        Assert.True(peer.IsClosed);
        Assert.False(session.IsUsable);
    }

    [Fact]
    public async Task A_file_that_nobody_offered_is_refused()
    {
        foreach (var statement in (Func<ServerSession, Task>[])
            [
                async session => await session.ExecuteAsync("DO 1", default),
                async session => await session.QueryAsync("SELECT 1", default),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(LocalRequest("/etc/passwd")).Then(1, 3, Ok()));
            var fault = await Assert.ThrowsAsync<ServerException>(() => statement(session));
            Assert.Equal(FaultKind.Protocol, fault.Kind);
            Assert.Empty(peer.Heard[^1]);
            Assert.True(peer.IsClosed);
        }
    }

    [Fact]
    public async Task A_server_that_does_not_ask_has_not_loaded()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Ok(5)));
        Assert.Equal(FaultKind.Protocol,
            (await FailsAsync(session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), new byte[10], null, null, default))).Kind);
        Assert.False(session.IsUsable);
    }

    [Fact]
    public async Task A_refusal_before_the_content_leaves_the_session_usable()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Error(1146, "no table")).ThenAnswer(Ok()));
        Assert.Equal(
            1146, (await FailsAsync(session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), new byte[10], null, null, default))).Code);
        await session.ExecuteAsync("x", default);
    }

    [Fact]
    public async Task A_server_that_answers_too_early_gets_no_end_of_file()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(LocalRequest("f"))
            .Then(2, 4, Error(1290, "no more")));
        var fault =
            await FailsAsync(session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), new byte[10 * ContentPacket], null, null, default));
        Assert.Equal(
            (FaultKind.SessionLost, "the server ended the session: no more (error 1290, SQLSTATE HY000)"), (fault.Kind, fault.Message));
        Assert.False(session.IsUsable);
        Assert.All(peer.Heard, packet => Assert.NotEmpty(packet));
    }

    [Fact]
    public async Task A_statement_before_the_load_goes_out_with_it()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .Then(2, 1, Ok()).Then(0, 1, LocalRequest("f"))
            .Then(2, 4, Ok(5)));
        Assert.Equal(5ul,
            (await session.LoadLocalAsync(new LocalLoad("SAVEPOINT", "LOAD", "f"), "1\n"u8.ToArray(), null, null, default)).AffectedRows);
        Assert.Equal(["\u0003SAVEPOINT", "\u0003LOAD", "1\n", ""], peer.Heard.Skip(1).Select(Encoding.UTF8.GetString));
        Assert.Equal([1, 0, 0, 2, 3], peer.HeardSequences);
    }

    [Fact]
    public async Task Where_the_statement_before_it_failed_the_load_gets_nothing()
    {
        foreach (var load in (Script[])
            [
                new Script().Then(0, 1, LocalRequest("f")).Then(1, 3, Ok()),
                new Script().Then(0, 1, LocalRequest("f")).Then(1, 3, Error(1317, "killed")),
                new Script().Then(0, 1, Error(1146, "no table")),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Error(1213, "deadlock")).Then(load).ThenAnswer(Ok()));
            var fault =
                await FailsAsync(session.LoadLocalAsync(new LocalLoad("SAVEPOINT", "LOAD", "f"), "1\n"u8.ToArray(), null, null, default));
            Assert.Equal((1213, FaultKind.TransactionLost), (fault.Code, fault.Kind));
            Assert.All(peer.Heard.Skip(3), Assert.Empty);
            await session.ExecuteAsync("x", default);
        }
    }

    [Fact]
    public async Task Where_the_load_then_goes_wrong_too_the_session_is_closed_and_the_first_fault_told()
    {
        foreach (var load in (Script[])[new Script().Then(0, 1, LocalRequest("/etc/passwd")), new Script().Then(0, 1, Ok()), new Script()])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Error(1213, "deadlock")).Then(load));
            Assert.Equal(1213, (await FailsAsync(
                session.LoadLocalAsync(new LocalLoad("SAVEPOINT", "LOAD", "f"), "1\n"u8.ToArray(), null, null, default))).Code);
            Assert.All(peer.Heard.Skip(3), Assert.Empty);
            Assert.False(session.IsUsable);
            Assert.True(peer.IsClosed);
        }
    }

    [Fact]
    public async Task Cancelling_half_way_sends_no_end_of_file()
    {
        using var cancel = new CancellationTokenSource();
        var peer = new ScriptedPeer(Peers.Login.ThenAnswer(LocalRequest("f")).Then(100, 5, Ok()));
        var session = await Peers.ConnectAsync(peer);
        peer.OnHeard = packet =>
        {
            if (peer.Heard.Count == 5)
            {
                cancel.Cancel();
            }
        };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () =>
                await session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), new byte[10 * ContentPacket], null, null, cancel.Token));
        Assert.Equal(5, peer.Heard.Count);
        Assert.All(peer.Heard, packet => Assert.NotEmpty(packet));
        Assert.True(peer.IsClosed);
    }

    private static async Task<ServerException> FailsAsync(ValueTask<OkResult> exchange) =>
        await Assert.ThrowsAsync<ServerException>(async () => await exchange);
}
