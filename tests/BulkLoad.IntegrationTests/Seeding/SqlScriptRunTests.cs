using System.Diagnostics;
using System.Text.RegularExpressions;
using BulkLoad.Seeding;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>A script makes what the server's own client makes of it.</summary>
public sealed partial class SqlScriptRunTests
{
    private const string Schema =
        """
        CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, `odd;``name` VARCHAR(20) DEFAULT 'it''s; "x"' COMMENT 'a;\\b', e ENUM('a;','b''') , g INT AS (CHAR_LENGTH(`odd;``name`))) COMMENT='-- no; /* comment';
        CREATE TABLE b (id INT PRIMARY KEY, a INT, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE);
        CREATE VIEW v AS SELECT id, 'a;b' AS t FROM a;
        CREATE VIEW w AS SELECT id FROM v WHERE t <> '//';
        DELIMITER //
        CREATE TRIGGER a_in BEFORE INSERT ON a FOR EACH ROW BEGIN SET NEW.`odd;``name` = 'x;y'; IF NEW.id > 9 THEN SET NEW.e = 'a;'; END IF; END//
        CREATE PROCEDURE p(IN x INT) BEGIN DECLARE y INT; SELECT ';' INTO @z; SET y = x; END//
        CREATE FUNCTION f(x INT) RETURNS INT DETERMINISTIC RETURN x + 1//
        DELIMITER ;
        """;

    private const string Objects =
        "SELECT 'column', CONCAT_WS('|', TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, "
            + "GENERATION_EXPRESSION) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'view', CONCAT_WS('|', TABLE_NAME, REPLACE(VIEW_DEFINITION, DATABASE(), 'db')) FROM information_schema.VIEWS "
        + "WHERE TABLE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'trigger', CONCAT_WS('|', TRIGGER_NAME, ACTION_STATEMENT, SQL_MODE, CHARACTER_SET_CLIENT) FROM "
        + "information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'routine', CONCAT_WS('|', ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, SQL_MODE, CHARACTER_SET_CLIENT) FROM "
        + "information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'key', CONCAT_WS('|', TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME) FROM "
        + "information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2;";

    [Theory]
    [CombinatorialServers("its own", "mariadb-dump")]
    public async Task A_dump_makes_the_same_schema_as_by_the_client(string name, string program)
    {
        var server = Servers.Get(name);
        await using var from = await Workplace.CreateAsync(server, Schema);
        await using var byClient = await Workplace.CreateAsync(server);
        await using var byScript = await TestDatabase.CreateAsync(server, server.AdminOptions());
        var dump = await DumpAsync(server, program, from.Database);
        await ServerClient.RunAsync(server, byClient.Database, dump);

        await SqlScript.RunAsync(byScript.Session, "dump.sql", dump, default);

        var expected = await ServerClient.RunAsync(server, byClient.Database, Objects);
        Assert.Contains("trigger\ta_in", expected);
        Assert.Contains("routine\tp|", expected);
        Assert.Equal(expected, await ServerClient.RunAsync(server, byScript.Name, Objects));
    }

    /// <summary>Comments of random scripts, with signs that count outside of them.</summary>
    private static readonly string[] Comments = ["/* c; ' */", "# h; '\n", "-- d; \" `\n", "--\t//\n"];

    private static readonly string[] Pieces =
    [
        "SELECT 1", "SELECT", "+", ",", " ", "\n", "\r\n", "'a;b'", "'it''s; //'", "'\\';'", "'\\\\'", "'x\n;\ny'", "\"q;\"\"\"",
        "\"\\\";\"", "`n;``x`", "`b\\`", "5--3", "/*!40101 + 1 */", "/*M!100100 + 'a;' */",
        "/*! 'a*/' */", "/*+ h; */", "/", "*", "-", "''\"\"","delimiters", "\\G", "\\g", ";", "//", "$$", .. Comments,
    ];

