namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server that takes no large transactions. What a group and a cluster limit is found out and met in the same way.</summary>
public sealed class TransactionSizeTests
{
    private const string Set = "sizes";
    private const int Rows = 20_000;
    private const string Table = "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, s VARCHAR(200) NOT NULL);";

    private static string Limit(int bytes) => $"max_binlog_cache_size is {bytes:N0} bytes";

    private static async Task<Workplace> CreateAsync(string name, int bytes)
    {
        var (server, _) = Servers.StartPrivate(name, Set, "log-bin=binlog\nserver-id=1\nbinlog-format=ROW");
        await ServerClient.RunAsync(server, null, $"SET GLOBAL max_binlog_cache_size={bytes};");
        var place = await Workplace.CreateAsync(server, Table);
        place.Write("t.csv", "id,n,s\n" + string.Concat(
            Enumerable.Range(1, Rows).Select(id => string.Create(CultureInfo.InvariantCulture, $"{id},0,{new string('x', 150)}\n"))));
        place.Write("ids.csv", "id\n" + string.Concat(
            Enumerable.Range(1, Rows).Select(id => string.Create(CultureInfo.InvariantCulture, $"{id}\n"))));
        return place;
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Import_update_and_delete_stay_below_a_limit_that_is_known(string name)
    {
        try
        {
            await using var place = await CreateAsync(name, 1 << 20);
            var plan = await place.RunAsync("import", "t.csv", "--plan", "--verbose");
            Assert.Matches($@"(?m)^  bytes-per-chunk +524,288  {Limit(1 << 20)}$", plan.Output);
            await Succeed("import", "t.csv");
            await ServerClient.RunAsync(place.Server, place.Database, "ANALYZE TABLE t;");
            await Succeed("update", "ids.csv", "--table", "t", "--set", "n=n+1");
            plan = await place.RunAsync("delete", "ids.csv", "--table", "t", "--plan", "--verbose");
            Assert.Matches($@"(?m)^  rows-per-chunk +[0-9,]+  {Limit(1 << 20)}, and a row takes about [0-9]+$", plan.Output);
            Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT SUM(n) FROM t;"));
            await Succeed("delete", "ids.csv", "--table", "t");
            Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

            async Task Succeed(params string[] words)
            {
                var end = await place.RunAsync(words);
                end.ShouldExitWith(0);
                Assert.DoesNotContain("warning", end.Error, StringComparison.Ordinal);
            }
        }
        finally
        {
            Servers.DestroyPrivate(name, Set);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_chunk_that_the_server_refuses_is_halved_until_it_fits(string name)
    {
        try
        {
            await using var place = await CreateAsync(name, 1 << 20);
            var end = await place.RunAsync("import", "t.csv", "--bytes-per-chunk", "32Mi", "--verbose");
            end.ShouldExitWith(0);
            Assert.Contains($"note  --bytes-per-chunk 33,554,432: {Limit(1 << 20)}; a chunk that the server refuses for its size is halved",
                end.Output, StringComparison.Ordinal);
            Assert.Matches($@"(?m)^note  chunks have [0-9,]+ records at most, since the server refused one of [0-9,]+ for its size: "
                + $"{Limit(1 << 20)}$", end.Output);
            Assert.DoesNotContain("retries", end.Output, StringComparison.Ordinal);
            Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

            using var program = place.Start(
                "update", "-", "--format", "csv", "--table", "t", "--set", "n=n+1", "--rows-per-chunk", $"{Rows}");
            await program.Input.WriteAsync(await File.ReadAllBytesAsync(Path.Combine(place.Folder, "ids.csv")));
            program.Input.Close();
            end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Contains("for its size", end.Output, StringComparison.Ordinal);
            Assert.Equal($"{Rows}/{Rows}", await place.ScalarAsync("SELECT CONCAT(SUM(n), '/', SUM(n = 1)) FROM t;"));
        }
        finally
        {
            Servers.DestroyPrivate(name, Set);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_cannot_be_halved_says_the_limit_and_what_helps(string name)
    {
        try
        {
            await using var place = await CreateAsync(name, 1 << 20);
            var atomic = await place.RunAsync("import", "t.csv", "--atomic");
            atomic.ShouldExitWith(9);
            atomic.ShouldSay(
                $"error: --atomic: one transaction for everything is too large for this server: {Limit(1 << 20)}, and it takes");
            atomic.ShouldSay("to commit chunk by chunk: bulkload import t.csv");
            var once = await place.RunAsync("import", "t.csv", "--bytes-per-chunk", "32Mi", "--max-retries", "0", "--threads", "1");
            once.ShouldExitWith(1);
            once.ShouldSay($"too much for one transaction: {Limit(1 << 20)}; --rows-per-chunk ");
            Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        }
        finally
        {
            Servers.DestroyPrivate(name, Set);
        }
    }
}
