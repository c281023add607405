using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

public sealed class SessionTests
{
    private const ushort MoreResults = 0x000a;

    [Fact]
    public async Task An_ok_packet_is_read_with_all_its_numbers()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(Ok(ulong.MaxValue, 1ul << 40, 0x22, 65535, "Records: 3"))
            .ThenAnswer(Ok(250, 251))
            .ThenAnswer([.. Ok(65536), .. "without a length"u8]));
        Assert.Equal(new OkResult(ulong.MaxValue, 1ul << 40, 65535, "Records: 3", 0x22), await session.ExecuteAsync("DO 'ä'", default));
        Assert.Equal(new OkResult(250, 251, 0, "", 2), await session.ExecuteAsync(null, "DO 2"u8.ToArray().AsMemory(), default));
        Assert.Equal(new OkResult(65536, 0, 0, "without a length", 2), await session.ExecuteAsync("DO 3", default));
        Assert.Equal("\u0003DO 'ä'", Encoding.UTF8.GetString(peer.Heard[1]));
        Assert.Equal([1, 0, 0, 0], peer.HeardSequences);
    }

    [Fact]
    public async Task The_same_info_is_decoded_once()
    {
        var ok = Ok(info: "Records: 3  Duplicates: 0  Warnings: 0");
        var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(ok).ThenAnswer(ok));
        Assert.Same((await session.ExecuteAsync("DO 1", default)).Info, (await session.ExecuteAsync("DO 1", default)).Info);
    }

    [Theory]
    [InlineData("23000", "23000")]
    [InlineData(null, "HY000")]
    public async Task An_error_leaves_the_session_usable(string? sent, string sqlState)
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Error(1062, "Duplicate", sent)).ThenAnswer(Ok()));
        var fault = await FailsAsync(session.ExecuteAsync("x", default));
        Assert.Equal((1062, sqlState, "Duplicate", FaultKind.Data), (fault.Code, fault.SqlState, fault.ServerText, fault.Kind));
        Assert.True(session.IsUsable);
        await session.ExecuteAsync("x", default);
    }

    [Theory]
    [InlineData(1053)]
    [InlineData(1153)]
    [InlineData(1927)]
    [InlineData(4031)]
    public async Task An_error_that_ends_the_session_closes_it(int code)
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Error(code, "the end")));
        Assert.Equal(code, (await FailsAsync(session.ExecuteAsync("x", default))).Code);
        Assert.False(session.IsUsable);
        Assert.True(peer.IsClosed);
        Assert.Equal(FaultKind.SessionLost, (await FailsAsync(session.ExecuteAsync("x", default))).Kind);
    }

    [Theory]
    [InlineData(4031, "4031")]
    [InlineData(1927, "1927")]
    [InlineData(1317, "the server ended the session: ")]
    [InlineData(1062, "the server ended the session: ")]
    public async Task A_farewell_that_came_before_the_command_was_taken_for_a_violation(int code, string expected)
    {
        foreach (var command in (Func<ServerSession, Task>[])
            [
                async session => await session.ExecuteAsync("x", default),
                async session => await session.QueryAsync("x", default),
                async session => await session.PrepareAsync("x", default),
                async session => await session.LoadLocalAsync(new LocalLoad(null, "x", "f"), default, null, null, default),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(0, 0, Error(code, "bye")));
            var fault = await Assert.ThrowsAsync<ServerException>(() => command(session));
            Assert.Equal(FaultKind.SessionLost, fault.Kind);
            Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
            Assert.Contains("bye", fault.Message, StringComparison.Ordinal);
            Assert.False(session.IsUsable);
            Assert.True(peer.IsClosed);
        }
    }

    [Fact]
    public async Task A_farewell_is_an_error_and_comes_first()
    {
        foreach (var answer in (Script[])[new Script().Then(1, 0, Ok()),
            new Script().Then(1, 1, ColumnCount(1)).Then(0, 0, Error(4031, "bye"))])
        {
            var (session, _) = await Peers.ConnectAsync(Peers.Login.Then(answer));
            Assert.Equal(FaultKind.Protocol, (await FailsAsync(session.QueryAsync("x", default))).Kind);
        }
    }

    [Fact]
    public async Task An_old_end_of_rows_is_taken_although_both_sides_can_do_without()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(ColumnCount(1), Column("a"), Row("1"), Eof(MoreResults), ColumnCount(1), Column("b"), Eof())
            .ThenAnswer(Ok(2)));
        Assert.Equal("1", (await session.QueryAsync("x", default)).Scalar);
        Assert.Equal(2ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Rows_are_read_with_and_without_eof_packets(bool deprecatesEof)
    {
        byte[][] eof = deprecatesEof ? [] : [Eof()];
        var end = deprecatesEof ? OkAtEnd() : Eof();
        var (session, _) = await Peers.ConnectAsync((deprecatesEof ? Peers.Login : Peers.OldLogin)
            .ThenAnswer([ColumnCount(2), Column("a"), Column("größe"), .. eof, Row("1", null), Row("", "🚀"), Row(null, null), end])
            .ThenAnswer([ColumnCount(1), Column("a"), .. eof, end])
            .ThenAnswer(Ok()));
        var rows = await session.QueryAsync("x", default);
        Assert.Equal(["a", "größe"], rows.Columns);
        Assert.Equal(
            "1,NULL|,🚀|NULL,NULL", string.Join("|", rows.Rows.Select(row => string.Join(",", row.Select(value => value ?? "NULL")))));
        Assert.Empty((await session.QueryAsync("x", default)).Rows);
        Assert.Empty((await session.QueryAsync("x", default)).Columns);
    }

    [Fact]
    public async Task An_error_among_rows_is_the_answer()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(ColumnCount(1), Column("a"), Row("1"), Error(1317, "interrupted"))
            .ThenAnswer(Ok()));
        Assert.Equal(1317, (await FailsAsync(session.QueryAsync("x", default))).Code);
        await session.ExecuteAsync("x", default);
    }

    [Fact]
    public async Task Several_results_are_read_to_their_end()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(ColumnCount(1), Column("a"), Row("1"), OkAtEnd(MoreResults), ColumnCount(1), Column("b"), Row("2"),
                OkAtEnd(MoreResults), Ok(7))
            .ThenAnswer(Ok(1, status: MoreResults), Ok(2)));
        Assert.Equal("1", (await session.QueryAsync("x", default)).Scalar);
        Assert.Equal(2ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }

    [Fact]
    public async Task A_statement_is_prepared_and_executed_with_its_types_once()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(Prepared(7, 1, 2), Column("?"), Column("?"), Column("a"))
            .ThenAnswer(Ok(1))
            .ThenAnswer(Ok(2)));
        var statement = await session.PrepareAsync("INSERT", default);
        Assert.Equal((7u, 2), (statement.Id, statement.ParameterCount));
        var parameters = new BinaryParameters([ParameterType.Int64, ParameterType.Text]);
        parameters.AddInt64(-2);
        parameters.AddNull();
        await session.ExecuteAsync(null, statement, parameters, default);
        await session.ExecuteAsync(null, statement, parameters, default);
        await session.CloseAsync(statement, default);
        await session.DisposeAsync();
        Assert.Equal(
            [
                "16494E53455254",
                "17" + "07000000" + "00" + "01000000" + "02" + "01" + "0800FD00" + "FEFFFFFFFFFFFFFF",
                "17" + "07000000" + "00" + "01000000" + "02" + "00" + "FEFFFFFFFFFFFFFF",
                "1907000000",
                "01",
            ],
            peer.Heard.Skip(1).Select(Convert.ToHexString));
    }

    [Fact]
    public async Task A_prepare_is_read_with_eof_packets_too()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.OldLogin
            .ThenAnswer(Prepared(7, 1, 2), Column("?"), Column("?"), Eof(), Column("a"), Eof())
            .ThenAnswer(Prepared(8, 0, 0))
            .ThenAnswer(Ok()));
        await session.PrepareAsync("x", default);
        var statement = await session.PrepareAsync("x", default);
        await session.ExecuteAsync(null, statement, new BinaryParameters([]), default);
    }

    [Fact]
    public async Task The_answer_to_a_split_statement_goes_on_counting()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(3, 3, Ok(9)));
        await session.ExecuteAsync(null, new byte[(2 * PacketReader.MaxPacketPayload) - 1].AsMemory(), default);
        Assert.Equal([1, 0, 1, 2], peer.HeardSequences);
        Assert.Empty(peer.Heard[^1]);
    }

    [Fact]
    public async Task A_session_at_a_command_takes_no_other_and_leaves_without_a_farewell()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Prepared(7, 0, 0)).Then(2, 1, Ok()));
        var statement = await session.PrepareAsync("INSERT", default);
        var executing = session.ExecuteAsync("x", default).AsTask();
        Assert.False(executing.IsCompleted);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await session.ExecuteAsync("y", default));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await session.CloseAsync(statement, default));
        await session.DisposeAsync();
        Assert.Equal(3, peer.Heard.Count);
        Assert.True(peer.IsClosed);
        await session.DisposeAsync();
        Assert.Equal(FaultKind.SessionLost, (await Assert.ThrowsAsync<ServerException>(() => executing)).Kind);
    }

    [Fact]
    public async Task A_statement_prepared_elsewhere_would_have_been_another_one_here()
    {
        var (first, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Prepared(7, 0, 0)));
        var (second, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Prepared(7, 0, 0)).ThenAnswer(Ok()));
        var statement = await first.PrepareAsync("INSERT", default);
        await second.PrepareAsync("DELETE", default);
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await second.ExecuteAsync(null, statement, new BinaryParameters([]), default));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await second.CloseAsync(statement, default));
        Assert.Equal(2, peer.Heard.Count);
        await second.ExecuteAsync("x", default);
    }

    [Fact]
    public async Task Cancelling_closes_the_session()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Ok()));
        using var cancel = new CancellationTokenSource();
        var executing = session.ExecuteAsync("x", cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => executing);
        Assert.False(session.IsUsable);
        Assert.True(peer.IsClosed);
    }

    [Fact]
    public async Task The_last_words_of_a_server_that_hung_up_are_heard()
    {
        var isReset = false;
        var peer = new ScriptedPeer(Peers.Login.Then(0, 5, Error(1153, "Got a packet bigger than 'max_allowed_packet' bytes")))
        {
            WritesFail = () => isReset,
        };
        var session = await Peers.ConnectAsync(peer);
        isReset = true;
        var fault = await FailsAsync(session.ExecuteAsync("x", default));
        Assert.Equal((1153, FaultKind.Packet), (fault.Code, fault.Kind));
        Assert.False(session.IsUsable);
    }

    [Theory]
    [InlineData(1290, FaultKind.SessionLost)]
    [InlineData(1062, FaultKind.SessionLost)]
    [InlineData(1317, FaultKind.SessionLost)]
    [InlineData(1153, FaultKind.Packet)]
    public async Task The_last_words_of_a_closed_session_had_the_kind_of_an_ordinary_error(int code, object kind)
    {
        var isReset = false;
        var peer = new ScriptedPeer(Peers.Login.Then(0, 5, Error(code, "no more"))) { WritesFail = () => isReset };
        var session = await Peers.ConnectAsync(peer);
        isReset = true;
        var fault = await FailsAsync(session.ExecuteAsync("x", default));
        Assert.Equal(kind, fault.Kind);
        Assert.Contains($"no more (error {code}", fault.Message, StringComparison.Ordinal);
        Assert.False(session.IsUsable);
    }

    [Fact]
    public async Task A_connection_that_breaks_is_told_with_its_endpoint()
    {
        var isReset = false;
        var peer = new ScriptedPeer(Peers.Login) { WritesFail = () => isReset };
        var session = await Peers.ConnectAsync(peer);
        isReset = true;
        var fault = await FailsAsync(session.ExecuteAsync("x", default));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
        Assert.Equal("the connection to db.example:3306 broke: connection reset by peer", fault.Message);
    }

    [Fact]
    public async Task A_statement_with_half_a_character_cost_the_session()
    {
        const string half = "DO '\ud800'";
        foreach (var command in (Func<ServerSession, Task>[])
            [
                async session => await session.ExecuteAsync(half, default),
                async session => await session.QueryAsync(half, default),
                async session => await session.PrepareAsync(half, default),
                async session => await session.LoadLocalAsync(new LocalLoad(null, half, "f"), default, null, null, default),
                async session => await session.LoadLocalAsync(new LocalLoad("x", "LOAD", half), default, null, null, default),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Ok()));
            var fault = await Assert.ThrowsAsync<RequestException>(() => command(session));
            Assert.Contains("character 5 of its statement is half a character (U+D800)", fault.Message, StringComparison.Ordinal);
            Assert.Single(peer.Heard);
            await session.ExecuteAsync("x", default);
        }
    }

    private static async Task<ServerException> FailsAsync<T>(ValueTask<T> exchange) =>
        await Assert.ThrowsAsync<ServerException>(async () => await exchange);
}
