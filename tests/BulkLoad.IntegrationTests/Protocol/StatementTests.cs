using BulkLoad.Core.Input;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class StatementTests
{
    private const int Packet = 0xffffff;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_answer_tells_counts_ids_warnings_and_info(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync(
            "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, age TINYINT) AUTO_INCREMENT 18446744073709551000", default);
        await session.ExecuteAsync("SET sql_mode=''", default);
        var answer = await session.ExecuteAsync("INSERT INTO t (age) VALUES (1),(2),(999)", default);
        Assert.Equal(3ul, answer.AffectedRows);
        Assert.Equal(18446744073709551000ul, answer.LastInsertId);
        Assert.Equal(1, answer.Warnings);
        Assert.Equal("Records: 3  Duplicates: 0  Warnings: 1", answer.Info);
        Assert.Equal("", (await session.ExecuteAsync("DO 1", default)).Info);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task More_than_65535_rows_are_counted(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT)", default);
        await database.Session.ExecuteAsync("INSERT INTO t VALUES (1)", default);
        OkResult answer = default;
        for (var i = 0; i < 17; i++)
        {
            answer = await database.Session.ExecuteAsync("INSERT INTO t SELECT id FROM t", default);
        }

        Assert.Equal(65536ul, answer.AffectedRows);
        Assert.Equal("Records: 65536  Duplicates: 0  Warnings: 0", answer.Info);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_are_read_as_text_with_nulls(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var rows = await database.Session.QueryAsync(
            "SELECT 1 AS a, NULL AS `Größe`, '' AS nothing, '🚀' AS c UNION ALL SELECT -5, 'x', REPEAT('y', 300), NULL", default);
        Assert.Equal(["a", "Größe", "nothing", "c"], rows.Columns);
        Assert.Equal(2, rows.Rows.Count);
        Assert.Equal((string?[])["1", null, "", "🚀"], rows.Rows[0]);
        Assert.Equal((string?[])["-5", "x", new string('y', 300), null], rows.Rows[1]);
        Assert.Empty((await database.Session.QueryAsync("SELECT 1 FROM DUAL WHERE 1=0", default)).Rows);
        Assert.Empty((await database.Session.QueryAsync("DO 1", default)).Columns);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_servers_error_leaves_the_session_usable(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY)", default);
        await session.ExecuteAsync("INSERT INTO t VALUES (1)", default);
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync("INSERT INTO t VALUES (1)", default));
        Assert.Equal((1062, "23000", FaultKind.Data), (fault.Code, fault.SqlState, fault.Kind));
        Assert.Contains("Duplicate entry '1'", fault.ServerText, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAsync("SELECT nonsense", default));
        await Assert.ThrowsAsync<ServerException>(async () => await session.PrepareAsync("SELECT nonsense FROM", default));

        // An error after rows have begun to come.
        await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAsync(
            "SELECT CASE id WHEN 1 THEN (SELECT 1 UNION SELECT 2) END FROM t", default));
        Assert.Equal("1", (await session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_where_none_are_expected_close_the_session(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await database.Session.ExecuteAsync("SELECT 1", default));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
        Assert.False(database.Session.IsUsable);
        fault = await Assert.ThrowsAsync<ServerException>(async () => await database.Session.ExecuteAsync("DO 1", default));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_procedure_with_several_results_is_read_to_its_end(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE PROCEDURE p() BEGIN SELECT 1 AS a; SELECT 2 AS b; END", default);
        Assert.Equal("1", (await database.Session.QueryAsync("CALL p()", default)).Scalar);
        Assert.Equal("3", (await database.Session.QueryAsync("SELECT 3", default)).Scalar);
    }

    [Theory]
    [CombinatorialServers(Packet - 1, Packet, Packet + 1, 20 * 1024 * 1024, 2 * Packet, (2 * Packet) + 1)]
    public async Task A_statement_of_any_length_arrives_whole(string name, int payloadLength)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(), default);
        const string head = "SET @x = LENGTH('";
        const string tail = "')";
        var length = payloadLength - 1 - head.Length - tail.Length;
        var statement = Encoding.UTF8.GetBytes(head + new string('x', length) + tail);
        await session.ExecuteAsync(null, statement.AsMemory(), default);
        Assert.Equal($"{length}", (await session.QueryAsync("SELECT @x", default)).Scalar);
    }

    [Theory]
    [CombinatorialServers(Packet - 5, Packet - 4, Packet - 3, 17 * 1024 * 1024, 2 * Packet - 4)]
    public async Task A_value_of_any_length_is_read_whole(string name, int length)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(), default);
        var rows = await session.QueryAsync($"SELECT REPEAT('x', {length}) UNION ALL SELECT 'last'", default);
        Assert.Equal(length, rows.Rows[0][0]!.Length);
        Assert.Equal("last", rows.Rows[1][0]);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_result_larger_than_the_bound_closes_the_session(string name)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(), default);
        var value = "REPEAT('x', 30000000)";
        var fault = await Assert.ThrowsAsync<ServerException>(
            async () => await session.QueryAsync($"SELECT {value} UNION ALL SELECT {value} UNION ALL SELECT {value}", default));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
        Assert.False(session.IsUsable);
    }

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task A_statement_above_the_servers_limit_is_a_packet_fault_and_ends_the_session(string name, Way way)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(way), default);
        var statement = Encoding.UTF8.GetBytes($"DO LENGTH('{new string('x', 70 * 1024 * 1024)}')");
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync(null, statement.AsMemory(), default));
        Assert.Equal((1153, FaultKind.Packet), (fault.Code, fault.Kind));
        Assert.False(session.IsUsable);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_query_is_killed_from_beside(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var blocker = await database.ConnectAsync();
        await blocker.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY)", default);
        await blocker.ExecuteAsync("INSERT INTO t VALUES (1)", default);
        await blocker.ExecuteAsync("BEGIN", default);
        await blocker.ExecuteAsync("DELETE FROM t", default);
        var session = database.Session;
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), TimeProvider.System, default);
        var waiting = session.ExecuteAsync("DELETE FROM t", default).AsTask();
        while (!waiting.IsCompleted)
        {
            // A kill before the statement began would be lost.
            await QueryKiller.KillQueryAsync(server.Options(), facts, session.Server.ConnectionId, default);
        }

        Assert.Equal(1317, (await Assert.ThrowsAsync<ServerException>(() => waiting)).Code);
        Assert.True(session.IsUsable);
        await blocker.ExecuteAsync("ROLLBACK", default);
        Assert.Equal("1", (await session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
        var fault = await Assert.ThrowsAsync<ServerException>(
            () => QueryKiller.KillQueryAsync(server.Options(), facts with { ConnectionId = 0x7fffffff }, 0x7fffffff, default));
        Assert.Equal(1094, fault.Code);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Cancelling_closes_the_session_and_the_server_rolls_back(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY)", default);
        await session.ExecuteAsync("BEGIN", default);
        await session.ExecuteAsync("INSERT INTO t VALUES (1)", default);
        using var cancel = new CancellationTokenSource();
        var sleeping = session.ExecuteAsync("DO SLEEP(60)", cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sleeping);
        Assert.False(session.IsUsable);

        // The server itself would notice only after some seconds.
        await using var side = await database.ConnectAsync();
        await side.ExecuteAsync($"KILL {session.Server.ConnectionId}", default);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    [Theory]
    [CombinatorialServers(true, false)]
    public async Task The_farewell_to_an_idle_session_is_no_violation(string name, bool isKilled)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.QueryAsync($"SELECT GET_LOCK('{database.Name}', 0)", default);
        if (isKilled)
        {
            await using var side = await database.ConnectAsync();
            await side.ExecuteAsync($"KILL {session.Server.ConnectionId}", default);
        }
        else
        {
            await session.ExecuteAsync("SET wait_timeout=1", default);
        }

        // The lock is free once the server has ended the session.
        Assert.Equal("1", await database.ScalarAsync($"SELECT GET_LOCK('{database.Name}', 60)"));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync("DO 1", default));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
        Assert.False(session.IsUsable);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_that_the_server_ended_is_lost(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await using var side = await database.ConnectAsync();
        await side.ExecuteAsync($"KILL {database.Session.Server.ConnectionId}", default);
        var fault = await Assert.ThrowsAsync<ServerException>(async () =>
        {
            while (true)
            {
                await database.Session.ExecuteAsync("DO SLEEP(0.01)", default);
            }
        });
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
        Assert.False(database.Session.IsUsable);
    }
}
