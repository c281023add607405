using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli.Host;

/// <summary>Names and values that a terminal or a CI system would obey are shown, not obeyed.</summary>
public sealed class ShownTextTests : IDisposable
{
    private const string Name = "y\n::error::z.csv";

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;

    [Theory]
    [InlineData("import", "F")]
    [InlineData("import", "--", "F")]
    [InlineData("check", "F", "--table", "t", "--spec=F")]
    [InlineData("delete", "--table", "t", "--ids", "F", "--report", "F")]
    [InlineData("seed", "F")]
    [InlineData("import", "D/*.csv", "--report", "F")]
    [InlineData("seed", "D", "--report", "F")]
    public async Task A_line_end_in_the_name_of_a_file_is_shown(params string[] words)
    {
        var path = Path.Join(_folder, Name);
        File.WriteAllText(path, "id\n1\n");
        var run = new CliRun();
        run.Variables["GITHUB_ACTIONS"] = "true";
        await run.CallAsync(
            [.. words.Select(word => word.Replace("F", path, StringComparison.Ordinal).Replace("D", _folder, StringComparison.Ordinal))]);
        Assert.All($"{run.Error}{run.Output}".Split('\n'),
            line => Assert.False(line.TrimStart().StartsWith("::error::z", StringComparison.Ordinal), line));
        Assert.DoesNotContain(Name, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_name_is_on_one_line_wherever_its_path_is_shown()
    {
        File.WriteAllText(Path.Join(_folder, "a\tb\n.csv"), "");
        var shown = new ShownText(_ => null, [_folder, "x/p\nq.csv", "--ids=r\ns", "--newline=\n", "\r\n", "n\n"]);
        Assert.Equal("a\\tb\\n.csv: x/p\\nq.csv: 1\nr\\ns end\nn\n", shown.Of("a\tb\n.csv: x/p\nq.csv: 1\nr\ns end\nn\n"));
    }

    [Theory]
    [InlineData("::error::x", @"\::error::x")]
    [InlineData("a\n  ::add-mask::x\nb", "a\n  \\::add-mask::x\nb")]
    [InlineData("value '##[error]x' and ##[group]", @"value '#\#[error]x' and #\#[group]")]
    [InlineData("people.csv:2: a::b", "people.csv:2: a::b")]
    public void Commands_of_GitHub_are_broken_up_there(string text, string shown)
    {
        Assert.Equal(shown, new ShownText(_ => "true", []).Of(text));
        Assert.Equal(text, ShownText.Plain.Of(text));
    }

    [Fact]
    public void They_are_no_commands_in_json_either() =>
        Assert.Equal(@"{""a"":""#\u0023[error]""}", new ShownText(_ => "true", []).Json(@"{""a"":""##[error]""}"));

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
