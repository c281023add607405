using System.Text.RegularExpressions;
using Microsoft.Extensions.FileSystemGlobbing;
using Microsoft.Extensions.FileSystemGlobbing.Abstractions;

namespace BulkLoad.Core.Input;

/// <summary>The input files that the command line names; patterns are expanded here too, for shells that do not.</summary>
internal static class InputPaths
{
    /// <summary>The word for standard input.</summary>
    public const string StandardInput = "-";

    /// <summary>Files in the order of the words; those of one pattern sorted by ordinal. Patterns have <c>*</c>, <c>?</c>, <c>[a-z]</c>,
    /// <c>[!a-z]</c> and <c>**</c> for directories. As in a shell, none matches the dot of a hidden name. An existing file of that name
    /// comes before a pattern. Throws if a pattern has no file, or a file is named twice.</summary>
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

    /// <summary>The names that a word may stand for: itself, the files that fit it, and those in the folder that it is.</summary>
    public static IReadOnlyList<string> NamesOf(string word)
    {
        try
        {
            return
            [
                word, .. GlobPattern.HasWildcard(word) ? Search(word) : [],
                .. Directory.Exists(word) ? Directory.EnumerateFiles(word).Select(path => Path.GetFileName(path)) : [],
            ];
        }
        catch (Exception fault) when (fault is InputException or IOException or UnauthorizedAccessException)
        {
            return [word];
        }
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

/// <summary>A file name pattern (POSIX, Shell Command Language, "Pattern Matching Notation", and <c>**</c> for directories). The globbing
/// library knows only <c>*</c> and <c>**</c>: it gets a looser pattern, and its results are checked here.</summary>
internal sealed class GlobPattern
{
    private const string NotHidden = @"(?!\.)";
    private static readonly char[] Wildcards = ['*', '?', '['];

    private readonly Regex _exact;

    public GlobPattern(string pattern)
    {
        var path = pattern.Replace(Path.DirectorySeparatorChar, '/');
        var wildcard = path.IndexOfAny(Wildcards);
        var rest = path.LastIndexOf('/', wildcard) + 1;
        Folder = path[..rest];

        var loose = new StringBuilder();
        var exact = new StringBuilder("^");
        var segments = path[rest..].Split('/');
        for (var i = 0; i < segments.Length; i++)
        {
            var isLast = i == segments.Length - 1;
            if (segments[i] == "**")
            {
                loose.Append("**");
                exact.Append($"(?:{NotHidden}[^/]+/)*").Append(isLast ? $"{NotHidden}[^/]+" : "");
            }
            else
            {
                AppendSegment(segments[i], loose, exact);
                exact.Append(isLast ? "" : "/");
            }

            loose.Append(isLast ? "" : "/");
        }

        Loose = loose.ToString();
        _exact = new Regex(exact.Append('$').ToString(), RegexOptions.CultureInvariant | RegexOptions.Singleline);
    }

    /// <summary>The directories before the first wildcard, with the last separator.</summary>
    public string Folder { get; }

    /// <summary>Matches at least what the pattern matches, below <see cref="Folder"/>.</summary>
    public string Loose { get; }

    public static bool HasWildcard(string path) => path.IndexOfAny(Wildcards) >= 0;

    /// <summary><paramref name="path"/> is relative to <see cref="Folder"/>, with <c>/</c>.</summary>
    public bool IsMatch(string path) => _exact.IsMatch(path);

    private static void AppendSegment(string segment, StringBuilder loose, StringBuilder exact)
    {
        exact.Append(segment.StartsWith('.') ? "" : NotHidden);
        for (var i = 0; i < segment.Length; i++)
        {
            var close = segment[i] == '[' && i + 2 < segment.Length ? segment.IndexOf(']', i + 2) : -1;
            if (close > 0)
            {
                exact.Append(Set(segment[(i + 1)..close]));
                i = close;
            }
            else if (segment[i] is '*' or '?')
            {
                exact.Append(segment[i] == '*' ? "[^/]*" : "[^/]");
            }
            else
            {
                exact.Append(Regex.Escape(segment[i].ToString()));
                loose.Append(segment[i]);
                continue;
            }

            // Two stars in a row would mean something else.
            loose.Append(loose.Length > 0 && loose[^1] == '*' ? "" : "*");
        }
    }

    private static string Set(string content)
    {
        var isNegated = content[0] is '!' or '^' && content.Length > 1;
        var members = content[(isNegated ? 1 : 0)..]
            .Replace(@"\", @"\\", StringComparison.Ordinal)
            .Replace("[", @"\[", StringComparison.Ordinal)
            .Replace("]", @"\]", StringComparison.Ordinal)
            .Replace("^", @"\^", StringComparison.Ordinal);
        return isNegated ? $"[^/{members}]" : $"[{members}]";
    }
}
