using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>What <c>seed init</c> writes, the import brings back exactly, by the options in seed.yaml and nothing else.</summary>
public sealed class SeedInitTests
{
    private const string Text = "''|'x'|' lead and tail '|'NULL'|'\\\\N'|'\"'|'a\"\"b,c;d\\te'|'line\\nends\\r\\nhere\\r'|'#'|'it''s "
        + "\\\\'|'-'|'0'|'é€'|'sep=;'|'id,c1'";

    /// <summary>A column's type, and literals of SQL with bars between; a word in braces is drawn.</summary>
    private static readonly (string Ddl, string Values, string? Server)[] Types =
    [
        ("TINYINT", "-128|127|0|{-128,127}", null), ("SMALLINT UNSIGNED", "0|65535|{0,65535}", null),
        ("INT(8) ZEROFILL", "0|42|4294967295", null), ("BIGINT", "-9223372036854775808|9223372036854775807|{-99999999,99999999}", null),
        ("BIGINT UNSIGNED", "18446744073709551615|0", null),
        ("DECIMAL(65,30)", "99999999999999999999999999999999999.999999999999999999999999999999|-0.000000000000000000000000000001|0", null),
        ("BOOLEAN", "0|1|-128", null),
        ("BIT(1)", "b'0'|b'1'", null), ("BIT(64)", "0|18446744073709551615|{0,9999999}", null),
        ("DOUBLE", "1.7976931348623157e308|-5e-324|0.1|-0e0|{0,99999}/7e0|RAND()*1e10", null),
        ("FLOAT", "3.4028234e38|1e-45|16777217|0.1|-0e0|{-9999,9999}/7e0|RAND()", null), ("FLOAT(7,3)", "-1234.567|0.001", null),
        ("DOUBLE(9,3)", "-99999.125|0.5", null), ("FLOAT UNSIGNED", "0|0.3", null),
        ("CHAR(12)", "''|'ä\\t€\\n'|' x'|'\\\\N'|'NULL'", null), ("VARCHAR(40)", Text, null),
        ("VARCHAR(40) CHARACTER SET latin1", Text, null), ("VARCHAR(9) CHARACTER SET sjis", "'表ソ\\\\'|'ｱ'|''", null),
        ("VARCHAR(9) CHARACTER SET utf16", "'😀\\n'|''|'x\\\\'", null),
        ("VARCHAR(9) CHARACTER SET utf8mb3", "'€\\n'|'x\\\\'|''", null), ("TEXT", Text + "|REPEAT('\\\\\\t\"', 9000)", null),
        ("LONGTEXT", Text + "|REPEAT('€\\n', 3000)", null), ("TINYTEXT", Text, null),
        ("BINARY(4)", "x'00000000'|x'5C4E090A'|x'FF80C300'|'    '", null),
        ("VARBINARY(9)", "''|x'00'|x'5C4E'|x'090A0D1A275C22'|x'EDA080FF'", null),
        ("BLOB", "''|x'5C'|REPEAT(x'5C00FF', 20000)|RANDOM_BYTES({1,99})", null), ("LONGBLOB", "x'C3'|''|REPEAT(x'0D0A', 90000)", null),
        ("DATE", "'0001-01-01'|'9999-12-31'|'0000-00-00'|'2024-05-00'|'2024-02-29'", null),
        ("DATETIME", "'0001-01-01 00:00:00'|'0000-00-00 00:00:00'|'2024-02-29 12:00:01'", null),
        ("DATETIME(6)", "'9999-12-31 23:59:59.999999'|'2024-02-29 00:00:00.000001'", null),
        ("TIMESTAMP", "'1970-01-01 00:00:01'|'2038-01-19 03:14:07'|'0000-00-00 00:00:00'|'2024-03-31 01:30:00'|'2024-10-27 00:30:00'",
            null), ("TIMESTAMP(6)", "'1970-01-01 00:00:01.000001'|'2038-01-19 03:14:07.999999'", null),
        ("TIME", "'-838:59:59'|'838:59:59'|'00:00:00'", null), ("TIME(6)", "'-00:00:00.000001'|'838:59:58.999999'", null),
        ("YEAR", "1901|2155|'0000'", null),
        ("ENUM('a','it''s','b\tc','2','')", "'a'|'it''s'|'b\tc'|'2'|''", null), ("SET('x','y z','ä')", "''|'x,ä'|'x,y z,ä'", null),
        ("JSON", "'{\"a\": [1, 1.5, true, null, \"\\\\n\\\\u00e9\\\\\\\\\"]}'|'[]'|'{}'|'null'|'\"x\"'|'18446744073709551615'|'1.0'", null),
        ("UUID", "'123e4567-e89b-12d3-a456-426655440000'|'00000000-0000-0000-0000-000000000000'", Servers.MariaDb),
        ("INET4", "'0.0.0.0'|'255.255.255.255'", Servers.MariaDb), ("INET6", "'::'|'2001:db8::1'", Servers.MariaDb),
        ("GEOMETRY", "ST_GeomFromText('POINT(0.1 -2.5)')|ST_GeomFromText('POLYGON((0 0,4 0,4 4,0 "
            + "0))')|ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')", null),
        ("POINT", "ST_GeomFromText('POINT(0 0)')|ST_GeomFromText('POINT(-1.5 1e-7)')", null),
        ("LINESTRING", "ST_GeomFromText('LINESTRING(0 0,1 1.25)')", null),
        ("POINT SRID 4326", "ST_GeomFromText('POINT(52.5 13.4)', 4326)", Servers.MySql),
    ];

