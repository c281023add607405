using BulkLoad.Seeding;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

internal sealed class SeedArguments : OptionGroup<SeedRequest>
{
    /// <summary>Limit of the inserted, updated and deleted rows that a preview shows for each table.</summary>
    private const int PreviewRows = 20;

    public SeedArguments() : base("Seed")
    {
        Value("--mode", "NAME",
            "insert (default): each file once; sync: make each table equal to its file by primary key; truncate: delete all rows first",
            None, text => TypedValue.Choice(text, [.. SeedModes.All]), (request, mode) => request with { Mode = mode })
            .InShortHelp(50, "insert (default): each file once; sync: make tables equal to their files; truncate: delete all rows first")
            .AlsoCalled("--upsert --update-duplicates --merge --on-conflict --on-duplicate --reload --append",
                "--mode sync makes each table equal to its file")
            .AlsoCalled("--delete --truncate", "that is --mode truncate: all rows are deleted first");
        Input("--schema", "SQL that makes the tables; run only where the database has none",
            None, (request, file) => request with { Schema = file })
            .InShortHelp(60).AlsoCalled("--create-table --create", "--schema FILE has the SQL that makes the tables");
        Text("--only", "TABLES", "only these tables of the folder, such as artists,albums",
            None, (request, list) => request with { Only = Names(list) })
            .InShortHelp(70).AlsoCalled("--into --table-name -t --table", "--only TABLES takes only these tables");
        Value("--threads", "N", "tables that are filled at the same time (default: 4)",
            None, text => TypedValue.Whole(text, 1, 64), (request, threads) => request with { Threads = threads })
            .AlsoCalled("--parallel --jobs --workers --use-threads");
        Flag("--atomic", "all tables in one transaction, or none", None, request => request with { Atomic = true }).InShortHelp(240);
        Flag("--force", "with --mode sync: compare files and tables even where both are as the last seed left them",
            None, request => request with { Force = true });
        Flag("--preview", $"with --mode sync: show what would change, the first {PreviewRows} rows of each table, and change nothing",
            None, request => request with { PreviewRows = PreviewRows })
            .InShortHelp(80);
        Flag("--for-reset", "keep copies of the tables, for 'bulkload seed reset'", None, request => request with { KeepsCopies = true })
            .InShortHelp(90);
        Text("--seed-schema", "NAME", "with --for-reset: the schema for the copies (default: the database's name and _bulkload)",
            None, (request, name) => request with { Copies = request.Copies with { Schema = name } });
        Text("--except", "TABLES", "with --for-reset: tables that get no copy",
            None, (request, list) => request with { Copies = request.Copies with { Except = Names(list) } });
        Text("--allow-database", "NAME",
            "the database whose rows may be deleted, even if no word of its name is test, ci, dev, local or seed",
            None, (request, name) => request with { AllowedDatabase = name });
    }

    /// <summary>Separated by commas.</summary>
    internal static string[] Names(string list) =>
        list.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}

internal sealed class SeedInitArguments : OptionGroup<(IReadOnlyList<string> Only, bool Force)>
{
    public SeedInitArguments() : base("Folder")
    {
        Value("--only", "TABLE,...", "write these tables and views only (default: all but the ledger)",
            None, OptionParsers.Names, (choice, names) => choice with { Only = names })
            .InShortHelp(70).AlsoCalled("--into --table-name -t --table", "--only TABLES takes only these tables");
        Flag("--force", "write into a folder that is not empty: files of the same names are replaced, others stay",
            None, choice => choice with { Force = true });
    }
}

internal sealed class ResetArguments : OptionGroup<SeedResetOptions>
{
    /// <summary>Whether each line of input runs a reset.</summary>
    public const string Serve = "--serve";

    public ResetArguments() : base("Resetting")
    {
        Text("--seed-schema", "NAME", "the schema that has the copies (default: the database's name and _bulkload)",
            None, (options, name) => options with { Schema = name });
        Value("--except", "LIST", "tables that are left as they are",
            None, SeedArguments.Names, (options, names) => options with { Except = names });
        Flag("--drop-new", "drop tables that were made since the seed; else they are an error",
            None, options => options with { DropNew = true });
        Text("--allow-database", "NAME",
            "the database whose tables may be put back, even if no word of its name is test, ci, dev, local or seed",
            None, (options, name) => options with { AllowedDatabase = name });
        Flag(Serve,
            "stay connected, and reset for each line of standard input; each is answered by one line of JSON; the input's end ends it",
            None)
            .InShortHelp(100);
    }
}
