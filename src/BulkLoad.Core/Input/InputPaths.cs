using System.Text.RegularExpressions;

namespace BulkLoad.Core.Input;

/// <summary>Finds the input files that the command line names; expands patterns too, for shells that do not.</summary>
internal static class InputPaths
{
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

    /// <summary>The names that a word may mean: itself, the files that match it, and those in the folder that it names.</summary>
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
            return [.. new GlobPattern(word).Files().Distinct(StringComparer.Ordinal)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new InputException($"{word}: cannot be searched for files: {e.Message}", e);
        }
    }
}

/// <summary>A file name pattern (POSIX, Shell Command Language, "Pattern Matching Notation", and <c>**</c> for directories).</summary>
internal sealed class GlobPattern
{
    private const string NotHidden = @"(?!\.)";
    private static readonly char[] Wildcards = ['*', '?', '['];

    /// <summary>The directories before the first wildcard, with the last separator.</summary>
    private readonly string _folder;

    /// <summary>The names from there on; null: directories of any depth.</summary>
    private readonly Regex?[] _names;

    public GlobPattern(string pattern)
    {
        var path = pattern.Replace(Path.DirectorySeparatorChar, '/');
        var rest = path.LastIndexOf('/', path.IndexOfAny(Wildcards)) + 1;
        _folder = path[..rest];
        _names = [.. path[rest..].Split('/').Select(name => name == "**" ? null : NameOf(name))];
    }

    public static bool HasWildcard(string path) => path.IndexOfAny(Wildcards) >= 0;

    /// <summary>With <c>**</c>, a file may be found twice.</summary>
    public IEnumerable<string> Files() => Below(_folder, 0);

    /// <param name="folder">with the last separator; empty: the current one</param>
    /// <param name="at">index of the name that is looked for</param>
    private IEnumerable<string> Below(string folder, int at)
    {
        var place = new DirectoryInfo(folder.Length == 0 ? "." : folder);
        if (!place.Exists)
        {
            return [];
        }

        var name = _names[at];
        var isLast = at == _names.Length - 1;
        bool Fits(FileSystemInfo one) => name?.IsMatch(one.Name) ?? one.Name[0] != '.';
        var here = isLast ? place.EnumerateFiles().Where(Fits).Select(file => folder + file.Name)
            : name is null ? Below(folder, at + 1)
            : [];
        var next = name is null ? at : at + 1;
        return next == _names.Length ? here
            : here.Concat(place.EnumerateDirectories().Where(Fits).SelectMany(inner => Below($"{folder}{inner.Name}/", next)));
    }

    private static Regex NameOf(string name)
    {
        var exact = new StringBuilder(name.StartsWith('.') ? "^" : $"^{NotHidden}");
        for (var i = 0; i < name.Length; i++)
        {
            var close = name[i] == '[' && i + 2 < name.Length ? name.IndexOf(']', i + 2) : -1;
            exact.Append(close > 0 ? Set(name[(i + 1)..close]) : name[i] switch
            {
                '*' => ".*",
                '?' => ".",
                var letter => Regex.Escape(letter.ToString()),
            });
            i = close > 0 ? close : i;
        }

        return new Regex(exact.Append(@"\z").ToString(), RegexOptions.CultureInvariant | RegexOptions.Singleline);
    }

    private static string Set(string content)
    {
        var isNegated = content[0] is '!' or '^' && content.Length > 1;
        var members = content[(isNegated ? 1 : 0)..]
            .Replace(@"\", @"\\", StringComparison.Ordinal)
            .Replace("[", @"\[", StringComparison.Ordinal)
            .Replace("]", @"\]", StringComparison.Ordinal)
            .Replace("^", @"\^", StringComparison.Ordinal);
        return isNegated ? $"[^{members}]" : $"[{members}]";
    }
}