    private const string Others =
        """
        CREATE TABLE no_key (a INT, b VARCHAR(20)); INSERT INTO no_key VALUES (1,'x'),(1,'x'),(NULL,NULL),(2,'');
        CREATE TABLE one_text (t VARCHAR(50)); INSERT INTO one_text VALUES ('t'),(''),(NULL),('#x'),('"'),('t'),(',,,'),(';;'),('\\N');
        CREATE TABLE nothing (id INT PRIMARY KEY, `a b` VARCHAR(3), `1` INT);
        CREATE TABLE `odd;na``me.x` (`ORDER` INT AUTO_INCREMENT PRIMARY KEY, `it's "so"` INT, `@g` VARCHAR(9), g INT AS (`it's "so"` + 1)); INSERT INTO `odd;na``me.x` (`ORDER`, `it's "so"`, `@g`) VALUES (5,1,'x'),(9,NULL,'@');
        """ + "ALTER TABLE `odd;na``me.x` AUTO_INCREMENT=99;\n" +
        """
        CREATE TABLE nul_text (id INT PRIMARY KEY, t TEXT, j JSON, b BLOB, d DATETIME); INSERT INTO nul_text VALUES (1,'a\0b','{"a": [1, "x\\n"]}',x'00ff','2024-01-02 03:04:05'),(2,NULL,NULL,NULL,NULL),(3,'',  '"x"', '', '0000-00-00 00:00:00');
        CREATE TABLE many_lines (id INT PRIMARY KEY, t LONGTEXT); INSERT INTO many_lines VALUES (1,REPEAT('a\n',5000)),(2,REPEAT('"\r\n',3000));
        CREATE TABLE z_parent (id INT PRIMARY KEY, up INT, CONSTRAINT z_up FOREIGN KEY (up) REFERENCES z_parent (id)); INSERT INTO z_parent VALUES (1,NULL),(2,1);
        CREATE TABLE a_child (id INT, part VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, parent INT NOT NULL, PRIMARY KEY (part, id), FOREIGN KEY (parent) REFERENCES z_parent (id)); INSERT INTO a_child VALUES (1,'b',2),(2,'a',1),(3,'B',1);
        CREATE VIEW v_first AS SELECT id FROM a_child WHERE part <> 'DEFINER=`x`@`y` ';
        CREATE VIEW a_view AS SELECT id FROM v_first;
        DELIMITER //
        CREATE TRIGGER a_child_in BEFORE INSERT ON a_child FOR EACH ROW BEGIN SET NEW.part = 'no'; SET @x = ';'; END//
        DELIMITER ;
        CREATE PROCEDURE p() SELECT 1;
        """;

