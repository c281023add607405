using System.Text.Json;
using static BulkLoad.IntegrationTests.Seeding.SeedReport;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary><c>bulkload seed</c> as a user runs it.</summary>
public sealed class SeedTests
{
    private const string Shop = """
        CREATE TABLE artists (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL);
        CREATE TABLE albums (id INT PRIMARY KEY, title VARCHAR(40), artist_id INT NOT NULL, FOREIGN KEY (artist_id) REFERENCES artists (id));
        CREATE TABLE employees (id INT PRIMARY KEY, name VARCHAR(40), boss INT NULL, FOREIGN KEY (boss) REFERENCES employees (id));
        """;

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Parents_go_first_whatever_the_files_are_called(string name)
    {
        await using var place = await ShopAsync(name);
        var report = await SeedAsync(place, 0);
        Assert.Equal((3, 0, 0, 0), CountsOf(report, "artists"));
        Assert.Equal((2, 0, 0, 0), CountsOf(report, "albums"));
        Assert.Equal((3, 0, 0, 0), CountsOf(report, "employees"));
        Assert.Equal("2", await place.ScalarAsync("SELECT boss FROM employees WHERE id = 1"));

        var again = await SeedAsync(place, 0);
        Assert.Equal("already-complete", again.GetProperty("outcome").GetString());
        Assert.All(again.GetProperty("tables").EnumerateArray(), table => Assert.Equal("known", table.GetProperty("outcome").GetString()));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Compressed_files_are_those_of_their_tables(string name)
    {
        await using var place = await ShopAsync(name);
        var artists = Path.Combine(place.Folder, "data", "artists.csv");
        using (var compressor = new ZstdSharp.Compressor())
        {
            var text = await File.ReadAllBytesAsync(artists, TestContext.Current.CancellationToken);
            await File.WriteAllBytesAsync($"{artists}.zst", compressor.Wrap(text).ToArray(), TestContext.Current.CancellationToken);
        }

        File.Delete(artists);
        Assert.Equal((3, 0, 0, 0), CountsOf(await SeedAsync(place, 0), "artists"));
        Assert.Equal("known", Table(await SeedAsync(place, 0), "artists").GetProperty("outcome").GetString());
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Sync_changes_what_differs_and_counts_it(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        place.Write("data/artists.csv", "id,name\n1,Ann\n2,bo\n5,Eve\n");
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,2\n");
        var preview = await SyncAsync(place, 0, "--preview");
        Assert.True(preview.GetProperty("preview").GetBoolean());
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));
        Assert.Contains(
            preview.GetProperty("tables").EnumerateArray().SelectMany(table => table.GetProperty("changes").EnumerateArray()),
            change => change.GetProperty("kind").GetString() == "updated"
                && change.GetProperty("values")[0].GetProperty("before").GetString() == "Bo");

        var report = await SyncAsync(place, 0);
        Assert.Equal((1, 1, 1, 1), CountsOf(report, "artists"));
        Assert.Equal((0, 1, 0, 1), CountsOf(report, "albums"));
        Assert.Equal("known", Table(report, "employees").GetProperty("outcome").GetString());
        Assert.Equal("1:Ann,2:bo,5:Eve", await place.ScalarAsync("SELECT GROUP_CONCAT(id, ':', name ORDER BY id) FROM artists"));
        await place.QueryAsync("INSERT INTO artists (name) VALUES ('next')");
        Assert.Equal("6", await place.ScalarAsync("SELECT MAX(id) FROM artists"));
        Assert.Equal((0, 0, 3, 1), CountsOf(await SyncAsync(place, 0), "artists"));
        await place.QueryAsync("INSERT INTO artists (name) VALUES ('next')");
        Assert.Equal("6", await place.ScalarAsync("SELECT MAX(id) FROM artists"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_changed_file_is_refused_in_the_usual_mode(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n2,Other,3\n");
        await SeedAsync(place, 9, "--mode sync");
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n2,Two,3\n");
        place.Write("data/employees.csv", "id,name,boss\n3,Max,\\N\n");
        await SeedAsync(place, 9, "employees.csv differs from what an earlier seed has loaded");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM employees"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_file_with_another_first_record_was_loaded_beside_the_rows_of_the_former_one(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        place.Write("data/artists.csv", "id,name\n7,Gil\n8,Hal\n");
        await SeedAsync(place, 9, "artists.csv differs from what an earlier seed has loaded into");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));
        await place.QueryAsync("ALTER TABLE artists ADD KEY (name)");
        await SeedAsync(place, 9, "--mode sync");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));

