using System.Diagnostics;
using System.Text.RegularExpressions;
using BulkLoad.Core.Seeding;

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
        "SELECT 'column', CONCAT_WS('|', TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'view', CONCAT_WS('|', TABLE_NAME, REPLACE(VIEW_DEFINITION, DATABASE(), 'db')) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'trigger', CONCAT_WS('|', TRIGGER_NAME, ACTION_STATEMENT, SQL_MODE, CHARACTER_SET_CLIENT) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'routine', CONCAT_WS('|', ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, SQL_MODE, CHARACTER_SET_CLIENT) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() "
        + "UNION ALL SELECT 'key', CONCAT_WS('|', TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME) FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2;";

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

        await SqlScript.RunAsync(byScript.Session, "dump.sql", SqlScript.Parse(dump, "dump.sql"), default);

        var expected = await ServerClient.RunAsync(server, byClient.Database, Objects);
        Assert.Contains("trigger\ta_in", expected);
        Assert.Contains("routine\tp|", expected);
        Assert.Equal(expected, await ServerClient.RunAsync(server, byScript.Name, Objects));
    }

    /// <summary>What the client says with -vv of each statement, and what is found here.</summary>
    [Theory]
    [CombinatorialServers(
        "SELECT 1; SELECT ';' , 'it''s;', 'a\\';b', \"x;\\\"y\"\"z;\"; SELECT 1 AS `a;``b`;",
        "SELECT 'a\n;\nb';\nSELECT 2 # it's; so\n+ 1;SELECT 5--3;",
        "SELECT 1 /* it's; */ + 1;/*!40101 SET @a=1 */;SELECT 3",
        "DELIMITER ;;\nSELECT 1;;\ndelimiter ;\nSELECT 2;",
        "  DeLiMiTeR '$$' ignored\nSELECT ';', '$$' $$ SELECT 2 $$\nDELIMITER ;\nSELECT 3;",
        "SELECT 1\\G SELECT 2\\g\nSELECT 3;",
        "SELECT 'x'\n;\n\n;SELECT 4")]
    public async Task Statements_are_those_that_the_client_shows(string name, string script)
    {
        var server = Servers.Get(name);
        var shown = await ServerClient.RunAsync(server, null, script, "-vv", "--comments");
        var expected = Shown().Matches(shown).Select(match => Plain(match.Groups[1].Value)).Where(text => text.Length > 0);
        Assert.Equal(expected, SqlScript.Parse(script, "s.sql").Select(statement => Plain(statement.Text)));

        static string Plain(string text) => Blanks().Replace(Comments().Replace(text, " "), " ").Trim();
    }

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task A_refused_statement_is_named_by_its_line(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var script = SqlScript.Parse("CREATE TABLE t (a INT);\nSELECT 1;\n\nCREATE TABLE t (a INT);", "schema.sql");
        var refused = await Assert.ThrowsAsync<PlanException>(() => SqlScript.RunAsync(database.Session, "schema.sql", script, default));
        Assert.StartsWith("schema.sql:4: the server refuses the statement: Table 't' already exists (error 1050", refused.Message);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    private static async Task<string> DumpAsync(TestServer server, string program, string database)
    {
        string[] words = server.IsMariaDb || program == "mariadb-dump" ? ["mariadb-dump"] : await OwnDumpAsync(server);
        string[] gtid = words.Length > 1 ? ["--set-gtid-purged=OFF"] : [];
        var start = new ProcessStartInfo(words[0], [.. words[1..], "--no-defaults", $"--socket={server.Socket}", $"--user={server.AdminUser}", "--no-data", "--routines", "--triggers", .. gtid, database])
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

    [GeneratedRegex(@"#[^\n]*\n")]
    private static partial Regex Comments();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