    [Theory]
    [CombinatorialServers(1, 2)]
    public async Task What_is_written_comes_back_exactly(string name, int seed)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, TypesSql(server, new Random(seed)) + Others);
        await using var back = await Workplace.CreateAsync(server);

        var end = await place.RunAsync("seed", "init", "out");

        end.ShouldExitWith(0);
        Assert.Contains("triggers.sql has 1 trigger", end.Output);
        Assert.Contains("not written: procedure p", end.Output);
        var folder = Path.Combine(place.Folder, "out");
        Assert.Empty(Directory.GetFiles(folder, "*.part"));
        await ServerClient.RunAsync(server, back.Database, await File.ReadAllTextAsync(Path.Combine(folder, "schema.sql")));
        var yaml = SeedYamlText.Read(Path.Combine(folder, "seed.yaml"));
        string[] files = [.. end.Output.Split('\n').Select(line => line.Split(':')[0])
            .Where(file => file.EndsWith(".csv", StringComparison.Ordinal) || file.EndsWith(".jsonl", StringComparison.Ordinal))];
        Assert.Contains("nul_text.jsonl", files);
        Assert.True(Array.IndexOf(files, "z_parent.csv") < Array.IndexOf(files, "a_child.csv"), end.Output);
        foreach (var file in files)
        {
            (await back.RunAsync(["import", Path.Combine(folder, file), .. yaml.Words(file), "--no-ledger"])).ShouldExitWith(0);
        }

        await ServerClient.RunAsync(server, back.Database, await File.ReadAllTextAsync(Path.Combine(folder, "triggers.sql")));
        string[] tables = [.. (await place.QueryAsync("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE';"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1).Select(line => line.Split('\t')[0])];
        Assert.Equal(tables.Length, files.Length);
        var sums = $"CHECKSUM TABLE {string.Join(',', tables.Select(table => $"`{table.Replace("`", "``", StringComparison.Ordinal)}`"))};";
        Assert.Equal((await place.QueryAsync(sums)).Replace(place.Database, "db", StringComparison.Ordinal),
            (await back.QueryAsync(sums)).Replace(back.Database, "db", StringComparison.Ordinal));
        foreach (var what in tables.Select(table => $"TABLE `{table.Replace("`", "``", StringComparison.Ordinal)}`")
            .Concat(["VIEW a_view", "VIEW v_first", "TRIGGER a_child_in"]))
        {
            Assert.Equal(await CreatedAsync(place, what), await CreatedAsync(back, what));
        }
    }

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task Only_a_folder_that_is_empty_is_written_unless_forced(string name)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name),
            "CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES c (id)); INSERT INTO b VALUES (1,NULL);"
                .Replace("CREATE TABLE b", "CREATE TABLE c (id INT PRIMARY KEY); CREATE TABLE b", StringComparison.Ordinal));
        Directory.CreateDirectory(Path.Combine(place.Folder, "out"));
        var mine = place.Write("out/mine.txt", "x");
        place.Write("out/b.csv", "old");

        var refused = await place.RunAsync("seed", "init", "out");
        refused.ShouldExitWith(2);
        refused.ShouldSay("folder 'out' is not empty");
        Assert.Equal("old", await File.ReadAllTextAsync(Path.Combine(place.Folder, "out", "b.csv")));

        var end = await place.RunAsync("seed", "init", "out", "--force", "--only", "b");
        end.ShouldExitWith(0);
        Assert.Contains("b refers to c, which is not written", end.Output);
        Assert.Equal("id,a\n1,\\N\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "out", "b.csv")));
        Assert.Equal("x", await File.ReadAllTextAsync(mine));
        Assert.Equal(["b.csv", "mine.txt", "schema.sql", "seed.yaml"],
            Directory.GetFiles(Path.Combine(place.Folder, "out")).Select(Path.GetFileName).Order(StringComparer.Ordinal));

        var unknown = await place.RunAsync("seed", "init", "new", "--only", "bb");
        unknown.ShouldExitWith(9);
        unknown.ShouldSay("--only bb: database");
        Assert.False(Directory.Exists(Path.Combine(place.Folder, "new")));
    }

    /// <summary>Rows that come while the first table is read are in no file.</summary>
    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task All_tables_are_read_from_one_state(string name)
    {
        const string Digits = "(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION "
            + "SELECT 7 UNION SELECT 8 UNION SELECT 9)";
        await using var place = await Workplace.CreateAsync(
            Servers.Get(name),
            "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, t VARCHAR(100)); CREATE TABLE b (id INT AUTO_INCREMENT PRIMARY KEY);"
            + $"INSERT INTO a (t) SELECT REPEAT('x', 99) FROM {Digits} a, {Digits} b, {Digits} c, {Digits} e, {Digits} f; INSERT INTO b "
            + "VALUES (1);");
        using var program = place.Start("seed", "init", "out");
        program.Input.Close();
        await Faults.Wait.ForAsync(() => program.HasEnded || File.Exists(Path.Combine(place.Folder, "out", ".a.csv.part")));
        await place.QueryAsync("INSERT INTO b VALUES (2); INSERT INTO a (t) VALUES ('late');");
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("id\n1\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "out", "b.csv")));
        Assert.Equal(100_001, File.ReadLines(Path.Combine(place.Folder, "out", "a.csv")).Count());
    }

    /// <summary>What a file cannot say is refused before anything is kept.</summary>
    [Theory]
    [CombinatorialServers(
        "CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a')); SET sql_mode=''; INSERT IGNORE INTO t VALUES (1,'x');",
        "CREATE TABLE t (id INT PRIMARY KEY, c GEOMETRY); INSERT INTO t VALUES (1,ST_GeomFromText('POINT(1 2)',4326));",
        "CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9) CHARACTER SET cp1250); INSERT INTO t VALUES (1,CONVERT(x'81' USING cp1250));")]
    public async Task A_value_that_no_file_can_say_is_refused_by_name(string name, string sql)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), sql);
        var end = await place.RunAsync("seed", "init", "out");
        end.ShouldExitWith(9);
        end.ShouldSay("t: column 'c' has 1 value that a file cannot say exactly");
        Assert.False(Directory.Exists(Path.Combine(place.Folder, "out")));
    }

    /// <summary>The catalogue says nothing of columns that the account has no right on.</summary>
    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task A_table_that_the_account_may_not_read_in_full_is_refused(string name)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY, secret INT); INSERT INTO t VALUES (1,2);");
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'one-column/1'", "one-column/1");
        await place.QueryAsync($"GRANT SELECT (id) ON t TO '{account.User}'@'%';");
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database), "seed", "init", "out");
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(9);
        end.ShouldSay("the account needs SELECT on all tables");
        Assert.False(Directory.Exists(Path.Combine(place.Folder, "out")));
    }

    [Fact]
    public async Task Vectors_come_back_as_they_were()
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(Servers.MySql), "CREATE TABLE t (id INT PRIMARY KEY, c VECTOR(3), b VARBINARY(9)); INSERT INTO t VALUES (1, "
                + "STRING_TO_VECTOR('[0.1,-2,3e-5]'), x'00ff'), (2, NULL, NULL);");
        const string Query = "SELECT id, HEX(c), HEX(b) FROM t ORDER BY id;";
        var before = await place.QueryAsync(Query);
        (await place.RunAsync("seed", "init", "out")).ShouldExitWith(0);
        await place.QueryAsync("DELETE FROM t;");
        (await place.RunAsync("seed", "out")).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync(Query));
    }

    [Fact]
    public async Task What_is_neither_table_nor_view_is_named()
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(Servers.MariaDb), "CREATE SEQUENCE s; CREATE TABLE v (id INT PRIMARY KEY) WITH SYSTEM VERSIONING; CREATE TABLE m "
                + "(id INT) ENGINE=Aria; CREATE TABLE t (id INT PRIMARY KEY);");
        var end = await place.RunAsync("seed", "init", "out");
        end.ShouldExitWith(0);
        Assert.Contains("not written: s, which is a SEQUENCE", end.Output);
        Assert.Contains("not written: v, which is a SYSTEM VERSIONED", end.Output);
        Assert.Contains("m has no transactions", end.Output);
        Assert.Equal(["m.csv", "schema.sql", "seed.yaml", "t.csv"],
            Directory.GetFiles(Path.Combine(place.Folder, "out")).Select(Path.GetFileName).Order(StringComparer.Ordinal));
    }

    private static string TypesSql(TestServer server, Random random)
    {
        var types = Types.Where(type => type.Server is null || type.Server == server.Name).ToArray();
        var sql = new StringBuilder("SET time_zone='+00:00', sql_mode='NO_AUTO_VALUE_ON_ZERO';\n");
        sql.Append(CultureInfo.InvariantCulture,
            $"CREATE TABLE every_type (id INT PRIMARY KEY, {string.Join(", ", types.Select((type, i) => $"c{i} {type.Ddl} NULL"))});\n");
        for (var row = 0; row < 60; row++)
        {
            sql.Append(CultureInfo.InvariantCulture, $"INSERT INTO every_type VALUES ({row - 20},"
                + $"{string.Join(',', types.Select(type => row == 0 ? "NULL" : Draw(type.Values.Split('|'), row, random)))});\n");
        }

        return sql.ToString();
    }

    private static string Draw(string[] values, int row, Random random)
    {
        if (random.Next(12) == 0)
        {
            return "NULL";
        }

        var value = row <= values.Length ? values[row - 1] : values[random.Next(values.Length)];
        var open = value.StartsWith('\'') ? -1 : value.IndexOf('{');
        if (open < 0)
        {
            return value;
        }

        var close = value.IndexOf('}');
        var limits = value[(open + 1)..close].Split(',').Select(limit => int.Parse(limit, CultureInfo.InvariantCulture)).ToArray();
        return $"{value[..open]}{random.Next(limits[0], limits[1] + 1)}{value[(close + 1)..]}";
    }

    private static async Task<string> CreatedAsync(Workplace place, string what)
    {
        var text = await ServerClient.RunAsync(place.Server, place.Database, $"SHOW CREATE {what};");
        return Regex.Replace(text, @"AUTO_INCREMENT=\d+ |DEFINER=`[^`]*`@`[^`]*` |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d\d", "")
            .Replace(place.Database, "db", StringComparison.Ordinal);
    }
}

