using System.CommandLine;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Options;

/// <summary>What <c>seed</c> does with a folder.</summary>
internal sealed class SeedArguments : ArgumentGroup
{
    /// <summary>Inserted, updated and deleted ones that a preview shows of each table.</summary>
    private const int PreviewRows = 20;

    private readonly Option<SeedMode?> _mode;
    private readonly Option<string?> _schema;
    private readonly Option<string?> _only;
    private readonly Option<int?> _threads;
    private readonly Option<bool> _atomic;
    private readonly Option<bool> _force;
    private readonly Option<bool> _preview;
    private readonly Option<bool> _forReset;
    private readonly Option<string?> _seedSchema;
    private readonly Option<string?> _except;
    private readonly Option<string?> _allowDatabase;

    public SeedArguments()
        : base("Seed")
    {
        _mode = Value(
            "--mode", "NAME",
            "insert (default): each file once; sync: make each table equal to its file by primary key; truncate: delete all rows first",
            text => OptionParsers.Choice(text, [.. SeedWords.All]));
        _schema = Text("--schema", "FILE", "SQL that makes the tables; run only where the database has none");
        _only = Text("--only", "TABLES", "only these tables of the folder, such as artists,albums");
        _threads = Value(
            "--threads", "N", "tables that are filled at the same time (default: 4)", text => OptionParsers.Whole(text, 1, 64));
        _atomic = Flag("--atomic", "all tables in one transaction, or none");
        _force = Flag("--force", "with --mode sync: compare files and tables even where both are as the last seed left them");
        _preview = Flag(
            "--preview", $"with --mode sync: show what would change, the first {PreviewRows} rows of each table, and change nothing");
        _forReset = Flag("--for-reset", "keep copies of the tables, for 'bulkload seed reset'");
        _seedSchema = Text(
            "--seed-schema", "NAME", "with --for-reset: the schema for the copies (default: the database's name and _bulkload)");
        _except = Text("--except", "TABLES", "with --for-reset: tables that get no copy");
        _allowDatabase = Text("--allow-database", "NAME",
            "the database whose rows may be deleted, even if no word of its name is test, ci, dev, local or seed");
    }

    public SeedRequest Apply(SeedRequest request, ParseResult words) => request with
    {
        Mode = words.GetValue(_mode) ?? SeedMode.Insert,
        Schema = words.GetValue(_schema),
        Only = Names(words.GetValue(_only)),
        Threads = words.GetValue(_threads),
        Atomic = words.GetValue(_atomic),
        Force = words.GetValue(_force),
        PreviewRows = words.GetValue(_preview) ? PreviewRows : null,
        KeepsCopies = words.GetValue(_forReset),
        Copies = new SeedCopyOptions { Schema = words.GetValue(_seedSchema), Except = Names(words.GetValue(_except)) },
        AllowedDatabase = words.GetValue(_allowDatabase),
    };

    private static string[] Names(string? list) =>
        list?.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries) ?? [];
}
