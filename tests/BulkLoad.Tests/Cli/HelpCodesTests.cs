using System.Text.RegularExpressions;
using BulkLoad.Cli.Commands;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Cli;

/// <summary><c>bulkload help CODE</c>: a text for each code in the source, and no other.</summary>
public sealed partial class HelpCodesTests
{
    /// <summary>How a code is written where a fault is made.</summary>
    [GeneratedRegex(
        """new(?:\s+(?:ValueFault|RecordFault))?\(\s*"([a-z0-9]+(?:-[a-z0-9]+)*)"\s*,\s*(?:\$?"|hasEnded)"""
            + """|(?:Value|Record)Fault[^;\n]*?"([a-z0-9]+(?:-[a-z0-9]+)+)["]""",
        RegexOptions.CultureInvariant)]
    private static partial Regex Fault();

    [GeneratedRegex("const string \\w*Code = \"([a-z-]+)\"", RegexOptions.CultureInvariant)]
    private static partial Regex Constant();

    [GeneratedRegex("""(?:[A-Z]\w+ |_ )=> "([a-z]+(?:-[a-z]+)+)",|Reject\([^;]*?"([a-z]+(?:-[a-z]+)+)"|\("([a-z]+(?:-[a-z]+)*)", "[a-z]""",
        RegexOptions.CultureInvariant)]
    private static partial Regex OfOneFile();

    [GeneratedRegex("--[a-z][a-z-]+", RegexOptions.CultureInvariant)]
    private static partial Regex OptionName();

    [GeneratedRegex("--dirt ([a-z-]+)=repair", RegexOptions.CultureInvariant)]
    private static partial Regex Dirt();

    [Fact]
    public void Every_code_in_the_source_has_a_text_and_every_text_a_code() =>
        Assert.Equal(
            InSource().Distinct().Order(StringComparer.Ordinal), HelpCodes.All.Select(code => code.Code).Order(StringComparer.Ordinal));

    /// <summary>Should the search find nothing any more, both sides would be empty.</summary>
    [Fact]
    public void The_search_finds_codes_of_each_kind() =>
        Assert.Superset(new HashSet<string>
        { "few-fields", "not-an-integer", "trigger-signal", "duplicate-key", "not-found", "table-rows", "too-long" },
            InSource().ToHashSet());

    [Fact]
    public void Options_in_the_texts_are_options()
    {
        var root = CliDocs.Root();
        var known = root.Subcommands.SelectMany(command => command.Options).SelectMany(option => option.Aliases.Prepend(option.Name))
            .ToHashSet();
        foreach (var code in HelpCodes.All)
        {
            Assert.All(OptionName().Matches($"{code.Means} {code.Example} {code.ToDo}").Select(match => match.Value),
                option => Assert.Contains(option, known));
            Assert.All(Dirt().Matches(code.ToDo).Select(match => match.Groups[1].Value), kind => Assert.Equal(code.Code, kind));
        }
    }

    [Fact]
    public void A_text_is_sentences() => Assert.All(HelpCodes.All, code =>
    {
        Assert.Matches("^[A-Z].*\\.$", code.Means);
        Assert.Matches("\\.$", code.ToDo);
        Assert.NotEmpty(code.Example);
    });

    [Fact]
    public async Task A_code_is_explained()
    {
        var run = new CliRun();

        Assert.Equal(0, (int)await run.CallAsync("help", "not-an-integer"));
        Assert.Equal(
            """
            A value is not a whole number.
            Example: x17, 1.5, 1,000
            What to do: --thousands , takes 1,000; --round rounds 1.5; blanks: --trim; a word for NULL:
            --null-value TEXT; words for true and false: --true, --false.

            """.ReplaceLineEndings("\n"),
            run.Output.ReplaceLineEndings("\n"));
    }

    [Fact]
    public async Task All_codes_are_listed()
    {
        var run = new CliRun();

        Assert.Equal(0, (int)await run.CallAsync("help", "codes"));
        Assert.All(HelpCodes.All, code => Assert.Contains($"  {code.Code} ", run.Output, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_code_that_is_mistyped_has_similar_ones()
    {
        var run = new CliRun();

        Assert.Equal(2, (int)await run.CallAsync("help", "not-a-integer"));
        Assert.Contains(
            "help: there is no command, topic or code 'not-a-integer'; similar: not-an-integer", run.Error, StringComparison.Ordinal);
    }

    private static IEnumerable<string> InSource()
    {
        var core = Path.Combine(Repository.Root, "src", "BulkLoad.Core");
        foreach (var file in Directory.EnumerateFiles(core, "*.cs", SearchOption.AllDirectories))
        {
            var text = File.ReadAllText(file);
            var folder = Path.GetRelativePath(core, file).Split(Path.DirectorySeparatorChar)[0];
            foreach (var pattern in (Regex?[])
            [
                Constant(),
                folder is "Values" or "Input" ? Fault() : null,
                Path.GetFileName(file) is "MissingRows.cs" or "CheckRun.cs" or "RowJudge.cs" ? OfOneFile() : null,
            ])
            {
                foreach (var match in pattern?.Matches(text) ?? Enumerable.Empty<Match>())
                {
                    yield return match.Groups.Values.Skip(1).First(group => group.Success).Value;
                }
            }
        }
    }
}
