using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli.Completion;

/// <summary>What 'bulkload complete -- words' answers a shell: the last word is the one that is completed.</summary>
public sealed class CompleterTests
{
    private readonly CliRun _run = new();

    public CompleterTests() => _run.Files.With("people.csv", "id;Full Name;zip\n1;Ada;2\n").With(
        "a.jsonl", "{\"id\": 1, \"at\": {\"x\": 2}, \"zip\": null}\n{\"late\": 1}\n");

    private async Task<(string Kind, string[] Words)> CompleteAsync(params string[] words)
    {
        Assert.Equal(ExitCode.Done, await _run.CallAsync(["complete", "--", .. words]));
        Assert.Empty(_run.Error);
        var lines = _run.Output.TrimEnd('\n').Split('\n');
        return (lines[0], [.. lines.Skip(1).Select(line => line.Split('\t')[0])]);
    }

    [Theory]
    [InlineData("im", "import")]
    [InlineData("help val", "values")]
    [InlineData("help comp", "completion")]
    [InlineData("completion z", "zsh")]
    [InlineData("jobs sh", "show")]
    [InlineData("bench tu", "tune")]
    [InlineData("seed in", "init")]
    [InlineData("import --on-d", "--on-duplicate")]
    [InlineData("import --fields-t", "--fields-terminated-by")]
    [InlineData("import --he", "--header|--help|--help-all")]
    [InlineData("import --format t", "tsv")]
    [InlineData("import --format=t", "--format=tsv")]
    [InlineData("import --ssl-mode verify-i", "verify-identity")]
    [InlineData("import --compression g", "gzip")]
    [InlineData("import --strategy m", "multi-row-insert")]
    [InlineData("update x.csv --strategy in", "inline-join")]
    [InlineData("delete --strategy in", "in-list-delete")]
    [InlineData("import --dirt few", "few-fields=")]
    [InlineData("import --dirt few-fields=rep", "few-fields=repair")]
    [InlineData("import people.csv --columns i", "id")]
    [InlineData("import people.csv --columns=i", "--columns=id")]
    [InlineData("import people.csv --columns zip,i", "zip,id")]
    [InlineData("import people.csv --columns id,i", "")]
    [InlineData("import people.csv --columns ID,i", "")]
    [InlineData("import people.csv --map zip=plz,i", "zip=plz,id=")]
    [InlineData("import people.csv --null-value z", "zip=")]
    [InlineData("import people.csv --date-format e", "epoch|epoch-ms|excel")]
    [InlineData("import people.csv --date-format z", "zip=")]
    [InlineData("import people.csv --percent zip=f", "zip=fraction")]
    [InlineData("import people.csv --decimal=z", "--decimal=zip=")]
    [InlineData("update people.csv --key z", "zip")]
    [InlineData("import a.jsonl --columns a", "at")]
    [InlineData("import people.csv --format mysql --columns i", "")]
    [InlineData("import people.csv --delimiter , --columns i", "id;Full Name;zip")]
    [InlineData("import missing.csv --columns i", "")]
    [InlineData("import --table p --columns i", "")]
    [InlineData("import --unknown i", "")]
    [InlineData("nothing i", "")]
    public async Task It_offers_what_begins_so(string line, string expected) =>
        Assert.Equal(expected, string.Join('|', (await CompleteAsync(line.Split(' '))).Words.Order(StringComparer.Ordinal)));

    [Theory]
    [InlineData("import x", ":files")]
    [InlineData("import --report x", ":files")]
    [InlineData("import --report=x", ":files")]
    [InlineData("import -- --x", ":files")]
    [InlineData("seed x", ":folders")]
    [InlineData("import --temp-dir x", ":folders")]
    [InlineData("import people.csv --columns x", ":open")]
    [InlineData("import --host x", ":")]
    [InlineData("import -P x", ":")]
    [InlineData("import --table x", ":")]
    public async Task The_shell_learns_what_else_may_come(string line, string kind) =>
        Assert.Equal(kind, (await CompleteAsync(line.Split(' '))).Kind);

    [Fact]
    public async Task An_option_that_was_typed_is_not_offered_again_unless_it_may_be()
    {
        var (_, words) = await CompleteAsync("import", "--format", "csv", "--map", "a=b", "--quiet", "--");
        Assert.DoesNotContain("--format", words);
        Assert.DoesNotContain("--quiet", words);
        Assert.Contains("--map", words);
        Assert.DoesNotContain("--connection-url", words);
    }

    [Fact]
    public async Task A_value_is_no_command_and_no_file()
    {
        Assert.Contains("import", (await CompleteAsync("")).Words);
        _run.Files.With("zip", "other\n");
        Assert.Equal(["zip"], (await new CompleterTests().CompleteAsync("import", "--table", "zip", "people.csv", "--columns", "z")).Words);
    }

    [Fact]
    public async Task Names_that_no_line_can_have_are_left_out()
    {
        _run.Files.With("odd.csv", "id\u0001,idx,\"a \"\"b\"\"\"\n");
        Assert.Equal(["idx"], (await CompleteAsync("import", "odd.csv", "--columns", "i")).Words);
    }

    [Fact]
    public async Task Nothing_is_answered_to_no_word() => Assert.Equal((":", []), await CompleteAsync());

    /// <summary>Each parser is asked with a word that no option takes.</summary>
    [Fact]
    public void Every_option_of_every_command_answers()
    {
        var jobs = new List<JobCommand>();
        void Collect(Command command)
        {
            jobs.AddRange(command is JobCommand job ? [job] : []);
            command.Subcommands.ToList().ForEach(Collect);
        }

        Collect(CliDocs.Root());
        var all = jobs.SelectMany(job => job.Groups).SelectMany(
            group => group.Options.Select(option => (option.Name, Words: option.Notes().WordsOfParser()))).ToList();
        Assert.All(all.SelectMany(option => option.Words), word => Assert.Matches("^[a-z0-9-]+$", word));
        Assert.True(all.Where(option => option.Words.Count > 0).Select(option => option.Name).Distinct().Count() >= 12);
    }

    [Fact]
    public async Task Each_shell_has_a_script_that_asks_the_program()
    {
        foreach (var shell in CompletionCommand.Shells)
        {
            var run = new CliRun();
            Assert.Equal(ExitCode.Done, await run.CallAsync("completion", shell));
            Assert.Contains(" complete ", run.Output, StringComparison.Ordinal);
            Assert.Contains("bulkload", run.Output, StringComparison.Ordinal);
        }

        var wrong = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await wrong.CallAsync("completion", "tcsh"));
        Assert.Contains("bash, zsh, fish, powershell", wrong.Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.WrongRequest, await new CliRun().CallAsync("completion"));
    }
}
