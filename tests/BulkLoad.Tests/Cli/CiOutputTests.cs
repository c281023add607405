using System.Text.Json;
using System.Xml.Linq;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Host;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Cli;

/// <summary>What CI systems get: the forms that their documentation demands.</summary>
public sealed class CiOutputTests
{
    private static readonly string Root = Directory.GetCurrentDirectory();

    [Fact]
    public void GitHub_gets_a_workflow_command_for_each_reject() => Assert.Equal(
        ["::error file=data/people.csv,line=3,title=not-an-integer::column 'age': 'x%0Ay' is 100%25 wrong"],
        new Annotations(Root, hidesValues: false).GitHub(Result(Reject("data/people.csv", "'x\ny' is 100% wrong"))));

    [Fact]
    public void Properties_of_a_workflow_command_are_escaped() => Assert.StartsWith(
        "::error file=a%2Cb%3Ac%25.csv,line=3,",
        Assert.Single(new Annotations(Root, hidesValues: false).GitHub(Result(Reject("a,b:c%.csv", "x")))), StringComparison.Ordinal);

    [Fact]
    public void GitHub_shows_ten_errors_and_how_many_more_there_are()
    {
        var rejects = Enumerable.Range(0, 25).Select(_ => Reject("a.csv", "x")).ToArray();
        var lines = new Annotations(Root, hidesValues: false).GitHub(Result(rejects)).ToList();
        Assert.Equal(11, lines.Count);
        Assert.Equal("::warning title=bulkload import::15 more records were refused", lines[^1]);
    }

    [Fact]
    public void Values_can_be_kept_out()
    {
        var annotations = new Annotations(Root, hidesValues: true);
        var result = Result(Reject("a.csv", "'secret' is wrong")) with { Failure = "'secret' is wrong" };
        Assert.All(annotations.GitHub(result), line => Assert.DoesNotContain("secret", line, StringComparison.Ordinal));
        using var gitLab = new MemoryStream();
        annotations.GitLab(gitLab, result);
        using var junit = new MemoryStream();
        JUnitXml.Write(junit, result, annotations);
        Assert.DoesNotContain(
            "secret", Encoding.UTF8.GetString(gitLab.ToArray()) + Encoding.UTF8.GetString(junit.ToArray()), StringComparison.Ordinal);
    }

    [Fact]
    public void GitLab_gets_the_members_that_it_requires()
    {
        using var to = new MemoryStream();
        new Annotations(Root, hidesValues: false).GitLab(to, Result(Reject("data/people.csv", "'x' is wrong")));
        using var json = JsonDocument.Parse(to.ToArray());
        var issue = Assert.Single(json.RootElement.EnumerateArray());
        Assert.Equal("not-an-integer: column 'age': 'x' is wrong", issue.GetProperty("description").GetString());
        Assert.Equal("not-an-integer", issue.GetProperty("check_name").GetString());
        Assert.Equal(32, issue.GetProperty("fingerprint").GetString()!.Length);
        Assert.Equal("major", issue.GetProperty("severity").GetString());
        Assert.Equal("data/people.csv", issue.GetProperty("location").GetProperty("path").GetString());
        Assert.Equal(3, issue.GetProperty("location").GetProperty("lines").GetProperty("begin").GetInt32());
    }

    [Fact]
    public void JUnit_has_a_case_for_each_file_and_ten_rejects()
    {
        using var to = new MemoryStream();
        var rejects = Enumerable.Range(0, 25).Select(number => Reject("a.csv", $"wrong \u0001 {number}")).ToArray();
        JUnitXml.Write(to, Result(rejects), new Annotations(Root, hidesValues: false));
        var suite = XDocument.Parse(Encoding.UTF8.GetString(to.ToArray())).Root!.Element("testsuite")!;
        Assert.Equal(
            ("2", "1", "1"), (suite.Attribute("tests")!.Value, suite.Attribute("failures")!.Value, suite.Attribute("skipped")!.Value));
        var failure = suite.Elements("testcase").First().Element("failure")!;
        Assert.Equal("25 records were refused", failure.Attribute("message")!.Value);
        Assert.Equal(10, failure.Value.Split('\n').Length);
        Assert.NotNull(suite.Elements("testcase").Last().Element("skipped"));
    }

