using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>When the progress line is shown.</summary>
internal enum ProgressMode
{
    /// <summary>Where standard error is a terminal.</summary>
    Auto,
    Always,
    Never,
}

/// <summary>How log lines are written.</summary>
internal enum LogFormat
{
    Text,
    Json,
}

/// <summary>What is told of the work, and where.</summary>
internal sealed class OutputArguments : ArgumentGroup
{
    private static readonly (string, ProgressMode)[] ProgressModes =
        [("auto", ProgressMode.Auto), ("always", ProgressMode.Always), ("never", ProgressMode.Never)];

    private static readonly (string, LogFormat)[] LogFormats = [("text", LogFormat.Text), ("json", LogFormat.Json)];

    private readonly Option<bool> _plan;
    private readonly Option<bool> _planJson;
    private readonly Option<string?> _report;
    private readonly Option<string?> _writeSpec;
    private readonly Option<bool> _overwrite;
    private readonly Option<ProgressMode?> _progress;
    private readonly Option<bool> _quiet;
    private readonly Option<bool> _verbose;
    private readonly Option<string?> _logFile;
    private readonly Option<LogFormat?> _logFormat;

    public OutputArguments() : base("Output")
    {
        _plan = Flag("--plan", "print what would be done and why, and stop; nothing is written");
        _planJson = Flag("--plan-json", "as --plan, for machines");
        _report = Text("--report", "FILE", "also write the report as JSON; see docs/cli-json.md");
        _writeSpec = Text("--write-spec", "FILE",
            "write the input's format and header, as detected or given, to FILE; --spec requires the same of later files");
        _overwrite = Flag("--overwrite", "overwrite an existing report, spec, reject, repairs or log file");
        _progress = Value(
            "--progress",
            "WHEN",
            "auto (default: where standard error is a terminal), always, never",
            text => OptionParsers.Choice(text, ProgressModes));
        _quiet = Flag("--quiet", "print nothing on success");
        _verbose = Flag("--verbose", "log every step to standard error");
        _logFile = Text("--log-file", "FILE", "log to FILE, appending");
        _logFormat = Value(
            "--log-format", "NAME", "text (default) or json, one object a line", text => OptionParsers.Choice(text, LogFormats));
    }

    /// <exception cref="RequestException">two options contradict each other</exception>
    public OutputWords Bind(ParseResult words)
    {
        var typed = new OutputWords
        {
            Plan = words.GetValue(_plan),
            PlanJson = words.GetValue(_planJson),
            Report = words.GetValue(_report),
            WriteSpec = words.GetValue(_writeSpec),
            Overwrite = words.GetValue(_overwrite),
            Progress = words.GetValue(_progress) ?? ProgressMode.Auto,
            IsQuiet = words.GetValue(_quiet),
            IsVerbose = words.GetValue(_verbose),
            LogFile = words.GetValue(_logFile),
            LogFormat = words.GetValue(_logFormat) ?? LogFormat.Text,
        };
        return typed switch
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
            _ => typed,
        };
    }
}

/// <summary>The outputs as typed.</summary>
internal sealed record OutputWords
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
