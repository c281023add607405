using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Reports;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Commands;

/// <summary>Connects, and says what server, account and route allow.</summary>
internal sealed class DoctorCommand : JobCommand
{
    public static readonly CommandEntry Entry = new(
        "doctor", "Connect, and show what server, account and route allow, and how to get more.",
        (_, context) => new DoctorCommand(context));

    private readonly DoctorArguments _what = new();
    private readonly LedgerArguments _ledger = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public DoctorCommand(CommandContext context) : base(Entry, "",
    [
        ("bulkload doctor -D shop", "where the connection comes from, rights, limits, strategies"),
        ("bulkload doctor -D shop --table people", "with the rights on a table, and the planner's verdicts for it"),
        ("bulkload doctor -D shop --wait 60s", "once the server has started"),
        ("bulkload doctor -D shop --json", "for machines"),
    ])
    {
        _context = context;
        Group([_what, _ledger, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    private async Task<int> RunAsync(ParseResult words)
    {
        var (table, isJson) = _what.Apply(default, words);
        var resolved = _context.Resolve(_connection, words);
        SystemTrust.PassOverUnlessNeeded(_context.Host, resolved.Options);
        var settings = resolved.Origins.Of(resolved.Options);
        var request = new DoctorRequest
        {
            Connection = _context.WithPassword(resolved.Options, resolved.AsksPassword),
            Table = table,
            LedgerSchema = _ledger.Apply(null, words),
        };
        _context.Signals.Listen();
        var report = await new DoctorJob(request, _context.Host.Time).RunAsync(_context.Signals.Token);
        var code = CodeOf(report);
        KeepTables(report);
        if (isJson)
        {
            _context.Output.PrintJson(to => DoctorJson.Write(to, report, settings, code));
        }
        else
        {
            _context.Output.Print(to => DoctorText.Write(to, report, settings, _context.Host.OutputWidth()));
        }

        if (report.Failure is { } failure)
        {
            _context.Messages.Error(ErrorText.Of(failure, _context.Typed));
        }

        return (int)code;
    }

    private void KeepTables(DoctorReport report)
    {
        if (_context.Host.KeepsTableNames && report is { Failure: null, Server: { } server, Database: { } database })
        {
            TableNameCache.Of(_context.Host)?.Keep(TableNameCache.PlaceOf(server, database), report.Tables);
        }
    }

    /// <summary>Notes are no failure: an import works. A problem is what an import would be refused for.</summary>
    internal static ExitCode CodeOf(DoctorReport report) =>
        report.Failure is { } failure ? ExitCodes.Of(failure) : report.HasProblem ? ExitCode.PlanRefused : ExitCode.Done;
}

internal sealed class DoctorArguments : OptionGroup<(string? Table, bool IsJson)>
{
    public DoctorArguments() : base("What to look at")
    {
        Text("--table", "NAME",
            "also look at this table or database.table, and plan an import, an update and a delete of all of its columns",
            None, (what, name) => what with { Table = name })
            .Offers(Offer.Tables).InShortHelp(10).AlsoCalled("--into --table-name -t");
        Flag("--json", "print JSON, for machines; see docs/cli-json.md", None, what => what with { IsJson = true }).InShortHelp(340);
    }
}
