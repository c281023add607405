using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Commands;

/// <summary>A bench: options that all of them share, and the way from words to figures.</summary>
internal abstract class MeasuringCommand : JobCommand
{
    private readonly ConnectionArguments _connection = new();
    private readonly BenchArguments _measuring;
    private readonly BenchOutputArguments _output;

    protected MeasuringCommand(string name, string description, CommandContext context, params ReadOnlySpan<ArgumentGroup> own)
        : this(name, description, context, new BenchArguments(), own)
    {
    }

    protected MeasuringCommand(
        string name, string description, CommandContext context, BenchArguments measuring, params ReadOnlySpan<ArgumentGroup> own)
        : this(name, description, context, measuring, new BenchOutputArguments(), own)
    {
    }

    /// <param name="output">with files of its own</param>
    protected MeasuringCommand(
        string name, string description, CommandContext context, BenchArguments measuring, BenchOutputArguments output,
        params ReadOnlySpan<ArgumentGroup> own)
        : base(name, description)
    {
        (Context, _measuring, _output) = (context, measuring, output);
        Group([.. own, _measuring, _connection, _output]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override string Words => "";

    /// <summary>What it works with.</summary>
    protected CommandContext Context { get; }

    /// <summary>What is to be measured, but for what all benches share.</summary>
    /// <exception cref="RequestException">it cannot be meant</exception>
    protected abstract BenchRequest Bind(ConnectionOptions connection, ParseResult words);

    private async Task<int> RunAsync(ParseResult words)
    {
        var output = _output.Bind(words);
        var resolved = Context.Keep(new ConnectionResolver(Context.Surroundings, Context.Messages.Warning)
            .Resolve(_connection.Bind(words), _connection.BindOptionFiles(words)));
        SystemTrust.PassOverUnlessNeeded(Context.Surroundings, resolved.Options);
        var request = _measuring.Apply(Bind(resolved.Options, words), words);
        request.Validate();
        using var json = JsonFile.Open("--json", output.Json, output.Overwrite);
        using var csv = JsonFile.Open("--csv", output.Csv, output.Overwrite);
        using var html = JsonFile.Open("--html", output.Html, output.Overwrite);
        using var profile = JsonFile.Open("--profile", output.Profile, output.Overwrite);
        if (resolved.AsksPassword)
        {
            var connection = resolved.Options with { Password = PasswordPrompt.Require(Context.Surroundings) };
            request = _measuring.Apply(Bind(connection, words), words);
        }

        Context.Signals.Listen();
        BenchReport report;
        using (var progress = ProgressLine.For(output.Progress, output.IsQuiet, Context.Surroundings, Context.Messages))
        {
            report = await new BenchJob(request, progress, Context.Surroundings.Time).RunAsync(Context.Signals.Token);
        }

        return (int)Tell(report, output, json, csv, html, profile);
    }

    private ExitCode Tell(BenchReport report, BenchOutputWords output, JsonFile? json, JsonFile? csv, JsonFile? html, JsonFile? profile)
    {
        var code = ExitCodes.Of(report, Context.Signals.StoppedBy);
        json?.Write(to => BenchJson.Write(to, report, code));
        csv?.Write(to => BenchCsv.Write(to, report));
        html?.Write(to => BenchHtml.Write(to, report));
        if (report is { Outcome: BenchOutcome.Complete, Profile: { } found })
        {
            profile?.Write(to => ProfileJson.Write(to, found));
        }
        else if (profile is not null)
        {
            Context.Messages.Warning($"--profile: '{output.Profile}' is not written, since not everything was measured");
        }

        if (report.Sections.Count + report.Notes.Count > 0 && !(output.IsQuiet && code == ExitCode.Done))
        {
            Context.Output.Print(to => BenchText.Write(to, report));
        }

        if (report.Failure is { } failure)
        {
            Context.Report(failure);
        }

        return code;
    }
}

/// <summary>A bench with one group of options of its own.</summary>
/// <typeparam name="TOwn">those options</typeparam>
internal abstract class MeasuringCommand<TOwn> : MeasuringCommand where TOwn : ArgumentGroup, new()
{
    /// <inheritdoc cref="MeasuringCommand(string, string, CommandContext, ReadOnlySpan{ArgumentGroup})"/>
    protected MeasuringCommand(string name, string description, CommandContext context)
        : this(name, description, context, new BenchArguments())
    {
    }

    /// <inheritdoc cref="MeasuringCommand(string, string, CommandContext, BenchArguments, ReadOnlySpan{ArgumentGroup})"/>
    protected MeasuringCommand(string name, string description, CommandContext context, BenchArguments measuring)
        : this(name, description, context, measuring, new TOwn())
    {
    }

    private MeasuringCommand(string name, string description, CommandContext context, BenchArguments measuring, TOwn own)
        : base(name, description, context, measuring, own) => Own = own;

    /// <summary>The bench's own options.</summary>
    protected TOwn Own { get; }
}
