using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary>What somebody reads who asks for help.</summary>
public sealed class HelpTests
{
    public static TheoryData<string> Commands => [.. CliDocs.Root().Subcommands.OfType<JobCommand>().Select(command => command.Name)];

    [Theory]
    [MemberData(nameof(Commands))]
    public async Task The_help_of_a_command_fits_a_screen_and_begins_with_examples(string command)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.Done, await run.CallAsync("help", command));
        var lines = run.Output.TrimEnd().Split('\n');
        Assert.InRange(lines.Length, 5, 50);
        Assert.All(lines.Where(line => !line.Contains("bulkload ", StringComparison.Ordinal)), line => Assert.InRange(line.Length, 0, 100));
        Assert.Contains("\nExamples\n", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("Exit codes", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(40)]
    [InlineData(80)]
    public async Task Only_names_and_examples_are_longer_than_the_terminal_is_wide(int width)
    {
        var run = new CliRun { HelpWidth = width };
        await run.CallAsync("import", "--help-all");
        Assert.All(run.Output.Split('\n').Where(line => line.Length > width), line =>
            Assert.True((line.StartsWith("  ", StringComparison.Ordinal) && line.Contains("bulkload ", StringComparison.Ordinal)) || line
                .TrimStart().StartsWith('-') || !line.Trim().Contains(' ') || line.StartsWith("Usage", StringComparison.Ordinal), line));
    }

    [Fact]
    public async Task All_options_are_in_the_whole_help()
    {
        var run = new CliRun();
        await run.CallAsync("import", "--help-all");
        var import = CliDocs.Root().Subcommands.OfType<JobCommand>().Single(command => command.Name == "import");
        Assert.All(
            import.Options.Where(option => !option.Hidden), option => Assert.Contains(option.Name, run.Output, StringComparison.Ordinal));
    }

    /// <summary>To make all commands with their options takes longer than all the rest of the reading.</summary>
    [Theory]
    [InlineData("--version", "")]
    [InlineData("--help", "")]
    [InlineData("import people.csv --help", "import")]
    [InlineData("bench --help", "bench")]
    [InlineData("--help import", "import update delete check verify seed jobs undo doctor completion")]
    [InlineData("--tabel people", "import update delete check verify seed jobs undo doctor completion")]
    public void Only_a_command_that_may_be_called_has_its_options(string words, string made)
    {
        var commands = CliDocs.Root(words.Split(' ')).Subcommands;
        Assert.Equal(made.Length == 0 || made.Contains(' ', StringComparison.Ordinal) ? 12 : 1, commands.Count);
        Assert.Equal(made.Split(' ').Except(["bench", "completion", ""]),
            commands.Where(command => command.Options.Count > 0).Select(command => command.Name));
        Assert.All(commands, command => Assert.NotEmpty(command.Description!));
    }

    [Theory]
    [InlineData("connection", "BULKLOAD_URL")]
    [InlineData("formats", "jsonl")]
    [InlineData("values", "NULL")]
    [InlineData("preview", "--preview-file")]
    [InlineData("exit-codes", "4")]
    [InlineData("seed init", "schema.sql")]
    public async Task A_topic_or_a_command_of_two_words_has_a_help(string words, string says)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.Done, await run.CallAsync(["help", .. words.Split(' ')]));
        Assert.Contains(says, run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void A_topic_is_a_screen() => Assert.All(
        HelpTopics.All,
        topic =>
        {
            using var to = new StringWriter();
            topic.Write(to, width: 80);
            var lines = $"{to}".TrimEnd().Split('\n');
            Assert.True(lines.Length <= 24, $"{topic.Name}: {lines.Length} lines");
        });

    [Fact]
    public async Task An_unknown_topic_is_answered()
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("help", "imprt"));
        Assert.Contains("there is no command, topic or code 'imprt'; similar: import", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--dry-run", "--preview shows which rows would change")]
    [InlineData("-v", "that is --verbose")]
    [InlineData("--delete", "for import that is --truncate")]
    [InlineData("--compress", "the connection is not compressed")]
    [InlineData("--replace", "that is --on-duplicate replace")]
    [InlineData("--url", "set BULKLOAD_URL")]
    public async Task Words_of_other_tools_are_answered_with_ours(string option, string says)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "a.csv", option));
        Assert.Contains(says, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_database_in_the_place_of_a_file_is_answered()
    {
        var run = new CliRun();
        run.Files.With("people.csv", "id\n1\n");
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "people.csv", "shop"));
        Assert.Contains("shop: no such file; if it is the database, write -D shop; if it is the table, --table shop", run.Error,
            StringComparison.Ordinal);
    }

    /// <summary>Those of import that others lack are answered there.</summary>
    [Fact]
    public void No_word_of_other_tools_is_an_option_of_import()
    {
        var import = CliDocs.Root().Subcommands.OfType<JobCommand>().Single(command => command.Name == "import");
        string[] own = [.. import.Options.SelectMany(option => option.Aliases.Prepend(option.Name))];
        Assert.Equal(
            ["--append", "--create", "--on-duplicate", "--reload", "--table", "--truncate", "--yes"],
            own.Intersect(SynonymTests.Options).Order(StringComparer.Ordinal));
    }
}
