using System.CommandLine;
using System.Diagnostics;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary>No output of any command destroys a file that the command reads. Outputs and inputs are those that the options
/// declare.</summary>
public sealed class OutputFileOptionTests : IDisposable
{
    private const string Content = "id,v\n1,a\nx,b\n";

    /// <summary>How a command is called, with F for its file or folder.</summary>
    private static readonly Dictionary<string, string> Lines = new(StringComparer.Ordinal)
    {
        ["import"] = "import F --table t",
        ["update"] = "update F --table t",
        ["delete"] = "delete F --table t",
        ["check"] = "check F --table t",
        ["verify"] = "verify F --table t",
        ["seed"] = "seed F",
        ["undo"] = "undo 5423fad5a3c750d3 F",
        ["bench strategies"] = "bench strategies F --table t",
        ["bench tune"] = "bench tune F --table t",
    };

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;

    /// <summary>Commands that write files, with each option that names one.</summary>
    public static TheoryData<string, string> Outputs
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (var (path, command) in Commands([], CliDocs.Root()))
            {
                foreach (var option in command.Groups.SelectMany(group => group.Outputs))
                {
                    data.Add(path, option.Name);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Outputs))]
    public async Task An_output_is_none_of_the_files_that_are_read(string path, string output)
    {
        var command = CommandOf(path);
        var inputs = command.Groups.SelectMany(group => group.Inputs).Select(option => option.Name).Except([output]).ToList();
        foreach (var (i, input) in inputs.Prepend("").Index())
        {
            if (input.Length == 0 && !Lines.ContainsKey(path))
            {
                continue;
            }

            // What is the same file does not depend on the option: each gets one of the names, the command's own file all.
            string[] names = ["t.csv", "link.csv", "hard.csv", "current/t.csv"];
            foreach (var name in input.Length == 0 ? names : [names[i % names.Length]])
            {
                foreach (var overwrites in new[] { true, false })
                {
                    await RequireRefusedAsync(path, output, input, name, overwrites);
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Outputs))]
    public async Task Two_outputs_are_two_files(string path, string output)
    {
        Directory.CreateSymbolicLink(In("current"), _folder);
        var others = CommandOf(path).Groups.SelectMany(group => group.Outputs).Select(option => option.Name).Except([output]);
        foreach (var other in others)
        {
            var run = new CliRun();
            string[] words = [.. Line(path, "x.csv"), output, In("new.txt"), other, In("current/new.txt"), "--overwrite",
                .. Needed(path, output), .. Needed(path, other)];
            Assert.Equal(ExitCode.WrongRequest, await run.CallAsync([.. words.Distinct()]));
            string[] both = [output, other];
            var isRefusedAnyway = (path is "seed" or "undo" && both.Contains("--write-spec"))
                || (both.Contains("--ids-file") && both.Contains("--preview-file"));
            Assert.True(isRefusedAnyway || run.Error.Contains("is the same file as", StringComparison.Ordinal), run.Error);
            Assert.False(File.Exists(In("new.txt")));
        }
    }

    /// <summary>So that the next option is in these tests.</summary>
    [Fact]
    public void Every_option_that_names_a_file_says_whether_it_is_read_or_written()
    {
        foreach (var (path, command) in Commands([], CliDocs.Root()))
        {
            foreach (var group in command.Groups)
            {
                var files = group.Options.Where(option => option.HelpName is "FILE" or "PATH").Select(option => option.Name);
                Assert.Equal(files.Order(StringComparer.Ordinal),
                    group.Inputs.Concat(group.Outputs).Select(option => option.Name).Order(StringComparer.Ordinal));
            }

            Assert.True(command.Groups.All(group => !group.Outputs.Any()) || Lines.ContainsKey(path)
                || path.StartsWith("bench ", StringComparison.Ordinal), path);
        }
    }

    [Theory]
    [InlineData("--report", "seed/t.json")]
    [InlineData("--events", "seed/events.jsonl")]
    [InlineData("--junit", "current/seed/t.txt")]
    [InlineData("--log-file", "seed/seed.yaml")]
    [InlineData("--log-file", "seed/schema.sql")]
    [InlineData("--events", "seed/notes.md")]
    public async Task A_file_in_the_folder_of_a_seed_is_no_output(string option, string name)
    {
        Directory.CreateDirectory(In("seed"));
        File.WriteAllText(In("seed/t.csv"), Content);
        File.WriteAllText(In("seed/seed.yaml"), "database: d\n");
        File.WriteAllText(In("seed/schema.sql"), "");
        File.WriteAllText(In("seed/notes.md"), "mine");
        Directory.CreateSymbolicLink(In("current"), _folder);
        string[][] lines = [["seed", In("seed")], ["check", In("seed"), "--schema", In("seed/schema.sql")]];
        foreach (var line in lines)
        {
            var run = new CliRun();
            Assert.Equal(ExitCode.WrongRequest, await run.CallAsync([.. line, option, In(name), "--overwrite"]));
            Assert.StartsWith($"error: {option}: ", run.Error, StringComparison.Ordinal);
        }

        Assert.Equal(4, Directory.GetFiles(In("seed")).Length);
        Assert.Equal("mine", File.ReadAllText(In("seed/notes.md")));
    }

    [Theory]
    [InlineData("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")]
    public async Task What_the_environment_names_is_an_output_too(string mode, string variable)
    {
        Prepare();
        var run = new CliRun();
        (run.Variables[mode], run.Variables[variable]) = ("true", In("hard.csv"));
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", In("t.csv")));
        Assert.StartsWith($"error: {variable}: ", run.Error, StringComparison.Ordinal);
        Assert.Equal(Content, File.ReadAllText(In("t.csv")));
    }

    [Fact]
    public async Task A_file_that_the_connection_needs_is_an_input_wherever_it_is_named()
    {
        Prepare();
        var run = new CliRun();
        run.Variables["BULKLOAD_URL"] = $"mysql://u@h/d?ssl-ca={In("t.csv")}";
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "x.csv", "--log-file", In("link.csv")));
        Assert.Equal(Content, File.ReadAllText(In("t.csv")));
    }

    [Theory]
    [InlineData(
        "--junit", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites>\n  <testsuite name=\"bulkload import\" tests=\"1\"", true)]
    [InlineData("--junit", "", true)]
    [InlineData("--junit", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites>\n  <testsuite name=\"pytest\" tests=\"1\"", false)]
    [InlineData("--junit", "id,v\n1,a\n", false)]
    [InlineData("--events", "{\"version\":1,\"sequence\":1,\"event\":\"start\",\"seconds\":0}\n", true)]
    [InlineData("--events", "", true)]
    [InlineData("--events", "{\"version\":1,\"id\":1}\n", false)]
    [InlineData("--report", "", false)]
    [InlineData("--reject-file", "id,v\n1,a\n", true)]
    public async Task What_a_runner_writes_at_each_run_replaces_its_own(string option, string content, bool isReplaced)
    {
        File.WriteAllText(In("old"), content);
        var run = new CliRun();
        var exit = await run.CallAsync("import", "x.csv", option, In("old"));
        if (isReplaced)
        {
            Assert.Equal(ExitCode.Done, exit);
        }
        else
        {
            Assert.Equal(ExitCode.WrongRequest, exit);
            Assert.Equal($"error: {option}: '{In("old")}' already exists; --overwrite replaces it\n", run.Error);
            Assert.Equal(content, File.ReadAllText(In("old")));
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private async Task RequireRefusedAsync(string path, string output, string input, string name, bool overwrites)
    {
        Prepare();
        var isFolder = input.Length == 0 && path == "seed";
        var content = input switch
        {
            "--spec" => """
                {"bulkload-spec":1,"format":"csv","encoding":"utf-8","byte-order-mark":false,"delimiter":",","quote":null,"escape":null,"newline":null,
                "comment":null,"skip-lines":0,"preamble":0,"header":null,"fields":2,"null-value":[],"columns":null}
                """,
            "--profile" => ProfileOptionTests.Profile,
            "--defaults-file" or "--defaults-extra-file" => "[client]\n",
            _ => Content,
        };
        File.WriteAllText(In("t.csv"), content);
        var run = new CliRun();
        run.Files.With(In("t.csv"), content);
        string[] line = input.Length == 0
            ? Line(path, isFolder ? _folder : In("t.csv")) : input == "--ids" ? ["delete", "--table", "t"]
            : input == "--schema" && path == "check" ? ["check", In("current")] : Line(path, input == "--schema" ? In("current") : "x.csv");
        string[] words = [.. line, .. input.Length == 0 ? [] : new[] { $"{input}={In("t.csv")}" }, $"{output}={In(name)}",
            .. overwrites ? ["--overwrite"] : Array.Empty<string>(), .. Needed(path, output)];
        var exit = await run.CallAsync(words);
        Assert.True(exit == ExitCode.WrongRequest, $"{string.Join(' ', words)}: {exit} {run.Error}");
        var isRefusedAnyway = output == "--write-spec" && (input is "--ids" or "--schema" || path is "seed" or "undo");
        Assert.True(isRefusedAnyway || (path == "check" && input == "--schema" && output is "--reject-file" or "--repairs-file")
            || run.Error.StartsWith($"error: {output}: '", StringComparison.Ordinal), run.Error);
        Assert.All(["t.csv", "hard.csv", "link.csv"], one => Assert.Equal(content, File.ReadAllText(In(one))));
    }

    private void Prepare()
    {
        // The file is written over where it lies, so that it has its other names as long as the test runs.
        File.WriteAllText(In("t.csv"), Content);
        if (!Directory.Exists(In("current")))
        {
            File.CreateSymbolicLink(In("link.csv"), In("t.csv"));
            using var ln = Process.Start("ln", [In("t.csv"), In("hard.csv")]);
            ln.WaitForExit();
            Directory.CreateSymbolicLink(In("current"), _folder);
        }
    }

    private static string[] Line(string path, string file) =>
        Lines.TryGetValue(path, out var line) ? [.. line.Split(' ').Select(word => word == "F" ? file : word)] : path.Split(' ');

    /// <summary>Options without which an output is refused.</summary>
    private static string[] Needed(string path, string output) => output == "--preview-file" && path != "seed" ? ["--preview"] : [];

    private static IEnumerable<(string Path, JobCommand Command)> Commands(string[] path, Command command) =>
        command.Subcommands.SelectMany(sub => Commands([.. path, sub.Name], sub))
            .Concat(command is JobCommand job ? [(string.Join(' ', path), job)] : Array.Empty<(string, JobCommand)>());

    private static JobCommand CommandOf(string path) => Commands([], CliDocs.Root()).Single(found => found.Path == path).Command;

    private string In(string name) => Path.Join(_folder, name);
}
