using System.Text.RegularExpressions;

namespace BulkLoad.Tests.Architecture;

/// <summary>Links of the README and of the pages in docs lead to files and headings that are there.</summary>
public sealed partial class DocLinksTests
{
    public static TheoryData<string> Pages =>
        ["README.md",
            .. Directory.GetFiles(Path.Combine(Repository.Root, "docs"), "*.md").Select(page => $"docs/{Path.GetFileName(page)}").Order()];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Links_lead_somewhere(string page)
    {
        var path = Path.Combine(Repository.Root, page);
        var broken = Link().Matches(Prose(path)).Select(match => match.Groups["link"].Value).Where(link => !IsThere(path, link));
        Assert.Empty(broken);
    }

    private static bool IsThere(string page, string link)
    {
        if (link.Contains("://", StringComparison.Ordinal))
        {
            return true;
        }

        var parts = link.Split('#', 2);
        var target = parts[0].Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, parts[0]);
        return (File.Exists(target) || Directory.Exists(target)) && (parts.Length == 1 || Anchors(target).Contains(parts[1]));
    }

    /// <summary>The anchors that GitHub makes: lower case, blanks as dashes, nothing but letters, digits, dashes and underscores.</summary>
    private static IEnumerable<string> Anchors(string page) =>
        Heading().Matches(Prose(page))
            .Select(match => NotInAnchor().Replace(match.Groups["text"].Value.Trim().ToLowerInvariant(), "").Replace(' ', '-'));

    private static string Prose(string page) => CodeBlock().Replace(File.ReadAllText(page), "");

    [GeneratedRegex(@"\]\((?<link>[^)\s]+)\)", RegexOptions.CultureInvariant)]
    private static partial Regex Link();

    [GeneratedRegex(@"^#+ (?<text>.*)$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]", RegexOptions.CultureInvariant)]
    private static partial Regex NotInAnchor();

    [GeneratedRegex(@"^```.*?^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex CodeBlock();
}
