using Microsoft.Extensions.FileSystemGlobbing;
using Microsoft.Extensions.FileSystemGlobbing.Abstractions;

namespace BulkLoad.Core.Input;

/// <summary>The input files that the command line names; patterns are expanded here too, for shells that do not.</summary>
public static class InputPaths
{
    /// <summary>The word for standard input.</summary>
    public const string StandardInput = "-";

    /// <summary>The files, in the order of the words; those of one pattern sorted by ordinal. Patterns have <c>*</c>, <c>?</c>,
    /// <c>[a-z]</c>, <c>[!a-z]</c> and <c>**</c> for any directories; as in a shell, none of them matches the dot of a hidden
    /// name.</summary>
    /// <param name="words">paths and patterns; a file of that very name comes before a pattern</param>
    /// <exception cref="InputException">a pattern that no file fits, or a directory that cannot be searched</exception>
    /// <exception cref="RequestException">a file that is named twice</exception>
    internal static IReadOnlyList<string> Expand(IEnumerable<string> words)
    {
        var paths = new List<string>();
        var seen = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var word in words)
        {
            var isLiteral = word == StandardInput || !GlobPattern.HasWildcard(word) || File.Exists(word);
            foreach (var path in isLiteral ? [word] : Matches(word))
            {
                if (!seen.TryAdd(path, word))
                {
                    throw new RequestException(
                        $"{path}: named twice, by '{seen[path]}' and by '{word}', and would be read twice; name it once");
                }

                paths.Add(path);
            }
        }

        return paths;
    }

    /// <summary>Whether a word is a pattern that names at least one file.</summary>
    public static bool IsPatternThatFits(string word)
    {
        try
        {
            return GlobPattern.HasWildcard(word) && Search(word).Count > 0;
        }
        catch (InputException)
        {
            return false;
        }
    }

    private static List<string> Matches(string word)
    {
        var paths = Search(word);
        paths.Sort(StringComparer.Ordinal);
        return paths.Count > 0 ? paths : throw new InputException($"{word}: no file fits this pattern");
    }

    private static List<string> Search(string word)
    {
        try
        {
            var pattern = new GlobPattern(word);
            var matcher = new Matcher(StringComparison.Ordinal);
            matcher.AddInclude(pattern.Loose);
            var folder = new DirectoryInfo(pattern.Folder.Length == 0 ? "." : pattern.Folder);
            return
            [
                .. matcher.Execute(new DirectoryInfoWrapper(folder)).Files
                    .Where(file => pattern.IsMatch(file.Path))
                    .Select(file => pattern.Folder + file.Path),
            ];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new InputException($"{word}: cannot be searched for files: {e.Message}", e);
        }
    }
}
