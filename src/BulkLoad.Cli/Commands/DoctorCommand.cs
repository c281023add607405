using System.CommandLine;
using BulkLoad.Cli.Completion;
using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload doctor</c>: connects, and says what server, account and route allow.</summary>
internal sealed class DoctorCommand : JobCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "doctor";

    private readonly DoctorArguments _what = new();
    private readonly LedgerArguments _ledger = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public DoctorCommand(CommandContext context)
        : base(Word, "Connect, and show what server, account and route allow, and how to get more.")
    {
        _context = context;
        Group([_what, _ledger, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override string Words => "";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload doctor -D shop", "where the connection comes from, rights, limits, strategies"),
        ("bulkload doctor -D shop --table people", "with the rights on a table, and the planner's verdicts for it"),
        ("bulkload doctor -D shop --wait 60s", "once the server has started"),
        ("bulkload doctor -D shop --json", "for machines"),
    ];

    private async Task<int> RunAsync(ParseResult words)
    {
        var (table, isJson) = _what.Bind(words);
        var resolved = new ConnectionResolver(_context.Surroundings, _context.Messages.Warning).Resolve(
            _connection.Bind(words), _connection.BindOptionFiles(words));
        SystemTrust.PassOverUnlessNeeded(_context.Surroundings, resolved.Options);
        var settings = resolved.Origins.Of(resolved.Options);
        var request = new DoctorRequest
        {
            Connection = PasswordPrompt.Fill(resolved.Options, resolved.AsksPassword, _context.Surroundings),
            Table = table,
            LedgerSchema = _ledger.Bind(words),
        };
        _context.Signals.Listen();
        var report = await new DoctorJob(request, _context.Surroundings.Time).RunAsync(_context.Signals.Token);
        var code = CodeOf(report);
        KeepTables(report);
        if (isJson)
        {
            _context.Output.PrintJson(to => DoctorJson.Write(to, report, settings, code));
        }
        else
        {
            _context.Output.Print(to => DoctorText.Write(to, report, settings, _context.Surroundings.OutputWidth()));
        }

        if (report.Failure is { } failure)
        {
            _context.Messages.Error(failure.Message);
        }

        return (int)code;
    }

    private void KeepTables(DoctorReport report)
    {
        if (_context.Surroundings.KeepsTableNames && report is { Failure: null, Server: { } server, Database: { } database })
        {
            TableNameCache.Of(_context.Surroundings)?.Keep(TableNameCache.PlaceOf(server, database), report.Tables);
        }
    }

    /// <summary>Notes are no failure: an import works. A problem is what an import would be refused for.</summary>
    internal static ExitCode CodeOf(DoctorReport report) =>
        report.Failure is { } failure ? ExitCodes.Of(failure) : report.HasProblem ? ExitCode.PlanRefused : ExitCode.Done;
}
