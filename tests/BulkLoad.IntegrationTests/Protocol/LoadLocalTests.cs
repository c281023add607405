using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class LoadLocalTests
{
    private const string FileName = "bulkload-7f3a";
    private const string Load = $"LOAD DATA LOCAL INFILE '{FileName}' INTO TABLE t";

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task A_content_of_5_MiB_is_loaded_whole(string name, Way way)
    {
        var server = Servers.Get(name);
        await using var database = await WithTableAsync(server, server.Options(way));
        var content = Rows(50_000, 100);
        Assert.True(content.Length > 5 * 1024 * 1024);
        var answer = await database.Session.LoadLocalAsync(new LocalLoad(null, Load, FileName), content, null, null, default);
        Assert.Equal(50_000ul, answer.AffectedRows);
        Assert.Equal("Records: 50000  Deleted: 0  Skipped: 0  Warnings: 0", answer.Info);
        Assert.Equal(
            "50000:5000000:1249975000", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', SUM(LENGTH(s)), ':', SUM(id)) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_content_of_no_bytes_loads_no_rows(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var answer =
            await database.Session.LoadLocalAsync(new LocalLoad(null, Load, FileName), ReadOnlyMemory<byte>.Empty, null, null, default);
        Assert.Equal(0ul, answer.AffectedRows);
        Assert.Equal("Records: 0  Deleted: 0  Skipped: 0  Warnings: 0", answer.Info);
        Assert.True(database.Session.IsUsable);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Loads_follow_each_other_with_a_savepoint_sent_ahead(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync("SET autocommit=0", default);
        for (var i = 0; i < 3; i++)
        {
            var answer = await session.LoadLocalAsync(
                new LocalLoad("SAVEPOINT batch", Load, FileName), Encoding.UTF8.GetBytes($"{i}\tx\nq\tx\n"), null, null, default);
            Assert.Equal((2ul, (ushort)1), (answer.AffectedRows, answer.Warnings));
            if (i == 1)
            {
                await session.ExecuteAsync("ROLLBACK TO batch", default);
            }
        }

        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("0,0,0,2", await database.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_load_behind_a_statement_that_fails_loads_nothing(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var fault = await Assert.ThrowsAsync<ServerException>(
            async () =>
                await database.Session.LoadLocalAsync(new LocalLoad("SAVEPOINT", Load, FileName), Rows(10, 10), null, null, default));
        Assert.Equal(1064, fault.Code);
        Assert.Equal("0", (await database.Session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refused_load_leaves_the_session_usable(string name)
    {
        await using var database = await WithTableAsync(Servers.Get(name));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await database.Session.LoadLocalAsync(
            new LocalLoad(null, Load.Replace("TABLE t", "TABLE nothing", StringComparison.Ordinal), FileName), Rows(10, 10), null,
            null, default));
        Assert.Equal(1146, fault.Code);
        await database.Session.ExecuteAsync("ALTER TABLE t ADD CHECK (id < 5)", default);
        fault = await Assert.ThrowsAsync<ServerException>(async () => await database.Session.LoadLocalAsync(
            new LocalLoad(null, "LOAD DATA LOCAL INFILE 'x' INTO TABLE t (id, s) SET s = (SELECT 1 UNION SELECT 2)", "x"),
            Rows(100_000, 100), null, null, default));
        Assert.Equal(1242, fault.Code);
        Assert.Equal("0", (await database.Session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_that_does_not_offer_it_cannot_load(string name)
    {
        var server = Servers.Get(name);
        await using var database = await WithTableAsync(server, server.Options() with { OffersLocalInfile = false });
        var fault = await Assert.ThrowsAsync<ServerException>(
            async () => await database.Session.LoadLocalAsync(new LocalLoad(null, Load, FileName), Rows(1, 1), null, null, default));
        Assert.Equal(FaultKind.Configuration, fault.Kind);
    }

    [Theory]
    [CombinatorialServers(SslMode.Disabled, SslMode.Required)]
    public async Task Nothing_stays_of_a_load_that_is_cancelled_half_way(string name, SslMode mode)
    {
        var server = Servers.Get(name);
        await using var relay = new Relay(server, clientBytes: 2 * 1024 * 1024);
        await using var database = await WithTableAsync(
            server, server.Options() with { Host = Relay.Host, Port = relay.Port, SslMode = mode, GetServerPublicKey = true });
        await database.Session.QueryAsync($"SELECT GET_LOCK('{database.Name}', 0)", default);
        using var cancel = new CancellationTokenSource();
        var loading = database.Session.LoadLocalAsync(new LocalLoad(null, Load, FileName), Rows(500_000, 100), null, null, cancel.Token)
            .AsTask();
        await relay.Frozen;
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => loading);
        Assert.False(database.Session.IsUsable);
        await relay.DisposeAsync();

        // The lock is free once the server has ended the session.
        Assert.Equal("1", await database.ScalarAsync($"SELECT GET_LOCK('{database.Name}', 60)"));
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_server_that_goes_away_is_noticed_while_it_takes_no_more(string name)
    {
        var server = Servers.Get(name);
        await using var relay = new Relay(server, clientBytes: 2 * 1024 * 1024);
        await using var database = await WithTableAsync(server, server.Options() with { Host = Relay.Host, Port = relay.Port });
        var loading = database.Session.LoadLocalAsync(new LocalLoad(null, Load, FileName), Rows(500_000, 100), null, null, default)
            .AsTask();
        await relay.Frozen;
        await using (var side = await ServerSession.ConnectAsync(server.Options(), default))
        {
            await side.ExecuteAsync($"KILL {database.Session.Server.ConnectionId}", default);
        }

        var fault = await Assert.ThrowsAsync<ServerException>(() => loading);
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
        Assert.False(database.Session.IsUsable);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    private static async Task<TestDatabase> WithTableAsync(TestServer server, ConnectionOptions? options = null)
    {
        var database = await TestDatabase.CreateAsync(server, options);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT, s VARCHAR(100))", default);
        await database.Session.ExecuteAsync("SET sql_mode=''", default);
        return database;
    }

    private static byte[] Rows(int count, int length)
    {
        var text = new StringBuilder();
        var value = new string('x', length);
        for (var i = 0; i < count; i++)
        {
            text.Append(null, $"{i}\t{value}\n");
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }
}