    [Fact]
    public void Metrics_are_in_the_text_form_of_Prometheus()
    {
        var to = new StringWriter();
        var result = Result(Reject("a.csv", "x")) with { Command = "import", Elapsed = TimeSpan.FromSeconds(1.5) };
        result = result with { Cases = [result.Cases[0] with { Table = "a\"b", Inserted = 3 }] };
        MetricsFile.Write(to, result, DateTimeOffset.FromUnixTimeMilliseconds(1_700_000_000_250));
        Assert.Equal(
            """
            # HELP bulkload_exit_code Exit code of the last run.
            # TYPE bulkload_exit_code gauge
            bulkload_exit_code{command="import"} 3
            # HELP bulkload_last_run_timestamp_seconds When the last run ended.
            # TYPE bulkload_last_run_timestamp_seconds gauge
            bulkload_last_run_timestamp_seconds{command="import"} 1700000000.25
            # HELP bulkload_duration_seconds How long the last run took.
            # TYPE bulkload_duration_seconds gauge
            bulkload_duration_seconds{command="import"} 1.5
            # HELP bulkload_table_failed 1: the table's files are not all in it.
            # TYPE bulkload_table_failed gauge
            bulkload_table_failed{command="import",table="a\"b"} 0
            # HELP bulkload_records Records of the last run by what became of them.
            # TYPE bulkload_records gauge
            bulkload_records{command="import",table="a\"b",outcome="inserted"} 3
            bulkload_records{command="import",table="a\"b",outcome="updated"} 0
            bulkload_records{command="import",table="a\"b",outcome="unchanged"} 0
            bulkload_records{command="import",table="a\"b",outcome="deleted"} 0
            bulkload_records{command="import",table="a\"b",outcome="rejected"} 1

            """.ReplaceLineEndings("\n").Replace("a\"b", "a\\\"b", StringComparison.Ordinal), to.ToString());
    }

    [Fact]
    public void Metrics_replace_those_of_the_run_before_and_no_other_file()
    {
        var folder = Directory.CreateTempSubdirectory("bulkload-").FullName;
        var path = Path.Combine(folder, "bulkload.prom");
        for (var run = 0; run < 2; run++)
        {
            using var file = MetricsFile.Open(path, overwrite: false, TimeProvider.System)!;
            file.Write(Result());
        }

        Assert.Equal([path], Directory.GetFiles(folder));
        MetricsFile.Open(path, overwrite: false, TimeProvider.System)!.Dispose();
        Assert.Equal([path], Directory.GetFiles(folder));

        File.WriteAllText(path, "other_metric 1\n");
        Assert.Throws<RequestException>(() => MetricsFile.Open(path, overwrite: false, TimeProvider.System));
        Assert.Equal("other_metric 1\n", File.ReadAllText(path));
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void The_summary_is_a_table_that_no_value_breaks()
    {
        var to = new StringWriter();
        StepSummary.Write(
            to, Result() with { Cases = [new CiCase("a|b.csv", "t_1", [], 0, null, false, TimeSpan.FromSeconds(1)) { Inserted = 12345 }] },
            new Annotations(Root, false));
        Assert.Contains("| a\\|b.csv | t\\_1 | 12,345 | 0 | 0 | 0 | 0 | 1.00 s |", to.ToString(), StringComparison.Ordinal);
    }

    private static CiResult Result(params Reject[] rejects) => new("import", ExitCode.DoneWithRejects, null,
        [
            new CiCase("a.csv", "t", rejects, rejects.Length, null, IsSkipped: false, TimeSpan.FromSeconds(1)),
            new CiCase("b.csv", "u", [], 0, null, IsSkipped: true, TimeSpan.Zero),
        ], TimeSpan.FromSeconds(1));

    private static Reject Reject(string source, string message) =>
        new() { Source = source, Record = 2, Line = 3, Offset = 10, Column = "age", Code = "not-an-integer", Message = message };
}
