using System.CommandLine;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>When the progress line is shown; by default if standard error is a terminal.</summary>
internal enum ProgressMode
{
    Auto,
    Always,
    Never,
}

internal enum LogFormat
{
    Text,
    Json,
}

internal record OutputSettings
{
    public bool Plan { get; init; }

    public bool PlanJson { get; init; }

    public bool IsPlanOnly => Plan || PlanJson;

    public string? Report { get; init; }

    public string? WriteSpec { get; init; }

    public bool Overwrite { get; init; }

    public ProgressMode Progress { get; init; }

    public bool IsQuiet { get; init; }

    public bool IsVerbose { get; init; }

    public string? LogFile { get; init; }

    public LogFormat LogFormat { get; init; }
}

internal sealed class OutputArguments : OptionGroup<OutputSettings>
{
    public static readonly (string, ProgressMode)[] ProgressModes =
        [("auto", ProgressMode.Auto), ("always", ProgressMode.Always), ("never", ProgressMode.Never)];

    private static readonly (string, LogFormat)[] LogFormats = [("text", LogFormat.Text), ("json", LogFormat.Json)];

    /// <summary>Whether existing files may be replaced, also those of rejects.</summary>
    public const string Overwrite = "--overwrite";

    public OutputArguments() : base("Output", NextCommand.None)
    {
        Flag("--plan", "print what would be done and why, and stop; nothing is written", Way, typed => typed with { Plan = true })
            .InShortHelp(270);
        Flag("--plan-json", "as --plan, for machines", Way, typed => typed with { PlanJson = true });
        Output("--report", "also write the report as JSON; see docs/cli-json.md",
            Way, (typed, file) => typed with { Report = file });
        Output("--write-spec",
            "write the input's format and header, as detected or given, to FILE; --spec requires the same of later files",
            Way, (typed, file) => typed with { WriteSpec = file });
        Flag(Overwrite,
            "replace files that are there: report, spec, rejects, repairs, log; --junit, --metrics and --events replace what they wrote "
                + "themselves without it",
            Way, typed => typed with { Overwrite = true });
        Value("--progress", "WHEN", "auto (default: where standard error is a terminal), always, never",
            Way, text => TypedValue.Choice(text, ProgressModes), (typed, mode) => typed with { Progress = mode });
        Flag("--quiet", "print nothing on success", Way, typed => typed with { IsQuiet = true }).AlsoCalled("-q --silent -s");
        Flag("--verbose", "log every step to standard error", Way, typed => typed with { IsVerbose = true }).AlsoCalled("-v --debug");
        Output("--log-file", "log to FILE, appending", Way, (typed, file) => typed with { LogFile = file });
        Value("--log-format", "NAME", "text (default) or json, one object a line",
            Way, text => TypedValue.Choice(text, LogFormats), (typed, format) => typed with { LogFormat = format });
    }

    /// <exception cref="RequestException">two options contradict each other</exception>
    public OutputSettings Bind(ParseResult words) => Apply(new OutputSettings(), words) switch
    {
        { Plan: true, PlanJson: true } => throw new RequestException("--plan and --plan-json are two forms of the same: leave one out"),
        { IsPlanOnly: true, Report: not null } =>
            throw new RequestException("--report needs a run, and a plan does not run: leave one out"),
        { IsPlanOnly: true, WriteSpec: not null } =>
            throw new RequestException("--write-spec needs a run, and a plan writes nothing: leave one out"),
        { WriteSpec: "" } => throw new RequestException("--write-spec: the file name is empty"),
        { Report: "" } => throw new RequestException("--report: the file name is empty"),
        { LogFile: "" } => throw new RequestException("--log-file: the file name is empty"),
        { IsQuiet: true, IsVerbose: true } => throw new RequestException("--quiet and --verbose contradict each other"),
        var typed => typed,
    };
}
