using System.Security.Cryptography;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class PreparedStatementTests
{
    private static readonly ParameterType[] AllTypes =
    [
        ParameterType.Int64, ParameterType.UInt64, ParameterType.Double, ParameterType.Decimal, ParameterType.Text,
        ParameterType.Bytes, ParameterType.Date, ParameterType.DateTime, ParameterType.Time,
    ];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Parameters_of_every_type_are_stored_as_they_are(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var session = database.Session;
        await session.ExecuteAsync(
            "CREATE TABLE t (i BIGINT, u BIGINT UNSIGNED, d DOUBLE, n DECIMAL(40,10), s VARCHAR(100), b VARBINARY(100), "
            + "day DATE, at DATETIME(6), span TIME(6))", default);
        var statement = await session.PrepareAsync("INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?)", default);
        Assert.Equal(AllTypes.Length, statement.ParameterCount);
        var parameters = new BinaryParameters(AllTypes);
        var executed = new List<string>();

        await StoreAsync("-9223372036854775808 18446744073709551615 -1.5 -123456789012345678901234567890.0123456789 Grüße 🚀 00FF0A "
            + "9999-12-31 2026-01-02 03:04:05.000006 -837:59:59.999999", p =>
            {
                p.AddInt64(long.MinValue);
                p.AddUInt64(ulong.MaxValue);
                p.AddDouble(-1.5);
                p.AddBytes("-123456789012345678901234567890.0123456789"u8);
                p.AddBytes("Grüße 🚀"u8);
                p.AddBytes([0x00, 0xff, 0x0a]);
                p.AddDateTime(9999, 12, 31, 0, 0);
                p.AddDateTime(2026, 1, 2, (3 * 3600) + (4 * 60) + 5, 6);

                // MySQL 9.7 refuses a binary TIME of 838 hours with a fraction (1690).
                p.AddTime(true, (837 * 3600) + (59 * 60) + 59, 999_999);
            });
        await StoreAsync("0 9223372036854775808 0 0.0000000000   1970-01-01 1000-01-01 00:00:00.000000 00:00:00.000000", p =>
            {
                p.AddInt64(0);
                p.AddUInt64(1ul << 63);
                p.AddDouble(0);
                p.AddBytes("0"u8);
                p.AddBytes([]);
                p.AddBytes([]);
                p.AddDateTime(1970, 1, 1, 0, 0);
                p.AddDateTime(1000, 1, 1, 0, 0);
                p.AddTime(false, 0, 0);
            });
        await StoreAsync("7 8 0.1 1.0000000000 a 61 2000-02-29 2000-02-29 23:59:59.000000 00:00:00.000001", p =>
            {
                p.AddInt64(7);
                p.AddUInt64(8);
                p.AddDouble(0.1);
                p.AddBytes("1"u8);
                p.AddBytes("a"u8);
                p.AddBytes("a"u8);
                p.AddDateTime(2000, 2, 29, 0, 0);
                p.AddDateTime(2000, 2, 29, 86399, 0);
                p.AddTime(false, 0, 1);
            });
        await StoreAsync("NULL NULL NULL NULL NULL NULL NULL NULL NULL", p =>
            {
                for (var i = 0; i < AllTypes.Length; i++)
                {
                    p.AddNull();
                }
            });

        var rows = await session.QueryAsync("SELECT i, u, d, n, s, HEX(b), day, at, span FROM t", default);
        Assert.Equal(executed, rows.Rows.Select(row => string.Join(" ", row.Select(value => value ?? "NULL"))));
        await session.CloseAsync(statement, default);
        Assert.Equal(1243,
            (await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync(null, statement, parameters, default))).Code);

        async Task StoreAsync(string expected, Action<BinaryParameters> fill)
        {
            parameters.Reset();
            fill(parameters);
            Assert.Equal(1ul, (await session.ExecuteAsync(null, statement, parameters, default)).AffectedRows);
            executed.Add(expected);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Types_are_sent_again_when_they_change(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE TABLE t (s VARCHAR(100))", default);
        var statement = await database.Session.PrepareAsync("INSERT INTO t VALUES (?)", default);
        var number = new BinaryParameters([ParameterType.Int64]);
        number.AddInt64(-1);
        var text = new BinaryParameters([ParameterType.Text]);
        text.AddBytes("abc"u8);
        foreach (var parameters in (BinaryParameters[])[number, number, text, text, number])
        {
            await database.Session.ExecuteAsync(null, statement, parameters, default);
        }

        Assert.Equal("-1,-1,abc,abc,-1", await database.ScalarAsync("SELECT GROUP_CONCAT(s) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Many_rows_of_one_execution_arrive(string name)
    {
        const int rows = 3000;
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(100))", default);
        var statement = await database.Session.PrepareAsync(
            "INSERT INTO t VALUES " + string.Join(",", Enumerable.Repeat("(?,?)", rows)), default);
        var parameters = new BinaryParameters(
            [.. Enumerable.Repeat((ParameterType[])[ParameterType.Int64, ParameterType.Text], rows).SelectMany(pair => pair)]);
        for (var execution = 0; execution < 3; execution++)
        {
            parameters.Reset();
            for (var i = 0; i < rows; i++)
            {
                parameters.AddInt64((execution * rows) + i);
                parameters.AddBytes(Encoding.UTF8.GetBytes(new string('x', i % 100)));
            }

            var answer = await database.Session.ExecuteAsync(null, statement, parameters, default);
            Assert.Equal((ulong)rows, answer.AffectedRows);
            Assert.Equal($"Records: {rows}  Duplicates: 0  Warnings: 0", answer.Info);
        }

        Assert.Equal(
            $"{3 * rows}:{3 * Enumerable.Range(0, rows).Sum(i => i % 100)}",
            await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', SUM(LENGTH(s))) FROM t WHERE LENGTH(s) = id % 3000 % 100"));
    }

    [Theory]
    [CombinatorialServers(17 * 1024 * 1024, 60 * 1024 * 1024)]
    public async Task A_value_longer_than_a_packet_arrives_whole(string name, int length)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE TABLE t (b LONGBLOB)", default);
        var statement = await database.Session.PrepareAsync("INSERT INTO t VALUES (?)", default);
        var value = new byte[length];
        new Random(1).NextBytes(value);
        var parameters = new BinaryParameters([ParameterType.Bytes]);
        parameters.AddBytes(value);
        await database.Session.ExecuteAsync(null, statement, parameters, default);
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(value)), await database.ScalarAsync("SELECT SHA2(b, 256) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_execution_that_fails_leaves_the_statement_usable(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY)", default);
        var statement = await database.Session.PrepareAsync("INSERT INTO t VALUES (?)", default);
        var parameters = new BinaryParameters([ParameterType.Int64]);
        parameters.AddInt64(1);
        await database.Session.ExecuteAsync(null, statement, parameters, default);
        Assert.Equal(1062, (await Assert.ThrowsAsync<ServerException>(
            async () => await database.Session.ExecuteAsync(null, statement, parameters, default))).Code);
        parameters.Reset();
        await Assert.ThrowsAsync<ArgumentException>(async () => await database.Session.ExecuteAsync(null, statement, parameters, default));
        parameters.AddInt64(2);
        await database.Session.ExecuteAsync(null, statement, parameters, default);
        Assert.Equal("1,2", await database.ScalarAsync("SELECT GROUP_CONCAT(id) FROM t"));
    }
}
