using System.Text.Json;
using System.Xml.Linq;
using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli;

/// <summary><c>bulkload check DIR --schema FILE</c>, from words to outputs.</summary>
public sealed class FolderCheckCommandTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-");

    public FolderCheckCommandTests()
    {
        Directory.CreateDirectory(Data);
        Write("../schema.sql",
            "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id));");
        Write("p.csv", "id\n1\n2\n");
        Write("c.csv", "id,p\n1,1\n2,2\n");
    }

    private string Data => Path.Combine(_folder.FullName, "data");

    private string Schema => Path.Combine(_folder.FullName, "schema.sql");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task A_good_folder_is_exit_0()
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.Done, await run.CallAsync("check", Data, "--schema", Schema));
        Assert.StartsWith($"4 records of {Data} fit the 2 tables of {Schema} (MySQL) (", run.Output, StringComparison.Ordinal);
        Assert.Equal("", run.Error);
    }

    [Fact]
    public async Task Rejects_are_exit_4_and_in_every_output()
    {
        Write("c.csv", "id,p\n1,1\n2,7\n");
        var (report, junit, events) =
            (Path.Combine(_folder.FullName, "r.json"), Path.Combine(_folder.FullName, "j.xml"), Path.Combine(_folder.FullName, "e.jsonl"));
        var run = new CliRun();
        Assert.Equal(ExitCode.TooManyRejects, await run.CallAsync(
            "check", Data, "--schema", Schema, "--report", report, "--junit", junit, "--events", events, "--annotate", "github"));
        Assert.Contains("no record of p.csv has id '7'", run.Output);
        Assert.Contains("c.csv,line=3,title=foreign-key::column 'p'", run.Output);
        using var json = JsonDocument.Parse(await File.ReadAllTextAsync(report, TestContext.Current.CancellationToken));
        Assert.Equal("bulkload-seed-check", json.RootElement.GetProperty("kind").GetString());
        var table = json.RootElement.GetProperty("tables")[1];
        Assert.Equal((2, 1, 0, 1), (table.GetProperty("records").GetInt32(), table.GetProperty("accepted").GetInt32(),
            table.GetProperty("undecided").GetInt32(), table.GetProperty("rejected").GetInt32()));
        Assert.Equal((3, "foreign-key"), (table.GetProperty("rejects")[0].GetProperty("line").GetInt32(),
            table.GetProperty("rejects")[0].GetProperty("reason").GetString()));
        Assert.Equal("1", XDocument.Load(junit).Root!.Element("testsuite")!.Attribute("failures")!.Value);
        var lines = await File.ReadAllLinesAsync(events, TestContext.Current.CancellationToken);
        Assert.Contains(lines, line => line.Contains("\"foreign-key\"", StringComparison.Ordinal));
        Assert.Contains("\"exitCode\":4", lines[^1]);
    }

    [Fact]
    public async Task A_files_own_limit_counts()
    {
        Write("c.csv", "id,p\n1,1\n2,7\n");
        Write("seed.yaml", "tables:\n  c.csv:\n    options: { max-rejects: 1 }\n");
        Assert.Equal(ExitCode.DoneWithRejects, await new CliRun().CallAsync("check", Data, "--schema", Schema));
    }

    [Theory]
    [InlineData("data", "", "is a folder: add --schema FILE.sql")]
    [InlineData("data/p.csv", "--schema schema.sql", "--schema is for a folder")]
    [InlineData("data data", "--schema schema.sql", "name only")]
    [InlineData("data", "--schema=", "the file name is empty")]
    [InlineData("data", "--schema schema.sql --table t", "--table is not for a folder")]
    [InlineData("data", "--schema schema.sql -D x", "--database is not for a folder")]
    [InlineData("data", "--schema schema.sql --on-server", "--on-server is not for a folder")]
    [InlineData("data", "--schema schema.sql --plan", "--plan is not for a folder")]
    public async Task What_cannot_be_meant_is_refused(string files, string options, string expected)
    {
        string[] words = [.. files.Split(' ').Select(file => Path.Combine(_folder.FullName, file)),
            .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(word => word == "schema.sql" ? Schema : word)];
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(["check", .. words]));
        Assert.Contains(expected, run.Error);
    }

    [Theory]
    [InlineData("CREATE TABLE p (id FOO)", "schema.sql:1: column 'id': type FOO is not known here")]
    [InlineData("CREATE TABLE p (id INT)", "makes no table c")]
    public async Task A_schema_that_does_not_fit_is_told(string schema, string message)
    {
        Write("../schema.sql", schema);
        var run = new CliRun();
        Assert.Equal(ExitCode.PlanRefused, await run.CallAsync("check", Data, "--schema", Schema));
        Assert.Contains(message, run.Error);
    }

    private void Write(string name, string content) => File.WriteAllText(Path.Combine(Data, name), content);
}
