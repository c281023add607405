using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

public sealed class BulkExecutionTests
{
    private static readonly Script PreparedThere = Peers.MariaDbLogin.ThenAnswer(Prepared(7, 0, 2), Column("?"), Column("?"));

    private static async Task<(ServerSession Session, ScriptedPeer Peer, PreparedStatement Statement)> PrepareAsync(Script script)
    {
        var (session, peer) = await Peers.ConnectAsync(script);
        return (session, peer, await session.PrepareAsync("INSERT", default));
    }

    private static BulkParameters TwoRows()
    {
        var parameters = new BulkParameters([ParameterType.Int64, ParameterType.Text]);
        parameters.AddInt64(-2);
        parameters.AddBytes("ab"u8);
        parameters.AddNull();
        parameters.AddDefault();
        return parameters;
    }

    [Fact]
    public async Task Rows_go_in_one_packet_with_a_mark_before_each_value_and_their_types_once()
    {
        var (session, peer, statement) = await PrepareAsync(PreparedThere
            .ThenAnswer(Ok(2, info: "Records: 2  Duplicates: 0  Warnings: 0")).ThenAnswer(Ok(1)).ThenAnswer(Ok(1)));
        var parameters = TwoRows();
        Assert.Equal((2, 4, 2), (parameters.Count, parameters.Filled, parameters.RowCount));
        Assert.Equal(2ul, (await session.ExecuteAsync(null, statement, parameters, default)).AffectedRows);

        parameters.Reset();
        parameters.AddInt64(1);
        parameters.AddBytes([]);
        await session.ExecuteAsync(null, statement, parameters, default);

        var single = new BinaryParameters([ParameterType.Int64, ParameterType.Text]);
        single.AddInt64(1);
        single.AddNull();
        await session.ExecuteAsync(null, statement, single, default);
        Assert.Equal(
            [
                "FA" + "07000000" + "8000" + "0800FD00" + "00FEFFFFFFFFFFFFFF" + "00026162" + "01" + "02",
                "FA" + "07000000" + "0000" + "000100000000000000" + "0000",
                "17" + "07000000" + "00" + "01000000" + "02" + "00" + "0100000000000000",
            ],
            peer.Heard.Skip(2).Select(Convert.ToHexString));
    }

    [Fact]
    public async Task It_goes_behind_a_prologue_and_in_a_pipeline()
    {
        var (session, peer, statement) = await PrepareAsync(PreparedThere
            .Then(2, 1, Ok()).Then(0, 1, Ok(2))
            .Then(4, 1, Ok()).Then(0, 1, Ok(2)).Then(0, 1, Ok()).Then(0, 1, Error(1062, "Duplicate entry")));
        var parameters = TwoRows();
        Assert.Equal(2ul, (await session.ExecuteAsync("SAVEPOINT", statement, parameters, default)).AffectedRows);
        var pipeline = new Pipeline();
        for (var i = 0; i < 2; i++)
        {
            pipeline.Add("SAVEPOINT"u8);
            pipeline.Add(statement, parameters);
        }

        await session.RunAsync(pipeline, default);
        Assert.Equal([0ul, 2ul, 0ul, 0ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        Assert.Equal((3, 1062), (pipeline.Faults.Single().Command, pipeline.Faults.Single().Error.Code));
        Assert.Equal(
            "FA" + "07000000" + "8000" + "0800FD00" + "00FEFFFFFFFFFFFFFF" + "00026162" + "01" + "02", Convert.ToHexString(peer.Heard[5]));
        Assert.Equal("FA" + "07000000" + "0000" + "00FEFFFFFFFFFFFFFF" + "00026162" + "01" + "02", Convert.ToHexString(peer.Heard[7]));
    }

    [Fact]
    public async Task No_rows_and_half_a_row_are_never_sent()
    {
        var (session, peer, statement) = await PrepareAsync(PreparedThere);
        var parameters = new BulkParameters([ParameterType.Int64, ParameterType.Text]);
        await RefuseAsync(parameters);
        parameters.AddInt64(1);
        await RefuseAsync(parameters);
        parameters.AddNull();
        parameters.AddNull();
        await RefuseAsync(parameters);
        await RefuseAsync(new BulkParameters([]));
        Assert.Equal(2, peer.Heard.Count);

        async Task RefuseAsync(BulkParameters refused)
        {
            await Assert.ThrowsAsync<ArgumentException>(async () => await session.ExecuteAsync(null, statement, refused, default));
            Assert.Throws<ArgumentException>(() => new Pipeline().Add(statement, refused));
        }
    }

    [Fact]
    public async Task Where_it_was_not_agreed_on_it_is_never_sent()
    {
        var (session, peer, statement) =
            await PrepareAsync(Peers.Login.ThenAnswer(Prepared(7, 0, 2), Column("?"), Column("?")).ThenAnswer(Ok()));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await session.ExecuteAsync(null, statement, TwoRows(), default));
        var pipeline = new Pipeline();
        pipeline.Add(statement, TwoRows());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await session.RunAsync(pipeline, default));
        Assert.Equal(2, peer.Heard.Count);
        await session.ExecuteAsync("x", default);
    }

    [Theory]
    [InlineData(10, 1)]
    [InlineData(20, 2)]
    [InlineData(40, 3)]
    public async Task Rows_beyond_one_packet_are_split_and_answered_by_their_sequence(int rows, int packets)
    {
        var (session, peer, statement) = await PrepareAsync(PreparedThere.Then(packets, packets, Ok((ulong)rows)));
        var parameters = new BulkParameters([ParameterType.Int64, ParameterType.Text]);
        var value = new byte[1_000_000];
        for (var i = 0; i < rows; i++)
        {
            parameters.AddInt64(i);
            parameters.AddBytes(value);
        }

        Assert.Equal((ulong)rows, (await session.ExecuteAsync(null, statement, parameters, default)).AffectedRows);
        Assert.Equal(1 + 4 + 2 + 4 + (rows * (1 + 8 + 1 + 4 + value.Length)), peer.Heard.Skip(2).Sum(packet => packet.Length));
        Assert.Equal(parameters.ByteCount, rows * (1 + 8 + 1 + 4 + value.Length));
    }

    [Fact]
    public async Task An_error_leaves_the_session_usable()
    {
        var (session, _, statement) = await PrepareAsync(PreparedThere.ThenAnswer(Error(1062, "Duplicate entry")).ThenAnswer(Ok(9)));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync(null, statement, TwoRows(), default));
        Assert.Equal(1062, fault.Code);
        Assert.Equal(9ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }
}
