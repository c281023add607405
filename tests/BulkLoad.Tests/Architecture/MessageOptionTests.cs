using System.Text.RegularExpressions;
using BulkLoad.Tests.Cli;

namespace BulkLoad.Tests.Architecture;

/// <summary>What a message offers is there: every option and command that a text of the program names.</summary>
public sealed partial class MessageOptionTests
{
    /// <summary>Options of other programs, and how options of ours begin.</summary>
    private static readonly string[] OfOthers =
        ["--databases", "--hex-blob", "--long", "--no-", "--help", "--help-all", "--version", "--depth", "--include"];

    [Fact]
    public void Every_option_that_a_text_names_is_an_option()
    {
        var known = Commands(CliDocs.Root()).SelectMany(command => command.Options)
            .SelectMany(option => option.Aliases.Prepend(option.Name))
            .Concat(OfOthers).ToHashSet(StringComparer.Ordinal);
        var ofOtherTools = SynonymTests.Options.ToHashSet(StringComparer.Ordinal);
        var unknown =
            from text in Texts()
            where !text.Path.EndsWith("/Synonyms.cs", StringComparison.Ordinal)
                && !text.Path.EndsWith("/BenchHtml.cs", StringComparison.Ordinal)
            where !text.Literal.Split(' ').All(ofOtherTools.Contains)
            from Match option in OptionPattern().Matches(text.Literal)
            where !known.Contains(option.Value)
            select $"{text.Path}: {option.Value}";
        Assert.Empty(unknown);
    }

    [Fact]
    public void Every_command_that_a_text_names_is_a_command()
    {
        var known = CliDocs.Root().Subcommands.Select(command => command.Name).ToHashSet(StringComparer.Ordinal);
        var unknown =
            from text in Texts()
            from Match command in CommandPattern().Matches(text.Literal)
            where !known.Contains(command.Groups["name"].Value) && command.Groups["name"].Value != "can"
            select $"{text.Path}: {command.Value}";
        Assert.Empty(unknown);
    }

    private static IEnumerable<System.CommandLine.Command> Commands(System.CommandLine.Command command) =>
        command.Subcommands.SelectMany(Commands).Prepend(command);

    private static IEnumerable<(string Path, string Literal)> Texts() =>
        SourceText.Code("src").SelectMany(file => SourceText.Literals(file.Text).Select(literal => (file.Path, literal)));

    [GeneratedRegex(@"(?<![\w-])--[a-z][a-z0-9-]+", RegexOptions.CultureInvariant)]
    private static partial Regex OptionPattern();

    /// <summary>As it is typed: in quotes, or behind a colon.</summary>
    [GeneratedRegex(@"(?:'|: )bulkload (?<name>[a-z]+)\b", RegexOptions.CultureInvariant)]
    private static partial Regex CommandPattern();
}
