using BulkLoad.Core.Input;

namespace BulkLoad.Cli.Host;

/// <summary>Text for people, without anything that a terminal or a CI system would obey, and with each file's name on one line.</summary>
/// <param name="variable">reads an environment variable</param>
/// <param name="words">of the command line, which name files</param>
internal sealed class ShownText(Func<string, string?> variable, IReadOnlyList<string> words)
{
    /// <summary>Begins GitHub's workflow commands: at the start of a line, behind blanks, or anywhere in it.</summary>
    private const string Command = "::";
    private const string OldCommand = "##[";

    private readonly bool _isGitHub = variable("GITHUB_ACTIONS") == "true";
    private readonly Lazy<List<(string Raw, string Shown)>> _names = new(() => NamesOf(words));

    /// <summary>For unknown surroundings.</summary>
    public static ShownText Plain { get; } = new(_ => null, []);

    public string Of(string text)
    {
        var named = _names.Value.Aggregate(text, (shown, name) => shown.Replace(name.Raw, name.Shown, StringComparison.Ordinal));
        var visible = VisibleText.Of(named);
        return !_isGitHub ? visible : string.Join(
            '\n',
            visible.Replace(OldCommand, @"#\#[", StringComparison.Ordinal).Split('\n').Select(
                line => line.TrimStart().StartsWith(Command, StringComparison.Ordinal)
                    ? line.Insert(line.IndexOf(Command, StringComparison.Ordinal), @"\")
                    : line));
    }

    /// <summary>For JSON that goes where a CI system reads lines.</summary>
    public string Json(string text) => _isGitHub ? text.Replace(OldCommand, @"#\u0023[", StringComparison.Ordinal) : text;

    /// <summary>Names of files that contain line ends or tabs, the longest first. A word that ends with one may be no name.</summary>
    private static List<(string Raw, string Shown)> NamesOf(IReadOnlyList<string> words) =>
    [
        .. words.Select(word => word.StartsWith('-') ? word[(word.IndexOf('=', StringComparison.Ordinal) + 1)..] : word)
            .SelectMany(InputPaths.NamesOf)
            .SelectMany(path => path.Split('/'))
            .Where(name => name.AsSpan().ContainsAny('\n', '\r', '\t') && (name[^1] > ' ' || Path.Exists(name)))
            .Where(name => name.Any(letter => letter > ' '))
            .Distinct().OrderByDescending(name => name.Length).Select(name => (name, VisibleText.OneLine(name))),
    ];
}
