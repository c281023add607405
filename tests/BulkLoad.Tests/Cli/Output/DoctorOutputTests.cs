using System.Text.Json;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

public sealed class DoctorOutputTests
{
    internal static readonly SettingOrigin[] Settings =
    [
        new("host", "db.example.org", "command line"), new("port", "3306", "default"), new("user", "app", "/home/me/.my.cnf [client]"), new(
            "password", "given", "MYSQL_PWD"),
    ];

    internal static DoctorReport Report { get; } = new()
    {
        Server = new PlannedServer("MySQL", "9.7.4", "db.example.org:3306", "TLS 1.3", "app"),
        Account = "app@%",
        Database = "shop",
        Findings =
        [
            new Finding("server", "version", FindingState.Ok, "MySQL 9.7.4 (tested)"),
            new Finding(
                "rights", "insert", FindingState.Problem,
                "missing on shop.* and on each of the 3 tables that this account sees: nothing can be imported",
                        "GRANT INSERT ON `shop`.* TO 'app'@'%'"),
            new Finding(
                "limits", "local-infile", FindingState.Note,
                "the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off): rows go by other strategies",
                        "SET GLOBAL local_infile=ON"),
        ],
        Strategies =
        [
            new StrategyOutlook("import", "multi-row-insert", true, true, "needs no rights but INSERT, and is strict", null),
            new StrategyOutlook("import", "load-data", false, false,
                "the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off)", "SET GLOBAL local_infile=ON"),
        ],
    };

    internal static string JsonOf(DoctorReport report)
    {
        using var written = new StringWriter();
        DoctorJson.Write(written, report, Settings, DoctorCommand.CodeOf(report));
        return written.ToString();
    }

    private static string TextOf(DoctorReport report, int width)
    {
        using var written = new StringWriter { NewLine = "\n" };
        DoctorText.Write(written, report, Settings, width);
        return written.ToString();
    }

    [Fact]
    public void It_is_a_table_with_a_mark_for_each_finding_and_what_changes_it() => Assert.Equal(
        """
        connection
          host      db.example.org  command line
          port      3306            default
          user      app             /home/me/.my.cnf [client]
          password  given           MYSQL_PWD

        server
          ok       version  MySQL 9.7.4 (tested)

        rights
          problem  insert  missing on shop.* and on each of the 3 tables that this
                           account sees: nothing can be imported
                           -> GRANT INSERT ON `shop`.* TO 'app'@'%'

        limits
          note     local-infile  the server refuses LOAD DATA LOCAL (error 3948; its
                                 local_infile is off): rows go by other strategies
                                 -> SET GLOBAL local_infile=ON

        strategies of import
          chosen   multi-row-insert  needs no rights but INSERT, and is strict
          unfit    load-data         the server refuses LOAD DATA LOCAL (error 3948; its
                                     local_infile is off)
                                     -> SET GLOBAL local_infile=ON

        1 problem, 1 note: an import into shop with default settings would be refused

        """.ReplaceLineEndings("\n"),
        TextOf(Report, 80));

    [Theory]
    [InlineData(40)]
    [InlineData(60)]
    [InlineData(80)]
    [InlineData(132)]
    public void It_fits_the_terminal(int width) =>
        Assert.All(
            TextOf(Report, width).Split('\n').Where(line => !line.TrimStart().StartsWith("-> ", StringComparison.Ordinal)),
            line => Assert.True(line.Length <= width, line));

    [Theory]
    [InlineData(20)]
    [InlineData(80)]
    public void What_is_to_be_pasted_stands_on_one_line(int width) =>
        Assert.Contains("-> GRANT INSERT ON `shop`.* TO 'app'@'%'\n", TextOf(Report, width), StringComparison.Ordinal);

    [Fact]
    public void Without_a_connection_it_says_where_the_settings_come_from()
    {
        var text = TextOf(new DoctorReport { Failure = new ConnectException("no") }, 80);
        Assert.Contains("/home/me/.my.cnf [client]", text, StringComparison.Ordinal);
        Assert.Contains("\nno connection\n", text, StringComparison.Ordinal);
        Assert.EndsWith("\n  bulkload doctor mysql://USER@HOST:PORT/DATABASE -p\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_a_problem_is_a_failure()
    {
        Assert.Equal(ExitCode.PlanRefused, DoctorCommand.CodeOf(Report));
        Assert.Equal(ExitCode.Done, DoctorCommand.CodeOf(
            Report with { Findings = [.. Report.Findings.Where(finding => finding.State == FindingState.Note)] }));
        Assert.Equal(ExitCode.CannotConnect, DoctorCommand.CodeOf(new DoctorReport { Failure = new ConnectException("no") }));
        Assert.Equal(ExitCode.Failed, DoctorCommand.CodeOf(Report with { Failure = new ServerException(FaultKind.SessionLost, "lost") }));
    }

    [Fact]
    public void Json_has_the_same()
    {
        using var json = JsonDocument.Parse(JsonOf(Report));
        var root = json.RootElement;
        Assert.Equal(("bulkload-doctor", 9), (root.GetProperty("kind").GetString(), root.GetProperty("exitCode").GetInt32()));
        Assert.Equal("problem", root.GetProperty("findings")[1].GetProperty("state").GetString());
        Assert.Equal("SET GLOBAL local_infile=ON", root.GetProperty("strategies")[1].GetProperty("unlock").GetString());
        Assert.Equal("/home/me/.my.cnf [client]", root.GetProperty("settings")[2].GetProperty("origin").GetString());
        using var none = JsonDocument.Parse(JsonOf(new DoctorReport { Failure = new ConnectException("no") }));
        Assert.Equal(JsonValueKind.Null, none.RootElement.GetProperty("server").ValueKind);
        Assert.Equal("connect", none.RootElement.GetProperty("failure").GetProperty("kind").GetString());
    }
}
