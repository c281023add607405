using System.Diagnostics;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Rejects;

/// <summary>An output that is another file of the command, by whatever name.</summary>
public sealed class OutputFilesTests : IDisposable
{
    private const string Content = "id\n1\n";

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;

    public OutputFilesTests()
    {
        File.WriteAllText(In("t.csv"), Content);
        File.CreateSymbolicLink(In("link.csv"), In("t.csv"));
        using var ln = Process.Start("ln", [In("t.csv"), In("hard.csv")]);
        ln.WaitForExit();
        Directory.CreateSymbolicLink(In("current"), _folder);
        File.CreateSymbolicLink(In("dangling.json"), "missing.json");
    }

    private LoadRequest Request => TestFacts.Request with { Files = [In("t.csv")] };

    [Theory]
    [InlineData("t.csv")]
    [InlineData("link.csv")]
    [InlineData("hard.csv")]
    [InlineData("current/t.csv")]
    [InlineData("current/link.csv")]
    [InlineData("current/hard.csv")]
    public void An_input_is_no_output(string output)
    {
        var path = In(output);
        Assert.Throws<RequestException>(() => new RejectFile(Request with { RejectFile = path, OverwriteRejectFile = true }));
        Assert.Throws<RequestException>(() => new RejectFile(Request with { RepairsFile = path, OverwriteRejectFile = true }));
        Assert.Throws<RequestException>(() => OutputFiles.Require(Request, [("--report", path)]));
        Assert.Equal(Content, File.ReadAllText(In("t.csv")));
    }

    [Fact]
    public void The_file_of_reasons_is_an_output_too() =>
        Assert.Throws<RequestException>(
            () => OutputFiles.Require(Request with { Files = [In("t.csv"), In("bad.jsonl")], RejectFile = In("current/bad.csv") }, []));

    [Fact]
    public void The_message_names_both()
    {
        var fault = Assert.Throws<RequestException>(() => OutputFiles.Require(Request, [("--log-file", In("hard.csv"))]));
        Assert.Equal($"--log-file: '{In("hard.csv")}' is the same file as '{In("t.csv")}', which this command uses already: name another "
            + "file", fault.Message);
    }

    [Fact]
    public void A_pattern_stands_for_its_files() =>
        Assert.Throws<RequestException>(() => OutputFiles.Require(Request with { Files = [In("t.*")] }, [("--report", In("link.csv"))]));

    [Theory]
    [InlineData("new.json", "current/new.json")]
    [InlineData("dangling.json", "missing.json")]
    [InlineData("dangling.json", "current/dangling.json")]
    [InlineData("no/such/folder.json", "no/such/folder.json")]
    public void Two_outputs_are_not_one_file_that_is_still_to_be_made(string one, string other) =>
        Assert.Throws<RequestException>(() => OutputFiles.Require(Request, [("--report", In(one)), ("--log-file", In(other))]));

    [Theory]
    [InlineData("new.json", "other.json")]
    [InlineData("no/such/a.json", "no/such/b.json")]
    public void Other_files_are_taken(string one, string other) =>
        OutputFiles.Require(Request, [("--report", In(one)), ("--log-file", In(other))]);

    [Fact]
    public void A_device_may_take_several_outputs()
    {
        File.CreateSymbolicLink(In("nothing"), "/dev/null");
        OutputFiles.Require(Request, [("--report", "/dev/null"), ("--log-file", In("nothing"))]);
    }

    [Fact]
    public void A_file_that_was_there_before_stays_and_one_that_was_made_goes()
    {
        File.WriteAllText(In("old.csv"), "old");
        new RejectFile(Request with { RejectFile = In("old.csv"), OverwriteRejectFile = true }).Dispose();
        Assert.Equal("", File.ReadAllText(In("old.csv")));
        Assert.False(File.Exists(In("old.jsonl")));
    }

    [Fact]
    public void A_file_that_has_come_in_place_of_the_one_that_was_made_stays()
    {
        var file = new RejectFile(Request with { RejectFile = In("bad.csv") });
        File.WriteAllText(In("new"), "mine");
        File.Move(In("new"), In("bad.csv"), overwrite: true);
        file.Dispose();
        Assert.Equal("mine", File.ReadAllText(In("bad.csv")));
        Assert.False(File.Exists(In("bad.jsonl")));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private string In(string name) => Path.Join(_folder, name);
}
