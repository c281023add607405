using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class PipelineTests
{
    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Each_of_many_updates_has_its_own_answer(string name, Way way)
    {
        const int rows = 20_000;
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server, server.Options(way));
        var session = database.Session;
        await session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, n INT)", default);
        await session.ExecuteAsync("SET autocommit=0", default);
        var insert = await session.PrepareAsync("INSERT INTO t VALUES (?,?)", default);
        var update = await session.PrepareAsync("UPDATE t SET n=? WHERE id=?", default);
        var parameters = new BinaryParameters([ParameterType.Int64, ParameterType.Int64]);
        var pipeline = new Pipeline();
        for (var id = 0; id < rows; id++)
        {
            Add(insert, id, id % 2);
        }

        await session.RunAsync(pipeline, default);
        Assert.Equal((rows, rows, 0), (pipeline.Sent, pipeline.Answered, pipeline.Faults.Count));

        // Every third is not there, and half of the others have the value already.
        pipeline.Clear();
        for (var id = 0; id < rows; id++)
        {
            Add(update, 1, id % 3 == 0 ? -id - 1 : id);
        }

        pipeline.Add("COMMIT"u8);
        await session.RunAsync(pipeline, default);
        Assert.Equal((rows + 1, 0), (pipeline.Answered, pipeline.Faults.Count));
        for (var id = 0; id < rows; id++)
        {
            var (matched, changed) = id % 3 == 0 ? (0, 0) : (1, 1 - (id % 2));
            var answer = pipeline.Answers[id];
            Assert.Equal((ulong)changed, answer.AffectedRows);
            Assert.Equal($"Rows matched: {matched}  Changed: {changed}  Warnings: 0", answer.Info);
        }

        Assert.Equal("3334", await database.ScalarAsync("SELECT COUNT(*) FROM t WHERE n=0"));

        void Add(PreparedStatement statement, long first, long second)
        {
            parameters.Reset();
            parameters.AddInt64(first);
            parameters.AddInt64(second);
            pipeline.Add(statement, parameters);
        }
    }

    [Theory]
    [CombinatorialServers(Way.Plain, Way.Tls, Way.Socket)]
    public async Task Rows_longer_than_a_packet_arrive_whole(string name, Way way)
    {
        int[] lengths = [1, 17 * 1024 * 1024, 100, 20 * 1024 * 1024, 8 * 1024, 70_000, 17 * 1024 * 1024];
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server, server.Options(way));
        await database.Session.ExecuteAsync("CREATE TABLE t (length INT PRIMARY KEY, b LONGBLOB)", default);
        var statement = await database.Session.PrepareAsync("REPLACE INTO t VALUES (?,?)", default);
        var parameters = new BinaryParameters([ParameterType.Int64, ParameterType.Bytes]);
        var pipeline = new Pipeline();
        foreach (var length in lengths)
        {
            var value = new byte[length];
            value.AsSpan().Fill((byte)'x');
            parameters.Reset();
            parameters.AddInt64(length);
            parameters.AddBytes(value);
            pipeline.Add(statement, parameters);
        }

        await database.Session.RunAsync(pipeline, default);
        Assert.Equal(lengths.Length, pipeline.Answered);
        Assert.Empty(pipeline.Faults);
        Assert.Equal("6:6", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', SUM(b = REPEAT('x', length))) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_is_under_way_behind_an_error_runs_and_is_undone_by_a_rollback(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY)", default);
        await session.ExecuteAsync("INSERT INTO t VALUES (100)", default);
        await session.ExecuteAsync("SET autocommit=0", default);
        var pipeline = new Pipeline(maxStatements: 10);
        for (var id = 98; id < 150; id++)
        {
            pipeline.Add(Encoding.UTF8.GetBytes($"INSERT INTO t VALUES ({id})"));
        }

        await session.RunAsync(pipeline, default);
        Assert.Equal((10, 10), (pipeline.Sent, pipeline.Answered));
        var fault = Assert.Single(pipeline.Faults);
        Assert.Equal((2, 1062), (fault.Command, fault.Error.Code));
        Assert.Equal("10", (await session.QueryAsync("SELECT COUNT(*) FROM t", default)).Scalar);
        await session.ExecuteAsync("ROLLBACK", default);
        Assert.Equal("100", await database.ScalarAsync("SELECT GROUP_CONCAT(id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Answers_longer_than_commands_do_not_block_a_server_that_nobody_reads(string name)
    {
        // Thousands of errors: each answer is longer than its command, and only those behind the first are unasked for.
        const int commands = 20_000;
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var pipeline = new Pipeline(commands, int.MaxValue);
        for (var i = 0; i < commands; i++)
        {
            pipeline.Add("DO no_such_function_of_any_server_with_a_name_of_some_length()"u8);
        }

        await database.Session.RunAsync(pipeline, default).AsTask().WaitAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(pipeline.Sent, pipeline.Faults.Count);
        Assert.InRange(pipeline.Sent, 1, commands);
        Assert.Equal("1", (await database.Session.QueryAsync("SELECT 1", default)).Scalar);
    }
}
