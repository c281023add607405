using System.CommandLine;
using BulkLoad.Cli.Host;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary>An option never takes an option for its value: a file name that was forgotten would turn a preview into a deletion.</summary>
public sealed class OptionValueTests
{
    /// <summary>Every command with every option that must have a value, by all of its names.</summary>
    public static TheoryData<string, string> All
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (var (path, command) in Commands([], CliDocs.Root()))
            {
                foreach (var name in NeedingValues(command))
                {
                    data.Add(string.Join(' ', path), name);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task An_option_is_no_value(string command, string option)
    {
        // Whether a word is an option does not depend on the one before it: each of the command's names is tried behind one of these.
        var own = CommandOf(command).Options.Where(one => !one.Hidden).SelectMany(one => one.Aliases.Prepend(one.Name));
        string[] valued = [.. NeedingValues(CommandOf(command))];
        string[] words =
        [
            .. own.Where((_, i) => i % valued.Length == Array.IndexOf(valued, option)),
            option, "--preview", "--plan", "--yes", "--table=HUSH", "--help", "--dry-run", "--previw", "--SECRET=HUSH",
        ];
        foreach (var word in words)
        {
            var run = new CliRun();
            var exit = await run.CallAsync([.. command.Split(' '), option, word]);
            Assert.True(exit == ExitCode.WrongRequest, $"{option} {word}: {exit}");
            Assert.StartsWith($"error: {option} needs ", run.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("HUSH", run.Error, StringComparison.Ordinal);
            Assert.Equal("", run.Output);
            Assert.Null(run.Request);
        }
    }

    [Theory]
    [InlineData("--reject-file needs a file name, and '--preview' is an option; write --reject-file=--preview if it is meant",
        "--reject-file", "--preview")]
    [InlineData("-D needs a name, and '--plan' is an option; write --database=--plan if it is meant", "-D", "--plan")]
    [InlineData("--temp-dir needs a folder, and '-p' is an option; write --temp-dir=-p... if it is meant", "--temp-dir", "-pHUSH")]
    [InlineData(
        "--threads needs a number, and '--table' is an option; write --threads=--table=... if it is meant", "--threads", "--table=HUSH")]
    [InlineData("--report needs a file name, and the word after it begins as an option does; write --report=... if it is meant",
        "--report", "--HUSH")]
    [InlineData(
        "--report needs a file name, and the word after it begins as an option does; write --report=... if it is meant", "--report", "-n")]
    [InlineData("--report needs a file name, and '--' ends the options; write --report=-- if it is meant", "--report", "--")]
    [InlineData("--set needs a value, and '-h' is an option; write --set=-h if it is meant", "--set", "-h")]
    public async Task The_message_names_both_and_the_way_to_write_it(string message, params string[] words)
    {
        var run = new CliRun();
        string[] command = words[0] is "--set" or "--threads" ? ["import", "a.csv"] : ["delete", "a.csv", "--table", "t"];
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync([.. command, .. words, "x.csv"]));
        Assert.Equal($"error: {message}", run.Error.Split('\n')[0]);
    }

    [Fact]
    public async Task What_is_no_option_may_begin_with_a_hyphen()
    {
        var request = await CliRun.RequestOfAsync(
            "import", "a.csv", "--null-value", "-", "--null-value", "--", "--null-value", "-5", "--null-value", "-n/a",
            "--null-value", "---",
            "--delimiter", "--", "--time-zone", "-05:00", "--null-value=--table", "--null-value=-pX", "--report=--plan", "--overwrite");
        Assert.Equal(["-", "--", "-5", "-n/a", "---", "--table", "-pX"], request.Values.NullTexts.Select(text => text.Text));
        Assert.Equal(('-', "-"), (request.Source.Delimiter, request.Source.DelimiterTail));
        Assert.Null(request.Connection.Password);
        File.Delete("--plan");
    }

    [Theory]
    [InlineData("import", "a.csv", "--create", "people.csv")]
    [InlineData("import", "a.csv", "--create", "--plan")]
    public async Task An_option_whose_value_may_be_missing_takes_no_word_behind_it(params string[] args)
    {
        var request = await CliRun.RequestOfAsync(args);
        Assert.True(request.Create);
        Assert.Equal(args.Where(word => word.EndsWith(".csv", StringComparison.Ordinal)), request.Files);
    }

    private static IEnumerable<(string[] Path, Command Command)> Commands(string[] path, Command command) =>
        command.Subcommands.SelectMany(sub => Commands([.. path, sub.Name], sub)).Prepend((path, command))
            .Where(found => found.Item1.Length > 0);

    private static IEnumerable<string> NeedingValues(Command command) => command.Options
        .Where(option => !option.Hidden && option.Arity.MinimumNumberOfValues > 0 && option.ValueType != typeof(bool))
        .SelectMany(option => option.Aliases.Prepend(option.Name));

    private static Command CommandOf(string path) => path.Split(' ')
        .Aggregate((Command)CliDocs.Root(), (command, word) => command.Subcommands.Single(sub => sub.Name == word));
}
