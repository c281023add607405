namespace BulkLoad.IntegrationTests;

/// <summary>A large file gives the same table, report and rejects with any number of readers: as many as there are cores.</summary>
public sealed class PieceReadingTests
{
    private const int Records = 90_000;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task JSON_lines_come_to_the_same(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server),
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(50), price DECIMAL(10,2), note VARCHAR(40) DEFAULT 'none', city TEXT);");
        place.Write("t.jsonl", string.Concat(Enumerable.Range(1, Records).Select(Record)));
        string? one = null;
        foreach (var cores in new[] { 1, 2, 3, 4 })
        {
            await place.QueryAsync("TRUNCATE TABLE t;");
            using var program = BulkLoadProcess.StartLine(
                place,
                $"DOTNET_PROCESSOR_COUNT={cores} bulkload import t.jsonl --table t --map to.city=city --no-ledger --max-rejects 100000 " +
                "--reject-file bad.txt --report report.json --overwrite");
            program.Input.Close();
            (await program.EndAsync()).ShouldExitWith(3);
            var outcome = await place.OutcomeAsync(
                "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', id, name, price, note, city))) FROM t;", "bad.txt");
            one ??= outcome;
            Assert.Equal(one, outcome);
        }

        Assert.Contains("unknown-key", one, StringComparison.Ordinal);
        Assert.Contains("invalid-json", one, StringComparison.Ordinal);
        Assert.Contains("duplicate-name", one, StringComparison.Ordinal);
    }

    private static string Record(int i) => (i % 9_973) switch
    {
        1_000 => $"{{\"id\":{i},\"name\":\"cut off\n\r\n \t\n",
        2_000 => $"{{\"id\":{i},\"later\":1}}\n",
        3_000 => $"{{\"id\":{i},\"id\":{i}}}\n",
        4_000 => $"{{\"id\":\"x\",\"name\":\"no number\"}}\n",
        5_000 => $"{{\"na\\u006de\":\"escaped key \\n \\ud83d\\ude00\",\"id\":{i}}}\n",
        6_000 => $"{{\"id\":{i},\"to\":{{\"zip\":1,\"city\":\"C\\u00f6ln\"}}}}\n",
        7_000 => $"{{\"id\":{i},\"note\":\"{new string('n', 300_000)}\"}}\r\n",
        _ => $"{{\"id\":{i},\"name\":\"name of {i}\",\"price\":{i % 1000}.25,\"to\":{(i % 3 == 0 ? "null" : "{\"city\":\"c\"}")}}}\n",
    };
}
