using BulkLoad.Cli.App;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli;

/// <summary>One call of the program in surroundings of the test's making; the job is a stand-in that keeps the request.</summary>
internal sealed class CliRun
{
    private readonly StringBuilder _output = new();
    private readonly StringBuilder _error = new();

    public Dictionary<string, string> Variables { get; } = new(StringComparer.Ordinal);

    public FakeFiles Files { get; } = new();

    /// <summary>What is typed when the password is asked for; null: there is no terminal.</summary>
    public string? TypedPassword { get; init; }

    public bool ErrorIsTerminal { get; init; }

    /// <summary>Whether somebody types on a terminal, for whom names of tables are kept.</summary>
    public bool KeepsTableNames { get; init; }

    /// <summary>Columns of the terminal.</summary>
    public int TerminalWidth { get; init; } = 80;

    /// <summary>Columns that a help may take.</summary>
    public int HelpWidth { get; init; } = 100;

    /// <summary>Answers a question on the terminal; null: there is none.</summary>
    public Func<string, bool>? Confirm { get; init; }

    /// <summary>Standard output, where a test needs one that fails.</summary>
    public TextWriter? OutputWriter { get; init; }

    public Func<LoadRequest, CancellationToken, LoadPlan> Plan { get; init; } = (_, _) => Samples.Plan;

    public Func<LoadRequest, IProgress<LoadProgress>?, LoadReport> Run { get; init; } = (_, _) => Samples.Report;

    /// <summary>Whether TLS was told that nobody needs the CAs that the system trusts.</summary>
    public bool PassesOverSystemTrust { get; private set; }

    /// <summary>What the job was asked; null where none was made.</summary>
    public LoadRequest? Request { get; private set; }

    public string Output => _output.ToString().ReplaceLineEndings("\n");

    public string Error => _error.ToString().ReplaceLineEndings("\n");

    /// <summary>A call on a terminal on which every question gets the same answer.</summary>
    public static CliRun Answering(bool answer, List<string> questions) => new()
    {
        TerminalWidth = 200,
        Confirm = question =>
        {
            questions.Add(question);
            return answer;
        },
    };

    public async Task<ExitCode> CallAsync(params string[] args)
    {
        var host = new HostEnvironment
        {
            Output = OutputWriter ?? new StringWriter(_output),
            Error = new StringWriter(_error),
            ErrorIsTerminal = ErrorIsTerminal,
            KeepsTableNames = KeepsTableNames,
            TerminalWidth = () => TerminalWidth,
            HelpWidth = () => HelpWidth,
            AskPassword = TypedPassword is { } typed ? () => typed : null,
            Confirm = Confirm,
            Variable = Variables.GetValueOrDefault,
            LoginName = "me",
            Home = "/home/me",
            Files = Files,
            PassOverSystemTrust = () => PassesOverSystemTrust = true,
        };
        return (ExitCode)await BulkLoadApp.RunAsync(args, host, (request, _, progress) =>
        {
            Request = request;
            return new JobSteps(token => Task.FromResult(Plan(request, token)), _ => Task.FromResult(Run(request, progress)));
        });
    }

    /// <summary>The request that a correct command line makes.</summary>
    public static async Task<LoadRequest> RequestOfAsync(params string[] args)
    {
        var run = new CliRun();
        var exit = await run.CallAsync(args);
        Assert.True(exit == ExitCode.Done, run.Error);
        return run.Request!;
    }
}
