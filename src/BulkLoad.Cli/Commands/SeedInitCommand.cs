using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary><c>bulkload seed init</c>: a folder of seed files from a database.</summary>
internal sealed class SeedInitCommand : JobCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "init";

    private readonly Argument<string> _folder = new("DIR") { Description = "the folder to write: made where it is not there, else empty" };
    private readonly SeedInitArguments _init = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public SeedInitCommand(CommandContext context)
        : base(Word, "Write a folder of seed files from a database: a CSV file a table, schema.sql, and seed.yaml where names do not say "
            + "enough.")
    {
        _context = context;
        Arguments.Add(_folder);
        Group([_init, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override string Words => "DIR";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples { get; } =
    [
        ("bulkload seed init seed/ -D shop", "writes all tables of shop into the folder seed"),
        ("bulkload seed init seed/ -D shop --only customers,orders", "writes two tables, and the schema of these"),
    ];

    private async Task<int> RunAsync(ParseResult words)
    {
        var (only, force) = _init.Bind(words);
        var connection = _context.Connect(_connection, words);
        var job = new SeedInitJob(connection, words.GetValue(_folder)!, only, force);
        _context.Signals.Listen();
        var report = await job.RunAsync(_context.Signals.Token);
        _context.Output.Print(to =>
        {
            foreach (var file in report.Files)
            {
                to.WriteLine(
                    file.Table is null ? file.Name : $"{file.Name}: {Amounts.Count(file.Rows, "row")}, {Amounts.Bytes(file.Bytes)}");
            }

            foreach (var note in report.Notes)
            {
                to.WriteLine(note);
            }
        });
        return (int)ExitCode.Done;
    }
}