    /// <summary>What the client shows with -vv of each statement, and what is found here.</summary>
    [Theory]
    [CombinatorialServers(1, 2, 3)]
    public async Task Statements_of_random_scripts_are_those_that_the_client_shows(string name, int seed)
    {
        var server = Servers.Get(name);
        var random = new Random(seed);
        for (var i = 0; i < 40; i++)
        {
            var (script, delimiter) = (new StringBuilder(), ";");
            for (var count = random.Next(3, 40); count > 0; count--)
            {
                if (random.Next(12) == 0)
                {
                    script.Append(CultureInfo.InvariantCulture, $"{delimiter}\n");
                    delimiter = new[] { ";", "//", "$$" }[random.Next(3)];
                    script.Append(CultureInfo.InvariantCulture,
                        $"{(random.Next(2) == 0 ? "DELIMITER" : "  delimiter")} {delimiter}{(random.Next(3) == 0 ? "\r" : "")}\n");
                }

                script.Append(Pieces[random.Next(Pieces.Length)]).Append(' ');
            }

            var text = script.ToString();
            var shown = await ServerClient.RunAsync(server, null, $"{text}\n{delimiter}\n", "-vv", "--comments", "--force");
            var expected = Shown().Matches(shown).Select(match => Plain(match.Groups[1].Value)).Where(statement => statement.Length > 0);
            var found = SqlScript.Parse(text, "s.sql").Select(statement => Plain(statement.Text)).Where(statement => statement.Length > 0);
            Assert.True(expected.SequenceEqual(found),
                $"{text}\n\nthe client:\n{string.Join("\n----\n", expected)}\n\nfound:\n{string.Join("\n----\n", found)}");
        }

        static string Plain(string statement) => Blanks().Replace(Comments.Aggregate(statement, (text, comment) =>
            text.Replace(comment, " ", StringComparison.Ordinal).Replace(comment.TrimEnd(), " ", StringComparison.Ordinal)), "");
    }

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task A_refused_statement_is_named_by_its_line(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        const string script = "CREATE TABLE t (a INT);\nSELECT 1;\n\nCREATE TABLE t (a INT);";
        var refused = await Assert.ThrowsAsync<PlanException>(() => SqlScript.RunAsync(database.Session, "schema.sql", script, default));
        Assert.StartsWith("schema.sql:4: the server refuses the statement: Table 't' already exists (error 1050", refused.Message);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    /// <summary>What quotes mean is asked of the server, since words do not always tell it.</summary>
    [Theory]
    [CombinatorialServers(
        @"SET sql_mode='NO_BACKSLASH_ESCAPES'; CREATE TABLE a (v VARCHAR(9) DEFAULT 'C:\'); CREATE TABLE b (v VARCHAR(9) DEFAULT 'x;')",
        @"SET sql_mode=CONCAT(@@sql_mode, ',ANSI_QUOTES'); CREATE TABLE a (""x\"" INT); CREATE TABLE b (""y;"" INT)",
        @"SET @m='NO_BACKSLASH_ESCAPES', @o=@@sql_mode; SET sql_mode=@m; CREATE TABLE a (v VARCHAR(9) DEFAULT '\'); "
            + @"SET sql_mode=@o; CREATE TABLE b (v VARCHAR(9) DEFAULT '\';')",
        @"SET @s='SET sql_mode=''ANSI'''; PREPARE p FROM @s; EXECUTE p; CREATE TABLE a (""\"" INT); CREATE TABLE b (a INT)",
        @"/*!40101 SET sql_mode='NO_BACKSLASH_ESCAPES' */; CREATE TABLE a (v VARCHAR(9) DEFAULT '\'); CREATE TABLE b (a INT)")]
    public async Task A_script_is_split_by_the_mode_that_it_sets(string name, string script)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await SqlScript.RunAsync(database.Session, "schema.sql", script, default);
        Assert.Equal(
            "2", await database.ScalarAsync($"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{database.Name}'"));
    }

    private static async Task<string> DumpAsync(TestServer server, string program, string database)
    {
        string[] words = server.IsMariaDb || program == "mariadb-dump" ? ["mariadb-dump"] : await OwnDumpAsync(server);
        string[] gtid = words.Length > 1 ? ["--set-gtid-purged=OFF"] : [];
        var start = new ProcessStartInfo(words[0], [.. words[1..], "--no-defaults", $"--socket={server.Socket}",
            $"--user={server.AdminUser}", "--no-data", "--routines", "--triggers", .. gtid, database])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardOutputEncoding = Encoding.UTF8,
        };
        using var dump = Process.Start(start)!;
        var error = dump.StandardError.ReadToEndAsync();
        var text = await dump.StandardOutput.ReadToEndAsync();
        await dump.WaitForExitAsync();
        Assert.True(dump.ExitCode == 0, await error);
        return text;
    }

    /// <summary>MySQL's stands beside its server, and runs with the same loader and libraries.</summary>
    private static async Task<string[]> OwnDumpAsync(TestServer server)
    {
        var pid = (await File.ReadAllTextAsync(await ServerClient.ScalarAsync(server, null, "SELECT @@pid_file;"))).Trim();
        var words = (await File.ReadAllTextAsync($"/proc/{pid}/cmdline")).Split('\0');
        var at = Array.FindIndex(words, word => Path.GetFileName(word) == "mysqld");
        return [.. words[..at], Path.GetFullPath(Path.Combine(words[at], "..", "..", "bin", "mysqldump"))];
    }

    [GeneratedRegex(@"^--------------\n(.*?)\n--------------$", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Shown();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
