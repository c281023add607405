using System.Globalization;
using Xunit;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server without room for more rows: one of its own, whose tables are all in one file that cannot grow.</summary>
public sealed class FullServerTests
{
    private const string Set = "full";
    private const int Rows = 60_000;
    private const int RowsPerChunk = 1_000;

    /// <summary>Room for the server's own pages and a part of the rows beside <see cref="Filler"/>; for all of them without it.</summary>
    private const string Settings = "innodb_data_file_path=ibdata1:48M\ninnodb_file_per_table=OFF";

    private const string Filler = "CREATE TABLE filler (id INT PRIMARY KEY, room CHAR(250) NOT NULL) DEFAULT CHARACTER SET latin1;"
        + "INSERT INTO filler WITH RECURSIVE i AS (SELECT 1 id UNION ALL SELECT id + 1 FROM i WHERE id < 1000) SELECT a.id * 100 + b.id, '' FROM i a JOIN i b WHERE b.id <= 60;";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_load_that_finds_no_more_room_keeps_what_is_committed_and_goes_on_when_there_is_some(string name)
    {
        try
        {
            var (server, _) = Servers.StartPrivate(name, Set, Settings);
            await using var place = await Workplace.CreateAsync(
                server, Filler + "CREATE TABLE people (id INT PRIMARY KEY, name CHAR(250) NOT NULL) DEFAULT CHARACTER SET latin1;");
            place.Write("people.csv", "id,name\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => string.Create(CultureInfo.InvariantCulture, $"{id},n{id:D200}\n"))));
            string[] words = ["import", "people.csv", "--rows-per-chunk", $"{RowsPerChunk}"];

            var end = await place.RunAsync(words);

            end.ShouldExitWith(1);
            end.ShouldSay("(error 1114");
            end.ShouldSay("; the server's disk or the table's space is full");

            // How many chunks find room differs from one server's version to the next, and with what it has not cleaned up yet.
            var committed = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM people;"), CultureInfo.InvariantCulture);
            Assert.True(committed < Rows && committed % RowsPerChunk == 0, $"{committed} rows");
            end.ShouldSay(committed == 0 ? "(nothing was committed)" : "stay committed; run the same command again to go on)");

            await place.QueryAsync("DROP TABLE filler;");

            // The server gives the room back in its own time.
            await Wait.ForAsync(async () => (await place.RunAsync(words)).ExitCode == 0);
            Assert.Equal($"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), SUM(name = CONCAT('n', LPAD(id, 200, '0'))) FROM people;"));
        }
        finally
        {
            Servers.DestroyPrivate(name, Set);
        }
    }
}
