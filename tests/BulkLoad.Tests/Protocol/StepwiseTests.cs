using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>Sessions through something that loses its place where a command comes before the answer to the one before it.</summary>
public sealed class StepwiseTests
{
    private static readonly LocalLoad First = new("SAVEPOINT 1", "LOAD 1", "f");
    private static readonly LocalLoad Second = new("SAVEPOINT 2", "LOAD 2", "g");

    /// <summary>The first of three statements has an answer, and the second a byte of the third for its number.</summary>
    private static readonly Script Lost = Peers.Login.Then(3, 1, Ok()).Then(0, 86, Error(1047, "Unknown command 69"));

    [Fact]
    public async Task Answers_out_of_step_to_the_first_statements_are_asked_for_one_by_one_by_a_new_connection()
    {
        var second = new ScriptedPeer(Peers.Login.ThenAnswer(Ok()).ThenAnswer(Rows("a", "1")).ThenAnswer(Ok()));
        var session = await ConnectAsync(new ScriptedPeer(Lost), second);
        Assert.False(session.Server.IsStepwise);
        var answers = await session.QueryAllAsync(["SET x", "SELECT 1", "SET y"], default);
        Assert.Equal("1", answers[1].Scalar);
        Assert.True(session.Server.IsStepwise);
        Assert.Equal(["\u0003SET x", "\u0003SELECT 1", "\u0003SET y"], second.Heard.Skip(1).Select(Encoding.UTF8.GetString));
    }

    [Fact]
    public async Task Nothing_is_sent_ahead_from_then_on()
    {
        var (session, peer) = await LoseStepAsync(Peers.Login.ThenAnswer(Ok()).ThenAnswer(Ok()).ThenAnswer(Ok())
            .ThenAnswer(Ok()).ThenAnswer(Ok(2))
            .ThenAnswer(Ok(3)).ThenAnswer(Ok(4)).ThenAnswer(Ok(5))
            .ThenAnswer(Ok()).ThenAnswer(LocalRequest("f")).Then(2, 4, Ok(6))
            .ThenAnswer(Ok()).ThenAnswer(LocalRequest("g")).Then(2, 4, Ok(7)));
        Assert.Equal(2ul, (await session.ExecuteAsync("SAVEPOINT", "INSERT"u8.ToArray(), default)).AffectedRows);
        var pipeline = new Pipeline();
        for (var i = 0; i < 3; i++)
        {
            pipeline.Add("UPDATE"u8);
        }

        await session.RunAsync(pipeline, default);
        Assert.Equal([3ul, 4ul, 5ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        Assert.Equal(6ul, (await session.LoadLocalAsync(First, "1\n"u8.ToArray(), Second, null, default)).AffectedRows);
        Assert.Equal(7ul, (await session.LoadLocalAsync(Second, "2\n"u8.ToArray(), null, null, default)).AffectedRows);
        Assert.Equal(
            ["SAVEPOINT", "INSERT", "UPDATE", "UPDATE", "UPDATE", "SAVEPOINT 1", "LOAD 1", "1\n", "", "SAVEPOINT 2", "LOAD 2", "2\n", ""],
            peer.Heard.Skip(4).Select(packet => Encoding.UTF8.GetString(packet).TrimStart('\u0003')));
    }

    [Fact]
    public async Task A_statement_whose_savepoint_is_refused_is_not_sent()
    {
        var (session, peer) = await LoseStepAsync(
            Peers.Login.ThenAnswer(Ok()).ThenAnswer(Ok()).ThenAnswer(Ok()).ThenAnswer(Error(1178, "no savepoints")).ThenAnswer(Ok(1)));
        Assert.Equal(1178, (await Assert.ThrowsAsync<ServerException>(
            async () => await session.ExecuteAsync("SAVEPOINT", "INSERT"u8.ToArray(), default))).Code);
        Assert.Equal(1ul, (await session.ExecuteAsync("COMMIT", default)).AffectedRows);
        Assert.Equal(["\u0003SAVEPOINT", "\u0003COMMIT"], peer.Heard.Skip(4).Select(Encoding.UTF8.GetString));
    }

    [Fact]
    public async Task Other_sessions_of_the_same_options_send_nothing_ahead_from_the_start()
    {
        var options = Peers.Options;
        await (await ConnectAsync(
            options, new ScriptedPeer(Lost), new ScriptedPeer(Peers.Login.ThenAnswer(Ok()).ThenAnswer(Ok()).ThenAnswer(Ok()))))
            .QueryAllAsync(["a", "b", "c"], default);
        var third = new ScriptedPeer(Peers.Login.ThenAnswer(Ok()).ThenAnswer(Ok()));
        var session = await ConnectAsync(options with { OffersLocalInfile = false }, third);
        Assert.True(session.Server.IsStepwise);
        await session.QueryAllAsync(["a", "b"], default);
        Assert.True(session.IsUsable);
    }

    [Fact]
    public void Options_are_equal_whatever_their_sessions_have_found_out()
    {
        var options = Peers.Options;
        options.Route.IsStepwise = true;
        Assert.Equal(Peers.Options, options);
        Assert.Equal(Peers.Options.GetHashCode(), options.GetHashCode());
        Assert.NotEqual(Peers.Options with { Port = 3307 }, options);
    }

    [Fact]
    public async Task The_fault_of_the_first_connection_counts_where_there_is_no_second_one()
    {
        var session = await ConnectAsync(new ScriptedPeer(Lost), new ScriptedPeer(new Script()));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAllAsync(["a", "b", "c"], default));
        Assert.Contains("packet 86 came where 1 was due", fault.Message);
    }

    [Fact]
    public async Task Later_answers_out_of_step_end_the_session()
    {
        var session = await ConnectAsync(new ScriptedPeer(Peers.Login.ThenAnswer(Ok()).Then(2, 1, Ok()).Then(0, 86, Ok())));
        await session.ExecuteAsync("x", default);
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAllAsync(["a", "b"], default));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
        Assert.False(session.IsUsable);
    }

    /// <summary>A session that has asked three statements, by its second connection.</summary>
    private static async Task<(ServerSession Session, ScriptedPeer Peer)> LoseStepAsync(Script second)
    {
        var peer = new ScriptedPeer(second);
        var session = await ConnectAsync(new ScriptedPeer(Lost), peer);
        await session.QueryAllAsync(["a", "b", "c"], default);
        return (session, peer);
    }

    private static Task<ServerSession> ConnectAsync(params ScriptedPeer[] peers) => ConnectAsync(Peers.Options, peers);

    private static async Task<ServerSession> ConnectAsync(ConnectionOptions options, params ScriptedPeer[] peers)
    {
        var next = 0;
        return await ServerSession.ConnectAsync(
            options, _ => Task.FromResult(new PacketConnection(peers[next++], Peers.Remote)), default);
    }

    private static byte[][] Rows(string column, string value) => [ColumnCount(1), Column(column), Row(value), OkAtEnd()];
}
