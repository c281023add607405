using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>Several statements for one round trip.</summary>
public sealed class QueryAllTests
{
    private const int MostAhead = 16 * 1024;

    [Fact]
    public async Task Short_statements_are_all_sent_before_an_answer_is_waited_for_and_each_has_its_own()
    {
        var peer = new ScriptedPeer(Peers.Login.Then(3, 1, Rows("a", "1")).Then(0, 1, Ok()).Then(0, 1, Rows("b", "2")));
        var session = await Peers.ConnectAsync(peer);
        var answers = await session.QueryAllAsync(["SELECT 1", "SET x=1", "SELECT 2"], default);
        Assert.Equal(["1", null, "2"], answers.Select(answer => answer.Rows.Count > 0 ? answer.Scalar : null));
        Assert.Equal(["\u0003SELECT 1", "\u0003SET x=1", "\u0003SELECT 2"], peer.Heard.TakeLast(3).Select(Encoding.UTF8.GetString));
        Assert.True(session.IsUsable);
    }

    [Fact]
    public async Task The_first_refusal_is_told_once_all_are_answered()
    {
        var (session, _) = await Peers.ConnectAsync(
            Peers.Login.Then(3, 1, Error(1146, "no such table")).Then(0, 1, Error(1213, "deadlock")).Then(0, 1, Rows("b", "2"))
                .ThenAnswer(Ok(5)));
        Assert.Equal(
            1146, (await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAllAsync(["a", "b", "c"], default))).Code);
        Assert.Equal(5ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }

    [Fact]
    public async Task Long_ones_wait_for_the_answers_to_those_before_so_that_the_two_sides_cannot_wait_for_each_other()
    {
        var half = new string('x', MostAhead / 2);
        string[] statements = [half, half, new string('y', 2 * MostAhead), "z", "SELECT 1"];
        var (session, _) = await Peers.ConnectAsync(
            Peers.Login.Then(2, 1, Ok()).Then(0, 1, Ok()).Then(1, 1, Ok()).Then(2, 1, Ok()).Then(0, 1, Rows("a", "1")));
        Assert.Equal("1", (await session.QueryAllAsync(statements, default))[4].Scalar);

        var silent = new ScriptedPeer(Peers.Login);
        session = await Peers.ConnectAsync(silent);
        var heard = silent.Heard.Count;
        await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAllAsync(statements, default));
        Assert.Equal(2, silent.Heard.Count - heard);
    }

    [Fact]
    public async Task A_connection_that_ends_between_the_answers_closes_the_session()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Rows("a", "1")));
        Assert.Equal(FaultKind.SessionLost,
            (await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAllAsync(["a", "b"], default))).Kind);
        Assert.False(session.IsUsable);
        Assert.True(peer.IsClosed);
    }

    [Fact]
    public async Task Nothing_is_sent_where_there_is_nothing_to_ask()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login);
        var heard = peer.Heard.Count;
        Assert.Empty(await session.QueryAllAsync([], default));
        Assert.Equal(heard, peer.Heard.Count);
    }

    private static byte[][] Rows(string column, string value) => [ColumnCount(1), Column(column), Row(value), OkAtEnd()];
}
