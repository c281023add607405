namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Rows that are unusually long or wide.</summary>
public sealed class LargeThingsTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_record_of_64_MiB_is_loaded_where_it_is_allowed(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE notes (id INT PRIMARY KEY, body LONGTEXT);");
        await using (var file = File.CreateText(Path.Combine(place.Folder, "notes.csv")))
        {
            await file.WriteAsync("id,body\n1,");
            var piece = new string('x', 1024 * 1024);
            for (var i = 0; i < 64; i++)
            {
                await file.WriteAsync(piece);
            }
        }

        var end = await place.RunAsync("import", "notes.csv", "--max-record-bytes", "70Mi", "--strategy", "load-data");
        end.ShouldExitWith(0);
        Assert.Equal("67108864", await place.ScalarAsync("SELECT LENGTH(body) FROM notes;"));
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_table_of_1010_columns_is_loaded(string server, string strategy)
    {
        var names = Enumerable.Range(1, 1010).Select(i => $"c{i}").ToArray();
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), $"CREATE TABLE wide ({string.Join(" INT, ", names)} INT);");
        var row = string.Join(',', Enumerable.Range(1, 1010));
        place.Write("wide.csv", $"{string.Join(',', names)}\n{string.Concat(Enumerable.Repeat(row + "\n", 200))}");
        (await place.RunAsync("import", "wide.csv", "--strategy", strategy)).ShouldExitWith(0);
        Assert.Equal("200\t200\t202000", await place.ScalarAsync("SELECT COUNT(*), SUM(c1), SUM(c1010) FROM wide;"));
    }
}
