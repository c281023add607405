using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary>
/// <c>bulkload seed reset</c>: puts back the tables that tests have touched; with <c>--serve</c> as often as a line comes on standard
/// input.
/// </summary>
internal sealed class SeedResetCommand : JobCommand
{
    /// <summary>What calls it.</summary>
    public const string Word = "reset";

    private readonly Argument<string?> _folder = new("DIR")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "the folder that the database was seeded from; its seed.yaml may name the database",
    };

    private readonly ResetArguments _reset = new();
    private readonly ConnectionArguments _connection = new();
    private readonly CommandContext _context;

    public SeedResetCommand(CommandContext context)
        : base(Word, "Put back the tables of a test database that were touched since they were seeded.")
    {
        _context = context;
        Arguments.Add(_folder);
        Group([_reset, _connection]);
        SetAction((words, _) => RunAsync(words));
    }

    /// <inheritdoc/>
    public override string Words => "[DIR]";

    /// <inheritdoc/>
    public override IReadOnlyList<(string Line, string Does)> Examples =>
    [
        ("bulkload seed reset -D app_test", "between two tests: all tables are as they were seeded"),
        ("bulkload seed reset -D app_test --serve",
            "for a test suite: a reset for each line of standard input, answered by a line of JSON"),
    ];

    private async Task<int> RunAsync(ParseResult words)
    {
        var connection = _context.Connect(_connection, words);
        await using var job = new SeedResetJob(connection, _reset.Bind(words)
            with
        { Database = words.GetValue(_folder) is { } folder ? SeedRequest.DatabaseOf(folder) : null }, _context.Surroundings.Time);
        _context.Signals.Listen();
        if (_reset.Serves(words))
        {
            await job.OpenAsync(_context.Signals.Token);
            await new ResetServer(job, _context).RunAsync();
            return (int)ExitCode.Done;
        }

        var report = await job.RunAsync(_context.Signals.Token);
        _context.Output.Print(to => ResetWords.Write(to, report));
        return (int)ExitCode.Done;
    }

    /// <summary>Its own options.</summary>
    internal sealed class ResetArguments : ArgumentGroup
    {
        private readonly Option<string?> _schema;
        private readonly Option<string[]?> _except;
        private readonly Option<bool> _dropNew;
        private readonly Option<string?> _allowDatabase;
        private readonly Option<bool> _serve;

        public ResetArguments()
            : base("Resetting")
        {
            _schema = Text("--seed-schema", "NAME", "the schema that has the copies (default: the database's name and _bulkload)");
            _except = Object("--except", "LIST", "tables that are left as they are", text =>
                text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
            _dropNew = Flag("--drop-new", "drop tables that were made since the seed; else they are an error");
            _allowDatabase = Text("--allow-database", "NAME",
                "the database whose tables may be put back, even if no word of its name is test, ci, dev, local or seed");
            _serve = Flag("--serve",
                "stay connected, and reset for each line of standard input; each is answered by one line of JSON; the input's end ends it");
        }

        public bool Serves(ParseResult words) => words.GetValue(_serve);

        public SeedResetOptions Bind(ParseResult words) => new()
        {
            Schema = words.GetValue(_schema),
            Except = TypedList(words, _except) ?? [],
            DropNew = words.GetValue(_dropNew),
            AllowedDatabase = words.GetValue(_allowDatabase),
        };
    }
}
