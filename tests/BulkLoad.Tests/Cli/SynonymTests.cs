using System.CommandLine;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary>Words of other tools are answered with ours, and the answers are true.</summary>
public sealed class SynonymTests
{
    public static TheoryData<string> Commands =>
        [.. CliDocs.Root().Subcommands.Where(command => command.Options.Count > 0).Select(command => command.Name)];

    /// <summary>Each option of other tools that some command has an answer to.</summary>
    internal static IEnumerable<string> Options => Synonyms.Of(OptionsOf(CliDocs.Root())).Select(entry => entry.Name).Distinct();

    private static IEnumerable<Option> OptionsOf(Command command) =>
        command.Options.Concat(command.Subcommands.SelectMany(OptionsOf));

    [Theory]
    [MemberData(nameof(Commands))]
    public async Task What_an_answer_names_the_command_has(string name)
    {
        var command = CliDocs.Root().Subcommands.Single(one => one.Name == name);
        string[] known = ["--help", "--help-all", .. command.Options.SelectMany(option => option.Aliases.Prepend(option.Name))];
        foreach (var synonym in Options.Except(known))
        {
            var run = new CliRun();
            Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(name, synonym, "HUSH"));
            var answer = run.Error.Split('\n')[0];
            Assert.StartsWith($"error: unknown option '{synonym}'", answer, StringComparison.Ordinal);
            Assert.DoesNotContain("HUSH", run.Error, StringComparison.Ordinal);
            Assert.All(Synonyms.OptionsOf(Answer(answer)), option => Assert.Contains(option, known));
        }
    }

    [Theory]
    [InlineData("load")]
    [InlineData("insert")]
    [InlineData("copy")]
    [InlineData("export")]
    [InlineData("version")]
    [InlineData("validate")]
    public async Task A_command_of_other_tools_is_answered_with_one_that_is_there(string word)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(word, "x"));
        var ours = run.Error.Split('\'')[3];
        Assert.StartsWith("bulkload ", ours, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Done, await run.CallAsync([.. ours.Split(' ').Skip(1), "--help"]));
    }

    private static string Answer(string message) =>
        message[(message.IndexOf('\'', "error: unknown option '".Length) + 1)..].TrimStart(':', ' ');
}
