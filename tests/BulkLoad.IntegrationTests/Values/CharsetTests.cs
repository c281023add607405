using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Rules;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>
/// The characters that a rule grants a character set are those that the server has in it: asked for all of them up to U+FFFF and some
/// beyond. BULKLOAD_UPDATE_CHARSETS=1 writes what the servers say to Charsets.txt.
/// </summary>
public sealed class CharsetTests
{
    private const int BmpLength = 0x10000;
    private const int Beyond = 0x11000;
    private const int PerRow = 64;

    private const string Digits =
        "(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 "
            + "UNION ALL SELECT 7 "
        + "UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11 UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL "
        + "SELECT 14 UNION ALL SELECT 15)";

    private const string OtherSets =
        "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME NOT LIKE 'utf%' AND CHARACTER_SET_NAME "
            + "NOT IN ('ucs2', 'binary')";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_set_has_the_characters_that_the_server_has_in_it(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await CreateCharactersAsync(database.Session);
        var sets = (await database.Session.QueryAsync(OtherSets, default)).Rows.Select(row => row[0]!)
            .Order(StringComparer.Ordinal).ToArray();
        if (Environment.GetEnvironmentVariable("BULKLOAD_UPDATE_CHARSETS") == "1" && !server.IsMariaDb)
        {
            await WriteAsync(database.Session, sets);
        }

        Assert.All(sets, set => Assert.Contains(set, CharsetWidths.Names));
        foreach (var set in sets)
        {
            var widths = CharsetWidths.Find(set)!;
            var asked = await AskAsync(database.Session, set);
            for (var codePoint = 0; codePoint < Beyond; codePoint++)
            {
                if (asked[codePoint] != widths.Of(codePoint))
                {
                    Assert.Fail(
                        $"{set}: U+{codePoint:X4} takes {asked[codePoint]} bytes on {server}, {widths.Of(codePoint)} by Charsets.txt");
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_character_of_every_set_comes_back(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        foreach (var set in (await database.Session.QueryAsync(OtherSets, default)).Rows.Select(row => row[0]!))
        {
            await database.Session.ExecuteAsync($"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR({PerRow}) CHARACTER SET {set})", default);
            var target = await Target.LookAsync(database, server);
            var lines = Characters(CharsetWidths.Find(set)!).Chunk(PerRow)
                .Select(runes => string.Concat(runes.Select(rune => rune.ToString()))).ToArray();
            foreach (var (_, facts, strategy) in target.Ways)
            {
                await target.SendAsync(strategy, facts, Fill(facts.Columns[1], lines));
                var rows = (await database.Session.QueryAsync("SELECT v FROM t ORDER BY id", default)).Rows.Select(row => row[0]!);
                Assert.Equal(lines, rows);
                await database.Session.ExecuteAsync("DELETE FROM t", default);
            }

            await database.Session.ExecuteAsync("DROP TABLE t", default);
        }
    }

    private static IEnumerable<Rune> Characters(CharsetWidths widths) =>
        Enumerable.Range(0, Beyond).Where(codePoint => widths.Of(codePoint) > 0).Select(codePoint => new Rune(codePoint));

    private static RowBlock Fill(TableColumn column, string[] lines)
    {
        var rule = new TextRule(column);
        var block = new RowBlock(2, 1024);
        for (var i = 0; i < lines.Length; i++)
        {
            block.AddValue(Encoding.ASCII.GetBytes(i.ToString()));
            Assert.Null(rule.Add(Encoding.UTF8.GetBytes(lines[i]), block));
            block.EndRow(i, i, i, []);
        }

        return block;
    }

    private static async Task CreateCharactersAsync(ServerSession session)
    {
        await session.ExecuteAsync("CREATE TABLE c (n INT PRIMARY KEY, u VARCHAR(1) CHARACTER SET utf8mb4)", default);
        await session.ExecuteAsync(
            "INSERT INTO c SELECT n, CONVERT(UNHEX(LPAD(HEX(n), 8, '0')) USING utf32) FROM (SELECT a.n + 16 * b.n + 256 * c.n + 4096 * d.n "
                + "+ 65536 * e.n n "
            + $"FROM {Digits} a, {Digits} b, {Digits} c, {Digits} d, (SELECT 0 n UNION ALL SELECT 1) e) t WHERE n < {Beyond} AND n NOT "
            + "BETWEEN 55296 AND 57343",
            default);
    }

    /// <summary>How many bytes each character takes; 0 for one that does not come back.</summary>
    private static async Task<byte[]> AskAsync(ServerSession session, string set)
    {
        var answer = await session.QueryAsync(
            $"SELECT n, LENGTH(CONVERT(u USING {set})) FROM c WHERE HEX(CONVERT(CONVERT(u USING {set}) USING utf8mb4)) = HEX(u)", default);
        var widths = new byte[Beyond];
        foreach (var row in answer.Rows)
        {
            widths[int.Parse(row[0]!, CultureInfo.InvariantCulture)] = byte.Parse(row[1]!, CultureInfo.InvariantCulture);
        }

        return widths;
    }

    private static async Task WriteAsync(ServerSession session, string[] sets)
    {
        var lines = new List<string>();
        foreach (var set in sets)
        {
            var asked = await AskAsync(session, set);
            lines.Add(new CharsetWidths(asked[..BmpLength], asked[BmpLength..].Min()).ToLine(set));
        }

        await File.WriteAllTextAsync(
            Path.Combine(Repository.Root, "src/BulkLoad.Core/Values/Charsets.txt"), string.Join('\n', lines) + "\n");
    }
}
