using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server without room for more rows.</summary>
public sealed class FullServerTests(FullServers servers) : IClassFixture<FullServers>
{
    private const int Rows = 60_000;
    private const int RowsPerChunk = 1_000;

    private const string Filler = "CREATE TABLE filler (id INT PRIMARY KEY, room CHAR(250) NOT NULL) DEFAULT CHARACTER SET latin1;"
        + "INSERT INTO filler WITH RECURSIVE i AS (SELECT 1 id UNION ALL SELECT id + 1 FROM i WHERE id < 1000) SELECT a.id * 100 + b.id, "
        + "'' FROM i a JOIN i b WHERE b.id <= 60;";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_load_that_finds_no_more_room_keeps_what_is_committed_and_goes_on_when_there_is_some(string name)
    {
        await using var place = await Workplace.CreateAsync(
            servers.Get(name), Filler + "CREATE TABLE people (id INT PRIMARY KEY, name CHAR(250) NOT NULL) DEFAULT CHARACTER SET latin1;");
        place.Write("people.csv", "id,name\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},n{id:D200}\n")));
        string[] words = ["import", "people.csv", "--rows-per-chunk", $"{RowsPerChunk}"];

        var end = await place.RunAsync(words);

        end.ShouldExitWith(1);
        end.ShouldSay("(error 1114");
        end.ShouldSay("; the server's disk or the table's space is full");

        // How many chunks find room differs from one server's version to the next, and with what it has not cleaned up yet.
        var committed = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM people;"), CultureInfo.InvariantCulture);
        Assert.True(committed < Rows && committed % RowsPerChunk == 0, $"{committed} rows");
        end.ShouldSay(committed == 0
            ? "\n  nothing was loaded\n" : $"\n  {committed:N0} rows are in {place.Database}.people\n  run the same command to continue\n");

        await place.QueryAsync("DROP TABLE filler;");

        // The server gives the room back in its own time.
        await Wait.ForAsync(async () => (await place.RunAsync(words)).ExitCode == 0);
        Assert.Equal(
            $"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), SUM(name = CONCAT('n', LPAD(id, 200, '0'))) FROM people;"));
    }

    /// <summary>The rows have a file of their own; only the ledger finds no room.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_ledger_that_finds_no_more_room_ends_the_job_behind_its_last_chunk_and_goes_on_when_there_is_some(string name)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(name));
        await using (await ChangedSettings.SetAsync(place.Server, ("innodb_file_per_table", "1")))
        {
            await place.QueryAsync("CREATE TABLE people (id INT PRIMARY KEY);");
        }

        string[] words = ["--table", "people", "--rows-per-chunk", "2"];
        (await place.RunAsync(["import", place.Write("first.csv", "id\n0\n"), .. words])).ShouldExitWith(0);
        await FillLedgerAsync(place);
        place.Write("people.csv", "id\n" + string.Concat(Enumerable.Range(1, 600).Select(id => $"{id}\n")));

        var end = await place.RunAsync(["import", "people.csv", "--job-id", "second", .. words]);

        end.ShouldExitWith(1);
        end.ShouldSay(
            "error: The table 'bulkload_ledger' is full (error 1114, SQLSTATE HY000); the server's disk or the table's space is full");
        var chunks = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE job = 'second' AND source >= 0;"),
            CultureInfo.InvariantCulture);
        Assert.Equal($"{(2 * chunks) + 1}", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        end.ShouldSay(chunks == 0 ? "\n  nothing was loaded\n"
            : $"\n  {2 * chunks:N0} rows are in {place.Database}.people\n  run the same command to continue\n");

        await place.QueryAsync("DELETE FROM bulkload_ledger WHERE job LIKE 'filler%';");
        await Wait.ForAsync(async () => (await place.RunAsync(["import", "people.csv", "--job-id", "second", .. words])).ExitCode == 0);
        Assert.Equal("601", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    /// <summary>Rows of other jobs, until not even one more finds room.</summary>
    private static async Task FillLedgerAsync(Workplace place)
    {
        await using var session = await ServerSession.ConnectAsync(place.Server.AdminOptions() with { Database = place.Database }, default);
        foreach (var rows in new[] { 1000, 100, 10, 1 })
        {
            for (var isFull = false; !isFull;)
            {
                try
                {
                    await session.ExecuteAsync(
                        "INSERT INTO bulkload_ledger SELECT CONCAT('filler', UUID_SHORT()), i, 0, 0, 0, 0, '', 0, 0, REPEAT('x', 4000), "
                            + "'', NOW() FROM "
                        + $"(WITH RECURSIVE i AS (SELECT 1 i UNION ALL SELECT i + 1 FROM i WHERE i < {rows}) SELECT i FROM i) n", default);
                }
                catch (ServerException fault) when (fault.Code == 1114)
                {
                    isFull = true;
                }
            }
        }
    }
}

/// <summary>Servers whose tables are all in one file that cannot grow.</summary>
public sealed class FullServers : OwnServers
{
    /// <summary>Room for the server's own pages and a part of a test's rows beside what fills it; for all of them without that.</summary>
    private const string Settings = "innodb_data_file_path=ibdata1:48M\ninnodb_file_per_table=OFF";

    public FullServers()
        : base("full", Settings)
    {
    }
}