/// <summary>What a seed.yaml says, as words of a command line; of YAML, only what <c>seed init</c> writes.</summary>
internal sealed class SeedYamlText
{
    private readonly List<(string File, string Option, string Value)> _options = [];

    public static SeedYamlText Read(string path)
    {
        var yaml = new SeedYamlText();
        var file = "";
        foreach (var line in File.ReadAllLines(path))
        {
            var indent = line.Length - line.TrimStart().Length;
            var colon = line.StartsWith("  '", StringComparison.Ordinal) ? line.LastIndexOf(':') : line.IndexOf(':');
            var (name, value) = (Plain(line[indent..colon]), Plain(line[(colon + 1)..].Trim()));
            switch (indent)
            {
                case 2 when value.Length == 0 && line.EndsWith(':'):
                    file = name;
                    break;
                case 4 when name == "table":
                    yaml._options.Add((file, name, value));
                    break;
                case 2 or 6:
                    yaml._options.Add((indent == 2 ? "" : file, name, value));
                    break;
            }
        }

        return yaml;
    }

    public IEnumerable<string> Words(string file)
    {
        var words = _options.Where(option => option.File == file || option.File.Length == 0)
            .SelectMany<(string File, string Option, string Value), string>(
                option => option.Value == "true" ? [$"--{option.Option}"] : [$"--{option.Option}={option.Value}"]);
        return _options.Exists(option => option.File == file && option.Option == "table")
            ? words : words.Append($"--table={Path.GetFileNameWithoutExtension(file)}");
    }

    private static string Plain(string text) => text.StartsWith('\'') ? text[1..^1].Replace("''", "'", StringComparison.Ordinal) : text;
}
