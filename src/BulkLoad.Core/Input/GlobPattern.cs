using System.Text.RegularExpressions;

namespace BulkLoad.Core.Input;

/// <summary>A file name pattern (POSIX, Shell Command Language, "Pattern Matching Notation", and <c>**</c> for any directories). The
/// globbing library knows <c>*</c> and <c>**</c> only: it is given the looser pattern, and what it finds is matched here.</summary>
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

    /// <summary>The leading directories without a wildcard, with the last separator; may be empty.</summary>
    public string Folder { get; }

    /// <summary>Fits everything, below <see cref="Folder"/>, that the pattern fits, and more.</summary>
    public string Loose { get; }

    public static bool HasWildcard(string path) => path.IndexOfAny(Wildcards) >= 0;

    /// <param name="path">relative to <see cref="Folder"/>, with <c>/</c></param>
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
