namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>A folder that <c>seed init</c> has written is one that <c>seed</c> takes.</summary>
public sealed class SeedRoundTripTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_init_writes_is_what_seed_takes(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), """
            CREATE TABLE teams (id INT PRIMARY KEY, captain INT NULL, badge VARBINARY(20), big DOUBLE);
            CREATE TABLE players (id INT AUTO_INCREMENT PRIMARY KEY, team INT NOT NULL, note TEXT, at TIMESTAMP NULL, bits BIT(5), FOREIGN KEY (team) REFERENCES teams (id));
            ALTER TABLE teams ADD FOREIGN KEY (captain) REFERENCES players (id);
            CREATE TABLE `odd.name` (`a b` VARCHAR(20) PRIMARY KEY, up VARCHAR(20) NOT NULL, FOREIGN KEY (up) REFERENCES `odd.name` (`a b`));
            INSERT INTO teams VALUES (1, NULL, x'00ff0a', 1e-300), (2, NULL, '', -0.1);
            INSERT INTO players VALUES (5, 1, 'a,"b"\nc', '2024-01-02 03:04:05', b'10101'), (7, 2, '', NULL, NULL), (9, 2, NULL, NULL, b'0');
            UPDATE teams SET captain = 7 WHERE id = 2;
            INSERT INTO `odd.name` VALUES ('b', 'b'), ('a', 'b');
            """);
        using (var init = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "seed", "init", "data"))
        {
            (await init.EndAsync()).ShouldExitWith(0);
        }

        await using var copy = await Workplace.CreateAsync(Servers.Get(name));
        using (var seed = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(copy), "seed", "data", "--schema", "data/schema.sql"))
        {
            (await seed.EndAsync()).ShouldExitWith(0);
        }

        const string All = "SELECT id, captain, HEX(badge), big FROM teams ORDER BY id; SELECT id, team, HEX(note), at, bits + 0 FROM "
            + "players ORDER BY id; SELECT * FROM `odd.name` ORDER BY 1;";
        Assert.Equal(await place.QueryAsync(All), await copy.QueryAsync(All));
        using var again = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(copy), "seed", "data", "--mode", "sync", "--allow-database", copy.Database, "--force");
        var end = await again.EndAsync();
        end.ShouldExitWith(0);
        Assert.Contains("0 inserted, 0 updated, 0 deleted", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_the_program_keeps_for_itself_is_no_part_of_a_folder(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY);");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/people.csv", "id\n1\n");
        using (var seed =
            BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "seed", "data", "--for-reset", "--seed-schema", place.Database))
        {
            (await seed.EndAsync()).ShouldExitWith(0);
        }

        using (var init = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "seed", "init", "written"))
        {
            (await init.EndAsync()).ShouldExitWith(0);
        }

        Assert.Equal(["people.csv", "schema.sql", "seed.yaml"],
            Directory.EnumerateFiles(Path.Combine(place.Folder, "written")).Select(Path.GetFileName).Order(StringComparer.Ordinal));
    }
}
