using System.Text.RegularExpressions;

namespace BulkLoad.Tests.Architecture;

/// <summary>The repository's own files, as text.</summary>
internal static partial class SourceText
{
    /// <summary>C# files under a folder, by path from the repository's root.</summary>
    public static IEnumerable<(string Path, string Text)> Code(string folder) =>
        All().Where(file => file.Path.StartsWith(folder, StringComparison.Ordinal) && file.Path.EndsWith(".cs", StringComparison.Ordinal));

    /// <summary>Every text file of the repository but what builds and git leave in it.</summary>
    public static IEnumerable<(string Path, string Text)> All() =>
        from path in Directory.EnumerateFiles(
            Repository.Root, "*", new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint })
        let relative = Path.GetRelativePath(Repository.Root, path).Replace('\\', '/')
        where !relative.Split('/').Any(part => part is ".git" or "artifacts" or "bin" or "obj" or "TestResults")
        where new FileInfo(path).Length < 1 << 20
        let text = File.ReadAllText(path)
        where !text.Contains('\0', StringComparison.Ordinal)
        select (relative, text);

    /// <summary>Without comments, so that words about a thing are not taken for the thing.</summary>
    public static string WithoutComments(string code) => Comment().Replace(code, "");

    /// <summary>With raw string literals as empty ones of as many lines.</summary>
    public static string WithoutRawText(string code) =>
        RawLiteral().Replace(code, match => new string('\n', match.Value.Count(letter => letter == '\n')));

    /// <summary>Starts of string literals, and of the constant parts behind a line break's <c>+</c>.</summary>
    public static IEnumerable<string> Literals(string code) =>
        Literal().Matches(WithoutComments(code)).Select(match => match.Groups[1].Value);

    [GeneratedRegex(@"^\s*//.*$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Comment();

    [GeneratedRegex("""""("""+)(?:[^\n]*?|\n[\s\S]*?\n *)\1""""", RegexOptions.CultureInvariant)]
    private static partial Regex RawLiteral();

    [GeneratedRegex("""[$@]*"((?:[^"\\]|\\.)*)"(?:u8)?""", RegexOptions.CultureInvariant)]
    private static partial Regex Literal();
}
