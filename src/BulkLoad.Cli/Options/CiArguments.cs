using System.CommandLine;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

internal enum AnnotateMode
{
    Auto,
    GitHub,
    GitLab,
    None,
}

internal sealed record CiSettings(
    AnnotateMode Annotate = AnnotateMode.Auto, string? Events = null, string? JUnit = null, string? Metrics = null,
    bool HidesValues = false);

internal sealed class CiArguments : OptionGroup<CiSettings>
{
    private static readonly (string, AnnotateMode)[] Modes =
        [("auto", AnnotateMode.Auto), ("github", AnnotateMode.GitHub), ("gitlab", AnnotateMode.GitLab), ("none", AnnotateMode.None)];

    public const string Events = "--events";

    public const string Metrics = "--metrics";

    public CiArguments() : base("CI", NextCommand.None)
    {
        Value("--annotate", "WHERE",
            "mark bad records in the files: github, by workflow commands; gitlab, in gl-code-quality-report.json; auto (default): by "
                + "GITHUB_ACTIONS or GITLAB_CI; none",
            Way, text => TypedValue.Choice(text, Modes), (typed, mode) => typed with { Annotate = mode });
        Output(Events,
            "write what happens as JSON, an object a line; - is standard output, and the report then goes to standard error",
            Way, (typed, file) => typed with { Events = file });
        Output("--junit", "write the result as JUnit XML, a test case for each file",
            Way, (typed, file) => typed with { JUnit = file });
        Output(Metrics,
            "write counts, time and exit code in Prometheus' text format, for node_exporter's textfile collector",
            Way, (typed, file) => typed with { Metrics = file });
        Flag("--no-values", "leave the files' values out of annotations, events and JUnit",
            Way, typed => typed with { HidesValues = true });
    }

    /// <exception cref="RequestException">a file has no name</exception>
    public CiSettings Bind(ParseResult words) => Apply(new CiSettings(), words) switch
    {
        { Events: "" } => throw new RequestException("--events: the file name is empty"),
        { JUnit: "" } => throw new RequestException("--junit: the file name is empty"),
        { Metrics: "" } => throw new RequestException($"{Metrics}: the file name is empty"),
        var typed => typed,
    };
}
