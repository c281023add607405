using BulkLoad.Cli.App;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;


namespace BulkLoad.IntegrationTests.Suggesting;

/// <summary>
/// Files that were damaged at random: whatever is in them, no command ends with a message about an option that nobody typed, and none with
/// an error of its own. BULKLOAD_TEST_FUZZ says how many files, BULKLOAD_TEST_SEED which.
/// </summary>
public sealed class MutatedFileTests
{
    private const int UsualFiles = 20;

    private const string Tables =
        "CREATE TABLE a (id INT, name VARCHAR(200)); CREATE TABLE typed (d DATE, s DATETIME, t TIME, n DECIMAL(12,2), i INT, b BOOLEAN, f "
            + "DOUBLE, k BIT(1));";

    private static readonly string[] Originals =
    [
        "id,name,born,at,price,ok\n1,Ann,1990-01-02,10:15,1.50,true\n2,Bob,1991-12-31,23:59:59,2.75,false\n",
        "id;Name;Geb.;Betrag;Ja\r\n1;Müller;03.12.1984;1.234,50 €;ja\r\n2;Österreich;31.01.2001;0,99 €;nein\r\n3;Groß;n/a;12 %;ja\r\n",
        "id\tname\tscore\n1\t3:10 to Yuma\t2-5-\n2\t12 Monkeys\t1-0\n",
        "{\"id\":1,\"name\":\"x\",\"at\":\"3/4/2026 1:15 PM\"}\n{\"id\":2,\"name\":null,\"at\":\"12/31/2026 11:59 AM\"}\n",
        "id|toss|share\n1|010110100011|12.5%\n2|20260304|99 %\n3|260304|-\n",
        "Report of March\n\n\"id\",\"n\",\"when\"\n\"1\",\"1,234\",\"Mon, 2 Mar 2026 10:00:00 +0100\"\n\"2\",\"\",\"Tue, 3 Mar 2026 "
            + "11:00:00 +0100\"\nTotal,1234,\n",
    ];

    private static readonly string[] Pieces =
    [
        "2-5-", "3:10 to", "010110100011", "1/2/", "12:30 +", "%", "€-", "-€", "$", "\"", ",", ";", "\n", "\r\n", "'", "zzz", " Z", "T",
        "+01:00", "1 h 5", "12h30", "0x41", "NULL", "\\N", "\0",
        "=", "a=b", "\u00a0", "é", "\u3042", "--", "@", "99999999999999999999", "1e400", ".", "5.5.5", "24:00:00", "0000-00-00", "{",
        "}", "[", "\\",
    ];

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task No_message_is_about_an_option_that_nobody_typed(string server)
    {
        var seed = Environment.GetEnvironmentVariable("BULKLOAD_TEST_SEED") is { } asked
            ? int.Parse(asked, CultureInfo.InvariantCulture) : Environment.TickCount;
        var files = int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_FUZZ") ?? $"{UsualFiles}", CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        List<string> faults = [];
        for (var i = 0; i < files; i++)
        {
            var random = new Random(unchecked((seed * 397) ^ i));
            var bytes = Mutate(Originals[random.Next(Originals.Length)], random);
            var path = Path.Combine(place.Folder, "m.csv");
            await File.WriteAllBytesAsync(path, bytes, TestContext.Current.CancellationToken);
            var column = new[] { "d", "s", "t", "n", "i", "b", "f", "k" }[random.Next(8)];
            string[][] commands =
            [
                ["import", path, "--table", "made", "--create", "--no-ledger"],
                ["import", path, "--table", "a", "--add-columns", "--no-ledger", "--max-rejects", "100%"],
                ["check", path, "--table", "fresh", "--suggest"],
                ["check", path, "--table", "a", "--suggest"],
                ["check", path, "--table", "typed", "--format", "csv", "--columns", column, "--no-header", "--suggest"],
                ["import", path, "--table", "typed", "--format", "csv", "--columns", column, "--no-header", "--no-ledger",
                    "--delimiter", "\u0001"],
            ];
            foreach (var words in commands)
            {
                var (code, output) = await RunAsync(place, words);
                if (code is 1 or 2 || output.Contains("error: --", StringComparison.Ordinal))
                {
                    faults.Add(
                        $"seed {seed}, file {i}, exit {code}: bulkload {string.Join(' ', words)}\n{Convert.ToHexString(bytes)}\n{output}");
                }
            }

            await place.QueryAsync("DROP TABLE IF EXISTS made, a, typed; " + Tables);
        }

        Assert.True(faults.Count == 0, $"{faults.Count} of {files * 6} commands\n{string.Join('\n', faults.Take(5))}");
    }

    private static async Task<(int Code, string Output)> RunAsync(Workplace place, string[] words)
    {
        using var output = new StringWriter();
        var host = new HostEnvironment
        {
            Output = output,
            Error = output,
            Files = new MachineFiles(),
            Variable = name => name == "BULKLOAD_URL" ? BulkLoadProcess.UrlOf(place) : null,
        };
        return (await BulkLoadApp.RunAsync(words, host, JobSteps.OfCore), output.ToString());
    }

    private static byte[] Mutate(string text, Random random)
    {
        var bytes = new List<byte>((random.Next(3) == 0 ? Encoding.Latin1 : Encoding.UTF8).GetBytes(text));
        for (var i = random.Next(1, 8); i > 0; i--)
        {
            var at = random.Next(bytes.Count);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes.RemoveRange(at, Math.Min(random.Next(1, 4), bytes.Count - at));
                    break;
                case 2:
                    bytes.AddRange(bytes.Slice(at, Math.Min(random.Next(1, 30), bytes.Count - at)).ToArray());
                    break;
                case 3:
                    bytes[at] = (byte)"0123456789.,:/- "[random.Next(16)];
                    break;
                default:
                    bytes.InsertRange(at, Encoding.UTF8.GetBytes(Pieces[random.Next(Pieces.Length)]));
                    break;
            }

            if (bytes.Count == 0)
            {
                bytes.AddRange("c\n1\n"u8);
            }
        }

        return [.. bytes];
    }
}
