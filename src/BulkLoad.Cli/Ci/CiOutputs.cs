using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Ci;

internal sealed class CiOutputs : IDisposable
{
    private const string StepSummaryVariable = "GITHUB_STEP_SUMMARY";

    private readonly HostEnvironment _host;
    private readonly JsonFile? _junit;
    private readonly MetricsFile? _metrics;
    private readonly AnnotateMode _annotate;
    private readonly Annotations _annotations;

    private CiOutputs(CiSettings words, HostEnvironment host, StandardOutput output, JsonFile? junit, MetricsFile? metrics,
        EventStream? events)
    {
        (_host, _junit, _metrics, Events) = (host, junit, metrics, events);
        Report = words.Events == EventStream.StandardOutput ? StandardOutput.OfError(host) : output;
        _annotate = ModeOf(words, host);
        _annotations = new Annotations(
            host.Variable(_annotate == AnnotateMode.GitLab ? "CI_PROJECT_DIR" : "GITHUB_WORKSPACE"), words.HidesValues);
    }

    /// <summary>Not standard output if events go there.</summary>
    public StandardOutput Report { get; }

    /// <summary>Number of rejects that are written as marks in the files before the report, on the same stream.</summary>
    public int Marked => _annotate == AnnotateMode.GitHub ? Annotations.MaxForGitHub : 0;

    /// <summary>Null: nobody asked for them.</summary>
    public EventStream? Events { get; }

    private static AnnotateMode ModeOf(CiSettings words, HostEnvironment host) => words.Annotate != AnnotateMode.Auto ? words.Annotate
        : host.Variable("GITHUB_ACTIONS") == "true" ? AnnotateMode.GitHub
        : host.Variable("GITLAB_CI") == "true" ? AnnotateMode.GitLab
        : AnnotateMode.None;

    /// <summary>Files that are written though no option names them, with what asks for them.</summary>
    public static IEnumerable<(string Option, string Path)> FilesOf(CiSettings words, HostEnvironment host) => ModeOf(words, host) switch
    {
        AnnotateMode.GitHub when host.Variable(StepSummaryVariable) is { Length: > 0 } summary => [(StepSummaryVariable, summary)],
        AnnotateMode.GitLab => [("--annotate gitlab", Annotations.GitLabFile)],
        _ => [],
    };

    /// <param name="overwrite">whether existing files are replaced</param>
    /// <exception cref="RequestException">a file cannot be opened, or exists already</exception>
    public static CiOutputs Open(CiSettings words, bool overwrite, HostEnvironment host, StandardOutput output)
    {
        // Every test runner replaces its report. A file that another program has written is not touched.
        var junit = JsonFile.Open("--junit", words.JUnit, overwrite || JsonFile.Begins(words.JUnit, JUnitXml.IsOwn));
        MetricsFile? metrics = null;
        try
        {
            metrics = MetricsFile.Open(words.Metrics, overwrite, host.Time);
            return new CiOutputs(words, host, output, junit, metrics, EventStream.Open(words.Events, overwrite, host));
        }
        catch
        {
            junit?.Dispose();
            metrics?.Dispose();
            throw;
        }
    }

    /// <summary>Progress for people and for machines.</summary>
    public IProgress<T>? WithEvents<T>(IProgress<T>? shown) =>
        Events is IProgress<T> events ? new CompositeProgress<T>(events, shown) : shown;

    /// <summary>Writes everything that the options or the environment ask for.</summary>
    /// <exception cref="OutputException">something could not be written</exception>
    public void End(CiResult result)
    {
        Events?.End(result, _annotations);
        _junit?.Write(to => JUnitXml.Write(to, result, _annotations));
        _metrics?.Write(result);
        switch (_annotate)
        {
            case AnnotateMode.GitHub:
                Report.PrintWhole(to =>
                {
                    foreach (var line in _annotations.GitHub(result))
                    {
                        to.WriteLine(line);
                    }
                });
                if (_host.Variable(StepSummaryVariable) is { Length: > 0 } summary)
                {
                    WriteFile(summary, FileMode.Append, to =>
                    {
                        using var text = new StreamWriter(to, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true);
                        StepSummary.Write(text, result, _annotations);
                    });
                }

                break;
            case AnnotateMode.GitLab:
                WriteFile(Annotations.GitLabFile, FileMode.Create, to => _annotations.GitLab(to, result));
                break;
        }

        if (Events?.Fault is { } fault)
        {
            throw new OutputException(fault);
        }
    }

    public void Dispose()
    {
        Events?.Dispose();
        _junit?.Dispose();
        _metrics?.Dispose();
    }

    private static void WriteFile(string path, FileMode mode, Action<Stream> write)
    {
        try
        {
            using var file = new FileStream(path, mode, FileAccess.Write, FileShare.ReadWrite);
            write(file);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new OutputException($"{path} cannot be written: {FileFault.Describe(fault, path)}");
        }
    }

    private sealed class CompositeProgress<T>(IProgress<T> first, IProgress<T>? second) : IProgress<T>
    {
        public void Report(T value)
        {
            first.Report(value);
            second?.Report(value);
        }
    }
}
