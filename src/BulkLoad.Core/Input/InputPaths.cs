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
    private static readonly char[] Wildcards = ['*', '?', '['];

    /// <summary>The directories before the first wildcard, with the last separator.</summary>
    private readonly string _folder;

    /// <summary>The names from there on; null: directories of any depth.</summary>
    private readonly NamePattern?[] _names;

    public GlobPattern(string pattern)
    {
        var path = pattern.Replace(Path.DirectorySeparatorChar, '/');
        var rest = path.LastIndexOf('/', path.IndexOfAny(Wildcards)) + 1;
        _folder = path[..rest];
        _names = [.. path[rest..].Split('/').Select(name => name == "**" ? null : new NamePattern(name))];
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
        bool Fits(FileSystemInfo one) => name?.Fits(one.Name) ?? one.Name[0] != '.';
        var here = isLast ? place.EnumerateFiles().Where(Fits).Select(file => folder + file.Name)
            : name is null ? Below(folder, at + 1)
            : [];
        var next = name is null ? at : at + 1;
        return next == _names.Length ? here
            : here.Concat(place.EnumerateDirectories().Where(Fits).SelectMany(inner => Below($"{folder}{inner.Name}/", next)));
    }
}

/// <summary>One name of a pattern. By hand, since the parser of regular expressions is 0.4 MB of a native program.</summary>
internal sealed class NamePattern(string pattern)
{
    public bool Fits(string name)
    {
        if (name.StartsWith('.') && !pattern.StartsWith('.'))
        {
            return false;
        }

        var (at, next) = (0, 0);

        // Behind the last *, and the first letter that it does not take yet.
        var (behindStar, retry) = (-1, 0);
        while (next < name.Length)
        {
            if (at < pattern.Length && pattern[at] == '*')
            {
                behindStar = ++at;
                retry = next;
            }
            else if (at < pattern.Length && TakenBy(name[next], at) is var length and > 0)
            {
                at += length;
                next++;
            }
            else if (behindStar >= 0)
            {
                at = behindStar;
                next = ++retry;
            }
            else
            {
                return false;
            }
        }

        return pattern.AsSpan(at).TrimStart('*').IsEmpty;
    }

    /// <returns>length of the pattern's part that takes this letter; 0: it takes another one</returns>
    private int TakenBy(char letter, int at)
    {
        var close = pattern[at] == '[' && at + 2 < pattern.Length ? pattern.IndexOf(']', at + 2) : -1;
        if (close > 0)
        {
            return IsIn(pattern.AsSpan(at + 1, close - at - 1), letter) ? close + 1 - at : 0;
        }

        return pattern[at] == '?' || pattern[at] == letter ? 1 : 0;
    }

    private static bool IsIn(ReadOnlySpan<char> set, char letter)
    {
        var isNegated = set.Length > 1 && set[0] is '!' or '^';
        set = isNegated ? set[1..] : set;
        for (var i = 0; i < set.Length; i++)
        {
            var isRange = i + 2 < set.Length && set[i + 1] == '-';
            if (isRange ? letter >= set[i] && letter <= set[i + 2] : letter == set[i])
            {
                return !isNegated;
            }

            i += isRange ? 2 : 0;
        }

        return isNegated;
    }
}
