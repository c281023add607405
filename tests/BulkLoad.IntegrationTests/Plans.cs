using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.IntegrationTests;

/// <summary>How the server finds the rows of a table <c>t</c>.</summary>
internal static class Plans
{
    /// <summary>A database with a table <c>m</c> of two hundred and fifty numbers to make rows of.</summary>
    /// <param name="server">where</param>
    /// <param name="first">statements that come before</param>
    public static async Task<TestDatabase> CreateAsync(TestServer server, params IEnumerable<string> first)
    {
        var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync([.. first, "CREATE TABLE m (i INT PRIMARY KEY)",
            $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 250).Select(i => $"({i})"))}"]);
        return database;
    }

    /// <summary>Types of keys: how a number that stands for <c>$</c> becomes a value in SQL, and the canonical text of that.</summary>
    public static IEnumerable<(string Type, string Value, Func<int, string> Literal)> WideTypes(TestServer server)
    {
        static string Hex(int i) => i.ToString("X8");
        yield return ("BIGINT", "$", i => $"{i}");
        yield return ("INT UNSIGNED", "$", i => $"{i}");
        yield return ("DECIMAL(12,2)", "$", i => $"{i}.00");
        yield return ("DOUBLE", "$+0.5", i => $"{i}.5");
        yield return ("VARCHAR(30)", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("VARCHAR(30) CHARACTER SET latin1", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("CHAR(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("BINARY(4)", "UNHEX(LPAD(HEX($),8,'0'))", i => Encoding.Latin1.GetString(Convert.FromHexString(Hex(i))));
        yield return ("DATE", "'2000-01-01' + INTERVAL $ DAY", i => new DateOnly(2000, 1, 1).AddDays(i).ToString("yyyy-MM-dd"));
        yield return ("DATETIME(3)", "'2000-01-01' + INTERVAL $ MINUTE", i => Minute(i, "yyyy-MM-dd HH:mm:ss.fff"));
        yield return ("TIMESTAMP", "'2000-01-01' + INTERVAL $ MINUTE", i => Minute(i, "yyyy-MM-dd HH:mm:ss"));
        yield return ("TIME(1)", "SEC_TO_TIME($)", i => TimeSpan.FromSeconds(i).ToString(@"hh\:mm\:ss\.f", CultureInfo.InvariantCulture));
        if (server.IsMariaDb)
        {
            yield return ("UUID", "CONCAT('123e4567-e89b-12d3-a456-4266', LPAD(HEX($),8,'0'))",
                i => $"123e4567-e89b-12d3-a456-4266{Hex(i).ToLowerInvariant()}");
            yield return ("INET4", "INET_NTOA(167772160+$)", i => $"10.{i >> 16}.{(i >> 8) & 255}.{i & 255}");
        }

        static string Minute(int i, string format) =>
            new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Unspecified).AddMinutes(i).ToString(format, CultureInfo.InvariantCulture);
    }

    /// <summary>Rows as the reading side hands them over.</summary>
    public static RowBlock BlockOf(int rows, int columns, Func<int, string[]> valuesOf)
    {
        var block = new RowBlock(columns, 64 * 1024);
        for (var i = 0; i < rows; i++)
        {
            foreach (var value in valuesOf(i).Take(columns))
            {
                block.AddValue(Encoding.Latin1.GetBytes(value));
            }

            block.EndRow(i + 1, i + 1, i, []);
        }

        return block;
    }

    /// <summary>Fails where the server would read the whole table.</summary>
    public static async Task ExplainAsync(ServerSession session, string statement, string about)
    {
        var access = (await AccessesAsync(session, statement))["t"];
        Assert.True(access is not ("ALL" or "index"), $"{about}: {access}\n{statement[..Math.Min(300, statement.Length)]}");
    }

    /// <summary>How the server reads the target and the temporary table of keys, where there is one: type of access by the table's
    /// name.</summary>
    public static async Task<IReadOnlyDictionary<string, string?>> AccessesAsync(ServerSession session, string statement)
    {
        var answer = await session.QueryAsync($"EXPLAIN {(session.Server.IsMariaDb ? "" : "FORMAT=TRADITIONAL ")}{statement}", default);
        var names = answer.Columns.ToList();
        return answer.Rows.Where(row => row[names.IndexOf("table")] is "t" or "bulkload_keys")
            .ToDictionary(row => row[names.IndexOf("table")]!, row => row[names.IndexOf("type")]);
    }
}
