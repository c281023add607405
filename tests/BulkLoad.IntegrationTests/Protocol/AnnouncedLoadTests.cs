using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

/// <summary>Loads that are sent behind the content of the one before, each behind a savepoint, as a real server takes them.</summary>
public sealed class AnnouncedLoadTests
{
    private const string Statement = "LOAD DATA LOCAL INFILE 'bulkload-7f3a' INTO TABLE t";

    private static readonly LocalLoad[] Loads =
        [new("SAVEPOINT one", Statement, "bulkload-7f3a"), new("SAVEPOINT two", Statement, "bulkload-7f3a")];

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Loads_in_a_row_are_all_loaded(string name, Way way)
    {
        var server = Servers.Get(name);
        await using var database = await WithTableAsync(server, server.Options(way));
        for (var i = 0; i < 20; i++)
        {
            var answer = await database.Session.LoadLocalAsync(
                Loads[i & 1], Rows(i * 5000, 5000), i < 19 ? Loads[(i + 1) & 1] : null, null, default);
            Assert.Equal((5000ul, (ushort)0), (answer.AffectedRows, answer.Warnings));
        }

        await database.Session.ExecuteAsync("COMMIT", default);
        Assert.Equal("100000:4999950000", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', SUM(id)) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_load_with_a_warning_is_undone_alone_though_the_next_savepoint_was_set(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        await session.LoadLocalAsync(Loads[0], Rows(10, 2), Loads[1], null, default);
        Assert.Equal(1, (await session.LoadLocalAsync(Loads[1], "20\tx\nq\tx\n"u8.ToArray(), Loads[0], null, default)).Warnings);
        await session.ExecuteAsync("ROLLBACK TO two", default);
        await session.LoadLocalAsync(Loads[0], Rows(30, 2), Loads[1], null, default);
        await session.LoadLocalAsync(Loads[1], Rows(40, 2), null, null, default);
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("10,11,30,31,40,41", await database.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task One_that_does_not_come_leaves_nothing_and_every_other_command_works(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        var id = 0;
        async Task AnnounceAsync() => await session.LoadLocalAsync(Loads[0], Rows(id++, 1), Loads[1], null, default);

        await AnnounceAsync();
        await session.ExecuteAsync("COMMIT", default);
        await AnnounceAsync();
        Assert.Equal("2", (await session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
        await AnnounceAsync();
        var statement = await session.PrepareAsync("INSERT INTO t VALUES (100, 'p')", default);
        await AnnounceAsync();
        await session.ExecuteAsync("SAVEPOINT three", statement, new BinaryParameters([]), default);
        await AnnounceAsync();
        await session.CloseAsync(statement, default);
        await AnnounceAsync();
        await AnnounceAsync();
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("0,1,2,3,4,5,6,100", await database.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Behind_a_load_that_fails_half_way_through_its_content_it_is_kept_in_step(string name)
    {
        // The server has to read the rest of the content, and nothing of what was announced behind it.
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        var failing = new LocalLoad(
            "SAVEPOINT one", "LOAD DATA LOCAL INFILE 'x' INTO TABLE t (id, @s) SET s = IF(id = 9, (SELECT 1 UNION SELECT 2), @s)", "x");
        foreach (var rows in (int[])[10, 1000, 100_000])
        {
            var fault = await Assert.ThrowsAsync<ServerException>(
                async () => await session.LoadLocalAsync(failing, Rows(0, rows), Loads[1], null, default));
            Assert.Equal(1242, fault.Code);
            await session.LoadLocalAsync(Loads[1], Rows(rows, 1), null, null, default);
            await session.ExecuteAsync("COMMIT", default);
            Assert.Equal($"1:{rows}", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', MAX(id)) FROM t"));
            await session.ExecuteAsync("DELETE FROM t", default);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Behind_a_savepoint_that_fails_it_loads_nothing(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        var next = Loads[1] with { Prologue = "SAVEPOINT" };
        await session.LoadLocalAsync(Loads[0], Rows(0, 1), next, null, default);
        Assert.Equal(1064, (await Assert.ThrowsAsync<ServerException>(
            async () => await session.LoadLocalAsync(next, Rows(1, 1), null, null, default))).Code);
        await session.LoadLocalAsync(Loads[0], Rows(2, 1), next, null, default);
        Assert.Equal(1064, (await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync("COMMIT", default))).Code);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("0,2", await database.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    [Theory]
    [CombinatorialServers(SslMode.Disabled, SslMode.Required)]
    public async Task A_session_that_is_closed_while_one_is_announced_rolls_back(string name, SslMode mode)
    {
        var server = Servers.Get(name);
        await using var database = await WithTableAsync(server, server.Options() with { SslMode = mode, GetServerPublicKey = true });
        await database.Session.QueryAsync($"SELECT GET_LOCK('{database.Name}', 0)", default);
        await database.Session.LoadLocalAsync(Loads[0], Rows(0, 10), Loads[1], null, default);
        await database.Session.DisposeAsync();

        // The lock is free once the server has ended the session.
        Assert.Equal("1", await database.ScalarAsync($"SELECT GET_LOCK('{database.Name}', 60)"));
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_statement_that_is_killed_while_one_is_announced_can_be_rolled_back(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        await session.LoadLocalAsync(Loads[0], Rows(0, 10), Loads[1], null, default);
        await using (var side = await database.ConnectAsync())
        {
            await side.ExecuteAsync($"KILL QUERY {session.Server.ConnectionId}", default);
        }

        try
        {
            await session.ExecuteAsync("ROLLBACK", default);
        }
        catch (ServerException fault) when (fault.Code == (int)ServerError.QueryInterrupted)
        {
            await session.ExecuteAsync("ROLLBACK", default);
        }

        Assert.Equal("0", (await session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_insert_with_a_warning_is_undone_alone_by_the_savepoint_that_went_out_with_it(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        var statement = await session.PrepareAsync("INSERT INTO t VALUES (2, 'x'), ('q', 'x')", default);
        await session.ExecuteAsync("SAVEPOINT one", "INSERT INTO t VALUES (1, 'x')"u8.ToArray(), default);
        foreach (var isPrepared in (bool[])[true, false])
        {
            var answer = isPrepared
                ? await session.ExecuteAsync("SAVEPOINT one", statement, new BinaryParameters([]), default)
                : await session.ExecuteAsync("SAVEPOINT one", "INSERT INTO t VALUES (2, 'x'), ('q', 'x')"u8.ToArray(), default);
            Assert.Equal((2ul, (ushort)1), (answer.AffectedRows, answer.Warnings));
            Assert.Equal("1366", (await session.QueryAsync("SHOW WARNINGS", default)).Rows[0][1]);
            await session.ExecuteAsync("ROLLBACK TO one", default);
        }

        await session.ExecuteAsync("SAVEPOINT one", Encoding.UTF8.GetBytes($"INSERT INTO t VALUES (3, '{new string('x', 100)}')"), default);
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("1,3", await database.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    private static async Task<TestDatabase> WithTableAsync(TestServer server, ConnectionOptions? options = null)
    {
        var database = await TestDatabase.CreateAsync(server, options);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT, s VARCHAR(100))", default);
        await database.Session.ExecuteAsync("SET sql_mode='', autocommit=0", default);
        return database;
    }

    private static byte[] Rows(int first, int count)
    {
        var text = new StringBuilder();
        var value = new string('x', 80);
        for (var i = first; i < first + count; i++)
        {
            text.Append(null, $"{i}\t{value}\n");
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }
}