        await place.QueryAsync("DELETE FROM albums; DELETE FROM artists");
        place.Write("data/albums.csv", "id,title,artist_id\n5,Five,8\n");
        Assert.Equal((2, 0, 0, 0), CountsOf(await SeedAsync(place, 0), "artists"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sync_took_rows_that_were_changed_by_hand_for_those_of_the_file(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        await place.QueryAsync("UPDATE albums SET title = 'Other' WHERE id = 1; UPDATE employees SET name = 'Other' WHERE id = 1");
        var again = await SeedAsync(place, 0);
        Assert.Contains(
            Table(again, "employees").GetProperty("notes").EnumerateArray(),
            note => note.GetString()
                == "its rows were changed since the last seed; 'bulkload seed --mode sync' makes the table equal to the file");
        Assert.Equal("already-complete", again.GetProperty("outcome").GetString());
        Assert.Equal("known", Table(again, "artists").GetProperty("outcome").GetString());
        Assert.Equal("loaded-before", Table(again, "albums").GetProperty("outcome").GetString());
        Assert.Equal("loaded-before", Table(again, "employees").GetProperty("outcome").GetString());

        var report = await SyncAsync(place, 0);
        Assert.Equal("known", Table(report, "artists").GetProperty("outcome").GetString());
        Assert.Equal((0, 1, 1, 0), CountsOf(report, "albums"));
        Assert.Equal((0, 1, 2, 0), CountsOf(report, "employees"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sync_took_rows_that_were_there_before_the_first_seed_for_those_of_the_file(string name)
    {
        await using var place =
            await ShopAsync(name, "INSERT INTO artists VALUES (77, 'before'); INSERT INTO employees VALUES (77, 'before', NULL);");
        await SeedAsync(place, 0);
        Assert.Equal("already-complete", (await SeedAsync(place, 0)).GetProperty("outcome").GetString());
        var report = await SyncAsync(place, 0);
        Assert.Equal((0, 0, 3, 1), CountsOf(report, "artists"));
        Assert.Equal((0, 0, 3, 1), CountsOf(report, "employees"));
        Assert.Equal("known", Table(report, "albums").GetProperty("outcome").GetString());
        Assert.Equal("already-complete", (await SyncAsync(place, 0)).GetProperty("outcome").GetString());
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_that_was_altered_was_filled_twice_by_atomic(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE logs (line VARCHAR(20));");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/logs.csv", "line\none\ntwo\n");
        await SeedAsync(place, 0, null, "--atomic");

        // As if the table had been altered a second later.
        await place.QueryAsync("ALTER TABLE logs ADD KEY (line); UPDATE bulkload_seeds SET created = '2020-02-20 20:20:20'");
        await SeedAsync(place, 0, null, "--atomic");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM logs"));
        place.Write("data/logs.csv", "line\none\nthree\n");
        await SeedAsync(place, 9, "logs.csv differs from what an earlier seed has loaded into logs, or its options do\n  to empty logs, "
            + "and load logs.csv: bulkload seed data --atomic --mode truncate\n", "--atomic");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sync_that_fails_at_one_file_reported_the_records_of_others_as_inserted(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n");
        place.Write("data/employees.csv", "id,name,boss\n1,Kim,2\nx,Lee,3\n3,Max,\\N\n");
        var failed = await SyncAsync(place, 4, "data/employees.csv:3", "--threads", "1");
        Assert.Equal("failed", Table(failed, "employees").GetProperty("outcome").GetString());
        Assert.Equal("undone", Table(failed, "albums").GetProperty("outcome").GetString());
        Assert.All(failed.GetProperty("tables").EnumerateArray(), table => Assert.Equal(0, table.GetProperty("inserted").GetInt32()));
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM albums"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_circle_is_closed_when_all_rows_are_there(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), """
            CREATE TABLE teams (id INT PRIMARY KEY, captain INT NULL);
            CREATE TABLE players (id INT PRIMARY KEY, team INT NOT NULL, FOREIGN KEY (team) REFERENCES teams (id));
            ALTER TABLE teams ADD FOREIGN KEY (captain) REFERENCES players (id);
            CREATE TABLE nodes (id INT PRIMARY KEY, up INT NOT NULL, FOREIGN KEY (up) REFERENCES nodes (id));
            """);
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/teams.csv", "id,captain\n1,11\n2,\\N\n");
        place.Write("data/players.csv", "id,team\n10,2\n11,1\n");
        place.Write("data/nodes.csv", "id,up\n3,2\n2,1\n1,1\n");
        await SeedAsync(place, 0);
        Assert.Equal("11", await place.ScalarAsync("SELECT captain FROM teams WHERE id = 1"));
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM nodes"));

        place.Write("data/nodes.csv", "id,up\n7,7\n");
        Assert.Equal((1, 0, 0, 3), CountsOf(await SyncAsync(place, 0), "nodes"));
        place.Write("data/nodes.csv", "id,up\n");
        await SyncAsync(place, 9, "InnoDB cannot delete the last of them");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_circle_without_a_nullable_column_is_shown(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), """
            CREATE TABLE a (id INT PRIMARY KEY, b_id INT NOT NULL);
            CREATE TABLE b (id INT PRIMARY KEY, a_id INT NOT NULL, FOREIGN KEY (a_id) REFERENCES a (id));
            ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id);
            """);
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/a.csv", "id,b_id\n1,1\n");
        place.Write("data/b.csv", "id,a_id\n1,1\n");
        await SeedAsync(place, 9, "a.b_id -> b; b.a_id -> a");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_bad_line_is_fixed_and_the_same_command_ends_in_the_right_database(string name)
    {
        await using var place = await ShopAsync(name);
        place.Write("data/artists.csv", "id,name\n1,Ann\nx,Bo\n3,Cy\n");
        var failed = await SeedAsync(place, 4, "data/artists.csv:3: column 'id': 'x' is not an integer");
        Assert.Equal("artists", failed.GetProperty("failedTable").GetString());
        Assert.Equal("not-started", Table(failed, "albums").GetProperty("outcome").GetString());
        place.Write("data/artists.csv", "id,name\n1,Ann\n2,Bo\n3,Cy\n");
        await SeedAsync(place, 0);
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM albums"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_orphan_is_named_and_nothing_is_changed(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 0);
        place.Write("data/artists.csv", "id,name\n1,Other\n");
        const string orphans = "albums.csv: records refer to rows of artists that artists.csv does not have (id 2: artist_id 3)";
        await SyncAsync(place, 4, orphans, "--preview");
        var failed = await SyncAsync(place, 4, orphans);
        Assert.Equal("undone", Table(failed, "artists").GetProperty("outcome").GetString());
        Assert.Equal("Ann", await place.ScalarAsync("SELECT name FROM artists WHERE id = 1"));

        place.Write("data/artists.csv", "id,name\n1,Ann\n2,Bo\n3,Cy\n");
        place.Write("data/albums.csv", "id,title,artist_id\n9,Nine,77\n");
        await SyncAsync(place, 4, "albums.csv: records refer to rows of artists that artists.csv does not have (id 9: artist_id 77)");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM albums"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Atomic_is_all_tables_or_none(string name)
    {
        await using var place = await ShopAsync(name);
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n2,Two,77\n");
        await SeedAsync(place, 4, "artist_id 77", "--atomic");
        Assert.Equal("0", await place.ScalarAsync("SELECT (SELECT COUNT(*) FROM artists) + (SELECT COUNT(*) FROM employees)"));
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n2,Two,3\n");
        await SeedAsync(place, 0, null, "--atomic");
        Assert.Equal("already-complete", (await SeedAsync(place, 0, null, "--atomic")).GetProperty("outcome").GetString());
        Assert.Equal("8", await place.ScalarAsync(
            "SELECT (SELECT COUNT(*) FROM artists) + (SELECT COUNT(*) FROM employees) + (SELECT COUNT(*) FROM albums)"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Truncate_starts_from_nothing(string name)
    {
        await using var place = await ShopAsync(name, "INSERT INTO artists VALUES (50, 'Old'); INSERT INTO albums VALUES (50, 'Old', 50);");
        await SeedAsync(place, 9, "no word of the database's name", "--mode", "truncate");
        foreach (var more in new[] { Array.Empty<string>(), [], ["--atomic"] })
        {
            await SeedAsync(place, 0, null, ["--mode", "truncate", "--allow-database", place.Database, .. more]);
            Assert.Equal("1,2,3", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM artists"));
            Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM albums"));
        }

        await place.QueryAsync("CREATE TABLE sales (album INT, FOREIGN KEY (album) REFERENCES albums (id)); INSERT INTO sales VALUES (1)");
        await SeedAsync(place, 9, "sales refer to albums", "--mode", "truncate", "--allow-database", place.Database);
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Rows_of_tables_without_a_file_are_not_lost_by_a_cascade(string name)
    {
        await using var place =
            await ShopAsync(name, "CREATE TABLE sales (album INT, FOREIGN KEY (album) REFERENCES albums (id) ON DELETE CASCADE);");
        await SeedAsync(place, 0);
        await place.QueryAsync("INSERT INTO sales VALUES (2)");
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n");
        await SyncAsync(place, 9, "1 row of " + place.Database + ".sales refer to rows of albums");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM albums"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_trigger_that_makes_other_rows_is_found_out(string name)
    {
        await using var place = await ShopAsync(name, "CREATE TRIGGER shout BEFORE INSERT ON artists FOR EACH ROW SET NEW.name = "
            + "UPPER(NEW.name); CREATE TRIGGER again BEFORE UPDATE ON artists FOR EACH ROW SET NEW.name = UPPER(NEW.name);");
        await SyncAsync(place, 7, "its triggers change rows");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM artists"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Unique_values_can_move_from_row_to_row(string name)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY, u INT NULL UNIQUE, v INT NOT NULL UNIQUE);");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/t.csv", "id,u,v\n1,10,1\n2,20,2\n3,30,3\n");
        await SeedAsync(place, 0);
        place.Write("data/t.csv", "id,u,v\n1,20,1\n2,10,2\n4,30,3\n");
        Assert.Equal((1, 2, 0, 1), CountsOf(await SyncAsync(place, 0), "t"));
        Assert.Equal("1:20,2:10,4:30", await place.ScalarAsync("SELECT GROUP_CONCAT(id, ':', u ORDER BY id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Unique_values_that_are_not_null_are_swapped_or_moved_on(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name),
            "CREATE TABLE swapped (id INT PRIMARY KEY, v INT NOT NULL UNIQUE, w INT); CREATE TABLE parents (id INT PRIMARY KEY, v INT NOT "
                + "NULL UNIQUE); "
            + "CREATE TABLE children (id INT PRIMARY KEY, parent INT NOT NULL, FOREIGN KEY (parent) REFERENCES parents (id));");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/swapped.csv", "id,v,w\n1,10,1\n2,20,2\n3,30,3\n");
        place.Write("data/parents.csv", "id,v\n1,10\n2,20\n3,30\n");
        place.Write("data/children.csv", "id,parent\n1,1\n2,3\n");
        await SeedAsync(place, 0);
        place.Write("data/swapped.csv", "id,v,w\n1,20,1\n2,10,2\n3,30,3\n");
        place.Write("data/parents.csv", "id,v\n1,20\n2,30\n3,40\n");
        var report = await SyncAsync(place, 0);
        Assert.Equal((0, 2, 1, 0), CountsOf(report, "swapped"));
        Assert.Equal((0, 3, 0, 0), CountsOf(report, "parents"));
        Assert.Equal("1:20,2:10,3:30", await place.ScalarAsync("SELECT GROUP_CONCAT(id, ':', v ORDER BY id) FROM swapped"));
        Assert.Equal("1:20,2:30,3:40", await place.ScalarAsync("SELECT GROUP_CONCAT(id, ':', v ORDER BY id) FROM parents"));
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM children"));

        // A swap where other rows refer to the table: nothing may be deleted, and no value is free.
        place.Write("data/parents.csv", "id,v\n1,30\n2,20\n3,40\n");
        await SyncAsync(place, 4, "two rows of parents would have the same unique value");
        Assert.Equal("1:20,2:30,3:40", await place.ScalarAsync("SELECT GROUP_CONCAT(id, ':', v ORDER BY id) FROM parents"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task The_schema_is_run_where_there_is_no_table(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name));
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        WriteShop(place);
        place.Write("schema.sql", Shop);
        await SeedAsync(place, 9, "has no table");
        await SeedAsync(place, 9, "--atomic: schema.sql would make tables", "--schema", "schema.sql", "--atomic");
        await SeedAsync(place, 0, null, "--schema", "schema.sql");
        var again = await SeedAsync(place, 0, null, "--schema", "schema.sql");
        Assert.Contains(again.GetProperty("notes").EnumerateArray(),
            note => note.GetString()!.StartsWith("schema.sql is skipped", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_map_says_what_names_cannot_and_is_checked_before_anything_is_done(string name)
    {
        await using var place = await ShopAsync(name);
        File.Move(Path.Combine(place.Folder, "data/artists.csv"), Path.Combine(place.Folder, "data/2024 export.csv"));
        place.Write("data/2024 export.csv", "No;Who\n1;Ann\n2;Bo\n3;Cy\n");
        place.Write("data/seed.yaml",
            "tables:\n  2024 export.csv:\n    table: artists\n    columns: [id, name]\n    options: { delimiter: ';', skip-linez: 1 }\n");
        await SeedAsync(place, 2, "bulkload import has no option --skip-linez");
        foreach (var (option, fault) in new[]
        {
            ("reject-file: true", "seed.yaml: --reject-file needs a file name"),
            ("atomic: 5", "seed.yaml: --atomic takes no value: write true"),
            ("reject-file: data/seed.yaml, overwrite: true", "--reject-file: 'data/seed.yaml' "),
            ("repairs-file: data/r.json", "would be the file of a table"),
        })
        {
            place.Write("data/seed.yaml", $"tables:\n  2024 export.csv:\n    table: artists\n    options: {{ {option} }}\n");
            await SeedAsync(place, 2, fault);
        }

        place.Write(
            "data/seed.yaml", "tables:\n  2024 export.csv:\n    table: artists\n    options: { delimiter: ';', map: [No=id, Who=name] }\n");
        await SeedAsync(place, 0);
        Assert.Equal("Bo", await place.ScalarAsync("SELECT name FROM artists WHERE id = 2"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Names_that_are_nearly_right_are_answered(string name)
    {
        await using var place = await ShopAsync(name);
        await SeedAsync(place, 2, "did you mean 'albums'?", "--only", "album");
        File.Move(Path.Combine(place.Folder, "data/albums.csv"), Path.Combine(place.Folder, "data/album.csv"));
        await SeedAsync(place, 9, "has no table album; did you mean 'albums'?");
        var only = await SeedAsync(place, 0, null, "--only", "artists");
        Assert.Single(only.GetProperty("tables").EnumerateArray());
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_plan_writes_nothing(string name)
    {
        await using var place = await ShopAsync(name);
        using var run = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "seed", "data", "--plan");
        var end = await run.EndAsync();
        end.ShouldExitWith(0);
        Assert.Contains("employees.boss -> employees: boss is NULL at first", end.Output, StringComparison.Ordinal);
        Assert.Equal(
            "3", await place.ScalarAsync($"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{place.Database}'"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_database_has_one_seed_at_a_time(string name)
    {
        await using var place = await ShopAsync(name);
        await using var other = await BulkLoad.Core.Protocol.ServerSession.ConnectAsync(
            place.Server.Options() with { Database = place.Database }, TestContext.Current.CancellationToken);
        await other.QueryAsync(BulkLoad.Core.Sql.SeedSql.TakeLock(place.Database), TestContext.Current.CancellationToken);
        await SeedAsync(place, 9, "another seed of " + place.Database + " is running");
    }

    /// <summary>CHECKSUM TABLE is the same for 'x', 'y' and 'xy', ''.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_text_that_has_moved_to_the_next_column_is_put_back(string name)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY, first VARCHAR(20), last VARCHAR(20));");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/people.csv", "id,first,last\n1,Ann,Lee\n");
        await SeedAsync(place, 0);
        await place.QueryAsync("UPDATE people SET first = 'AnnLee', last = ''");
        Assert.Equal((0, 1, 0, 0), CountsOf(await SyncAsync(place, 0), "people"));
        Assert.Equal("Ann/Lee", await place.ScalarAsync("SELECT CONCAT(first, '/', last) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_with_the_longest_name_has_a_staging_table_too(string name)
    {
        var table = new string('t', 64);
        await using var place = await Workplace.CreateAsync(Servers.Get(name),
            $"CREATE TABLE {table} (id INT PRIMARY KEY, up INT NULL, CONSTRAINT up FOREIGN KEY (up) REFERENCES {table} (id));");
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write($"data/{table}.csv", "id,up\n1,2\n2,\\N\n");
        Assert.Equal((2, 0, 0, 0), CountsOf(await SeedAsync(place, 0), table));
    }

    private static async Task<Workplace> ShopAsync(string server, string more = "")
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), Shop + more);
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        WriteShop(place);
        return place;
    }

    private static void WriteShop(Workplace place)
    {
        place.Write("data/artists.csv", "id,name\n1,Ann\n2,Bo\n3,Cy\n");
        place.Write("data/albums.csv", "id,title,artist_id\n1,One,1\n2,Two,3\n");
        place.Write("data/employees.csv", "id,name,boss\n1,Kim,2\n2,Lee,3\n3,Max,\\N\n");
    }

    private static Task<JsonElement> SyncAsync(Workplace place, int exitCode, params string[] args) =>
        SeedAsync(place, exitCode, exitCode == 0 ? null : args[0],
            ["--mode", "sync", "--allow-database", place.Database, .. exitCode == 0 ? args : args[1..]]);

    /// <returns>the report</returns>
    private static async Task<JsonElement> SeedAsync(Workplace place, int exitCode, string? says = null, params string[] args)
    {
        using var run =
            BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), ["seed", "data", "--report", "report.json", "--overwrite", .. args]);
        var end = await run.EndAsync();
        end.ShouldExitWith(exitCode);
        if (says is not null)
        {
            end.ShouldSay(says);
        }

        var path = Path.Combine(place.Folder, "report.json");
        using var report =
            JsonDocument.Parse(new FileInfo(path) is { Exists: true, Length: > 0 } ? await File.ReadAllTextAsync(path) : "{}");
        return report.RootElement.Clone();
    }
}
