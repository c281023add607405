using System.CommandLine;
using BulkLoad.Cli.Ci;

namespace BulkLoad.Cli.Options;

/// <summary>What CI systems read.</summary>
internal sealed class CiArguments : ArgumentGroup
{
    private static readonly (string, AnnotateMode)[] Modes =
        [("auto", AnnotateMode.Auto), ("github", AnnotateMode.GitHub), ("gitlab", AnnotateMode.GitLab), ("none", AnnotateMode.None)];

    private readonly Option<AnnotateMode?> _annotate;
    private readonly Option<string?> _events;
    private readonly Option<string?> _junit;
    private readonly Option<bool> _noValues;

    public CiArguments()
        : base("CI")
    {
        _annotate = Value(
            "--annotate", "WHERE",
            "mark bad records in the files: github, by workflow commands; gitlab, in gl-code-quality-report.json; auto (default): by "
                + "GITHUB_ACTIONS or GITLAB_CI; none",
            text => OptionParsers.Choice(text, Modes));
        _events = Text("--events", "FILE",
            "write what happens as JSON, an object a line; - is standard output, and the report then goes to standard error");
        _junit = Text("--junit", "FILE", "write the result as JUnit XML, a test case for each file");
        _noValues = Flag("--no-values", "leave the files' values out of annotations, events and JUnit");
    }

    /// <exception cref="RequestException">a file has no name</exception>
    public CiWords Bind(ParseResult words)
    {
        var typed = new CiWords(
            words.GetValue(_annotate) ?? AnnotateMode.Auto, words.GetValue(_events), words.GetValue(_junit), words.GetValue(_noValues));
        return typed switch
        {
            { Events: "" } => throw new RequestException("--events: the file name is empty"),
            { JUnit: "" } => throw new RequestException("--junit: the file name is empty"),
            _ => typed,
        };
    }
}
