using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>Statements that go out in one piece with an execution, before it.</summary>
public sealed class LeadingStatementTests
{
    private static readonly Func<ServerSession, Task<OkResult>> Text =
        async session => await session.ExecuteAsync("SAVEPOINT", "INSERT"u8.ToArray(), default);

    /// <summary>Its statement is prepared by the script's first answer.</summary>
    private static readonly Func<ServerSession, Task<OkResult>> Binary = async session =>
        await session.ExecuteAsync("SAVEPOINT", await session.PrepareAsync("INSERT", default), new BinaryParameters([]), default);

    private static IEnumerable<(Func<ServerSession, Task<OkResult>> Run, Script Script)> Both =>
        [(Text, Peers.Login), (Binary, Peers.Login.ThenAnswer(Prepared(7, 0, 0)))];

    [Fact]
    public async Task It_goes_out_in_one_piece_with_what_follows_and_its_answer_is_not_taken_for_that_ones()
    {
        foreach (var (run, script) in Both)
        {
            var peer = new ScriptedPeer(script.Then(2, 1, Ok(9, warnings: 3)).Then(0, 1, Ok(2)));
            var session = await Peers.ConnectAsync(peer);
            var answer = await run(session);
            Assert.Equal((2ul, (ushort)0), (answer.AffectedRows, answer.Warnings));
            Assert.Equal("\u0003SAVEPOINT", Encoding.UTF8.GetString(peer.Heard[^2]));
            Assert.Equal([0, 0], peer.HeardSequences[^2..]);
            Assert.True(session.IsUsable);
        }
    }

    [Fact]
    public async Task Where_it_fails_the_answer_behind_it_is_taken_and_its_own_fault_told()
    {
        foreach (var (run, script) in Both)
        {
            foreach (var behind in (byte[][])[Ok(2), Error(1062, "Duplicate entry")])
            {
                var (session, _) =
                    await Peers.ConnectAsync(script.Then(2, 1, Error(1213, "deadlock")).Then(0, 1, behind).ThenAnswer(Ok(5)));
                Assert.Equal(1213, (await Assert.ThrowsAsync<ServerException>(() => run(session))).Code);
                Assert.Equal(5ul, (await session.ExecuteAsync("x", default)).AffectedRows);
            }
        }
    }

    [Fact]
    public async Task Where_the_execution_then_goes_wrong_too_the_session_is_closed_and_the_first_fault_told()
    {
        foreach (var (run, script) in Both)
        {
            foreach (var behind in (Script[])[new Script(), new Script().Then(0, 1, LocalRequest("f")).Then(1, 3, Ok()),
                new Script().Then(0, 5, Ok())])
            {
                var (session, peer) = await Peers.ConnectAsync(script.Then(2, 1, Error(1213, "deadlock")).Then(behind));
                Assert.Equal(1213, (await Assert.ThrowsAsync<ServerException>(() => run(session))).Code);
                Assert.False(session.IsUsable);
                Assert.True(peer.IsClosed);
            }
        }
    }

    [Fact]
    public async Task An_execution_that_fails_behind_it_leaves_the_session_usable()
    {
        foreach (var (run, script) in Both)
        {
            var (session, _) =
                await Peers.ConnectAsync(script.Then(2, 1, Ok()).Then(0, 1, Error(1062, "Duplicate entry")).ThenAnswer(Ok()));
            Assert.Equal(1062, (await Assert.ThrowsAsync<ServerException>(() => run(session))).Code);
            await session.ExecuteAsync("x", default);
        }
    }

    [Fact]
    public async Task A_long_statement_behind_it_is_answered_by_its_own_sequence()
    {
        var statement = new byte[(2 * PacketReader.MaxPacketPayload) - 1];
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(4, 1, Ok()).Then(0, 3, Ok(2)));
        Assert.Equal(2ul, (await session.ExecuteAsync("SAVEPOINT", statement.AsMemory(), default)).AffectedRows);
        Assert.Equal([1, 0, 0, 1, 2], peer.HeardSequences);
    }
}
