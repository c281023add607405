using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending.Verifying;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Values.Rules;
using BulkLoad.IntegrationTests.Values;

namespace BulkLoad.IntegrationTests.Verifying;

/// <summary>Values of every type that rules take are found to be equal to what the server holds, and others are not.</summary>
public sealed class VerifiedTypeTests
{
    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(GroupTable.All), MemberType = typeof(GroupTable))]
    public async Task What_a_rule_takes_is_equal_to_what_the_server_holds_and_another_value_is_not(string server, int number, string title)
    {
        await using var table = await GroupTable.CreateAsync(server, number, title);
        var (session, rows, count) = (table.Database.Session, table.Rows, table.Rows.RowCount);
        await table.Target.SendAsync(new MultiRowInsertStrategy(), table.Target.Facts, rows);
        var own = await table.ReadAsync();
        var comparer = Comparer(table.Target.Facts);

        var compared = await comparer.CompareAsync(session, rows, 0, count, default);
        Assert.True(compared.Differences.Count == 0, string.Join('\n', compared.Differences));
        Assert.Equal(count, compared.Equal);

        if (count > 1)
        {
            await table.Database.RunAsync($"UPDATE t SET v=NULL WHERE id={Id(rows, 1)}", "DELETE FROM t WHERE id=-1");
            compared = await comparer.CompareAsync(session, rows, 0, count, default);
            Assert.Equal([(0, RowDifference.MissingCode, null), (1, RowDifference.DiffersCode, "v")],
                compared.Differences.Select(difference => (difference.Row, difference.Code, difference.Column)));
            Assert.Contains("is NULL in the row with id ", compared.Differences[1].Message, StringComparison.Ordinal);
            Assert.Equal(count - 2, compared.Equal);
        }

        // No two of the values are taken for each other: each is compared with the row of the one before.
        await table.Database.RunAsync("DELETE FROM t");
        await table.Target.SendAsync(new MultiRowInsertStrategy(), table.Target.Facts, Rotated(rows));
        compared = await comparer.CompareAsync(session, rows, 0, count, default);
        var different = compared.Differences.Select(difference => difference.Row).ToHashSet();
        for (var row = 0; row < count; row++)
        {
            Assert.Equal(own[Id(rows, row)] != own[Id(rows, (row + count - 1) % count)], different.Contains(row));
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Doubles_are_compared_by_their_bits(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, v DOUBLE)", default);
        var random = new Random(6);
        await ShouldBeEqualAsync(database, server, 5000, () =>
        {
            var value = BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue));
            return double.IsFinite(value) ? value.ToString("R") : "0.1";
        });
    }

    [Fact]
    public async Task Documents_are_compared_as_mysql_keeps_them()
    {
        var server = Servers.Get(Servers.MySql);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, v JSON)", default);
        var random = new Random(6);
        await ShouldBeEqualAsync(database, server, 5000, () => Document(random, 3));
    }

    private static readonly string[] Letters =
        ["a", "B", "é", "\\n", "\\/", "\\\"", "\\\\", "\\u0001", "\\u007f", "李", "😀", "\\b", "\\f", "\\r", "\\t", "zz"];

    private static string Document(Random random, int depth) => random.Next(depth == 0 ? 4 : 6) switch
    {
        0 => ((double)random.Next(1, 1000) * Math.Pow(10, random.Next(-30, 30))).ToString("R").Replace("E+", "e", StringComparison.Ordinal),
        1 => BitConverter.Int64BitsToDouble(random.NextInt64(1, 0x7fe0000000000000)).ToString("R"),
        2 => random.NextInt64(long.MinValue, long.MaxValue).ToString(),
        3 => Text(random),
        4 => "["
            + string.Join(random.Next(2) == 0 ? "," : " , ", Enumerable.Range(0, random.Next(4)).Select(_ => Document(random, depth - 1)))
            + "]",
        _ => "{"
            + string.Join(',', Enumerable.Range(0, random.Next(5)).Select(_ => Text(random)).Distinct()
                .Select(key => $"{key}:{Document(random, depth - 1)}"))
            + "}",
    };

    private static string Text(Random random) =>
        "\"" + string.Concat(Enumerable.Range(0, random.Next(5)).Select(_ => Letters[random.Next(Letters.Length)])) + "\"";

    private static async Task ShouldBeEqualAsync(TestDatabase database, TestServer server, int count, Func<string> next)
    {
        var target = await Target.LookAsync(database, server);
        var rule = ValueRules.For(target.Facts.Columns[1], RuleOptions.Of(new ValueOptions(), target.Facts.Server.Zone));
        var rows = new RowBlock(2, 1024);
        for (var i = 0; i < count; i++)
        {
            rows.AddValue(Encoding.ASCII.GetBytes(i.ToString()));
            if (rule.Add(Encoding.UTF8.GetBytes(next()), rows) is not null)
            {
                rows.AddNull();
            }

            rows.EndRow(i, i, i, []);
        }

        await target.SendAsync(new MultiRowInsertStrategy(), target.Facts, rows);
        var compared = await Comparer(target.Facts).CompareAsync(database.Session, rows, 0, count, default);
        Assert.True(compared.Differences.Count == 0, string.Join('\n', compared.Differences.Take(10)));
        Assert.Equal(count, compared.Equal);
    }

    private static RowComparer Comparer(LoadFacts facts)
    {
        facts = facts with { Request = facts.Request with { Verify = VerifyMode.Checksum }, MaxVerifiedKeys = 1000 };
        return new RowComparer(facts with { Verify = VerifyRules.Of(facts) });
    }

    /// <summary>Each id with the value of the row before.</summary>
    private static RowBlock Rotated(RowBlock rows)
    {
        var rotated = new RowBlock(2, 1024);
        for (var row = 0; row < rows.RowCount; row++)
        {
            rows.Get(row, 0, out var id);
            rotated.AddValue(id);
            if (rows.Get((row + rows.RowCount - 1) % rows.RowCount, 1, out var value) == CellState.Null)
            {
                rotated.AddNull();
            }
            else
            {
                rotated.AddValue(value);
            }

            rotated.EndRow(row, row, row, []);
        }

        return rotated;
    }

    private static int Id(RowBlock rows, int row)
    {
        rows.Get(row, 0, out var id);
        return int.Parse(id, CultureInfo.InvariantCulture);
    }
}
