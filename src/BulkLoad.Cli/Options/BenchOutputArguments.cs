using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>Where figures go beside standard output.</summary>
internal sealed class BenchOutputArguments : ArgumentGroup
{
    private static readonly (string, ProgressMode)[] ProgressModes =
        [("auto", ProgressMode.Auto), ("always", ProgressMode.Always), ("never", ProgressMode.Never)];

    private readonly Option<string?> _json;
    private readonly Option<string?> _csv;
    private readonly Option<string?> _html;
    private readonly Option<string?>? _profile;
    private readonly Option<bool> _overwrite;
    private readonly Option<ProgressMode?> _progress;
    private readonly Option<bool> _quiet;

    /// <param name="writesProfile">whether something is found that imports can be planned with</param>
    public BenchOutputArguments(bool writesProfile = false) : base("Output")
    {
        _profile = writesProfile ? Text("--profile", "FILE", "write what was found as a profile for import --profile") : null;
        _json = Text("--json", "FILE", "also write the figures as JSON; see docs/cli-json.md");
        _csv = Text("--csv", "FILE", "also write them as CSV, one line per measure");
        _html = Text("--html", "FILE", "also write a page with charts: one file that needs no other");
        _overwrite = Flag("--overwrite", "replace these files if they exist");
        _progress = Value("--progress", "WHEN", "auto (default: where standard error is a terminal), always, never",
            text => OptionParsers.Choice(text, ProgressModes));
        _quiet = Flag("--quiet", "print no table on success");
    }

    /// <exception cref="RequestException">a file's name is empty, or stands twice</exception>
    public BenchOutputWords Bind(ParseResult words)
    {
        var typed = new BenchOutputWords(
            words.GetValue(_json), words.GetValue(_csv), words.GetValue(_html), _profile is null ? null : words.GetValue(_profile),
            words.GetValue(_overwrite), words.GetValue(_progress) ?? ProgressMode.Auto, words.GetValue(_quiet));
        var taken = new HashSet<string>(StringComparer.Ordinal);
        foreach (var (
            option, path) in new[] { ("--json", typed.Json), ("--csv", typed.Csv), ("--html", typed.Html), ("--profile", typed.Profile) })
        {
            if (path is "")
            {
                throw new RequestException($"{option}: the file name is empty");
            }

            if (path is not null && !taken.Add(Path.GetFullPath(path)))
            {
                throw new RequestException($"{option}: '{path}' is another file of this command already");
            }
        }

        return typed;
    }
}

/// <summary>The outputs of a bench as typed.</summary>
internal sealed record BenchOutputWords(
    string? Json, string? Csv, string? Html, string? Profile, bool Overwrite, ProgressMode Progress, bool IsQuiet);
