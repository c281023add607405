using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Jobs;

namespace BulkLoad.Cli.Commands;

/// <summary>A bench: the options that all benches share, and the way from words to figures.</summary>
internal sealed class MeasuringCommand : JobCommand
{
    private readonly ConnectionArguments _connection = new();
    private readonly BenchArguments _measuring;
    private readonly BenchOutputArguments _output;
    private readonly CommandContext _context;
    private readonly Argument? _argument;
    private readonly Func<ConnectionOptions, ParseResult, BenchRequest> _bind;

    /// <param name="own">options of this bench</param>
    /// <param name="bind">makes the request, without the options that all benches share</param>
    /// <param name="measuring">null: with the default amounts</param>
    /// <param name="output">null: with the default files</param>
    public MeasuringCommand(CommandEntry entry, CommandContext context, IReadOnlyList<OptionGroup> own, string words,
        Func<ConnectionOptions, ParseResult, BenchRequest> bind, (string Line, string Does)[] examples,
        BenchArguments? measuring = null, BenchOutputArguments? output = null, Argument? argument = null)
        : base(entry, words, examples)
    {
        (_context, _bind, _argument) = (context, bind, argument);
        (_measuring, _output) = (measuring ?? new BenchArguments(), output ?? new BenchOutputArguments());
        if (argument is not null)
        {
            Arguments.Add(argument);
        }

        Group([.. own, _measuring, _connection, _output]);
        SetAction((parsed, _) => RunAsync(parsed));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        var resolved = _context.Resolve(_connection, words);
        RequireOutputs(words, _context, _argument is Argument<string[]> { Name: "FILE" } files ? words.GetValue(files) ?? [] : []);
        SystemTrust.PassOverUnlessNeeded(_context.Host, resolved.Options);
        var request = _measuring.Apply(_bind(resolved.Options, words), words);
        request.Validate();
        using var frame = new CommandFrame(_context, output, new CiSettings(AnnotateMode.None),
            ("--json", output.Json), ("--csv", output.Csv), ("--html", output.Html), ("--profile", output.Profile));
        if (resolved.AsksPassword)
        {
            request = _measuring.Apply(_bind(_context.WithPassword(resolved.Options, asks: true), words), words);
        }

        var report = await frame.RunAsync<BenchProgress, BenchReport>(
            Name, [], (progress, stop) => new BenchJob(request, progress, _context.Host.Time).RunAsync(stop));
        if (output.Profile is { } path && report is not { Outcome: BenchOutcome.Complete, Profile: not null })
        {
            _context.Messages.Warning($"--profile: '{path}' is not written, since not everything was measured");
        }

        return (int)frame.Tell(EndingOf(report, frame));
    }

    private Ending EndingOf(BenchReport report, CommandFrame frame)
    {
        var code = ExitCodes.Of(report, _context.Signals.StoppedBy);
        List<(string, Action<Stream>)> files =
        [
            ("--json", to => BenchJson.Write(to, report, code)),
            ("--csv", to => BenchCsv.Write(to, report)),
            ("--html", to => BenchHtml.Write(to, report)),
        ];
        if (report is { Outcome: BenchOutcome.Complete, Profile: { } found })
        {
            files.Add(("--profile", to => ProfileJson.Write(to, found)));
        }

        return new Ending(code)
        {
            Files = files,
            Failures = report.Failure is { } failure ? [failure] : [],
            Otherwise = report.Sections.Count + report.Notes.Count > 0 && frame.Prints(code)
                ? to => BenchText.Write(to, report) : null,
        };
    }
}
