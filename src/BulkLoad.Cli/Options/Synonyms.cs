using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>Words of other tools with ours for each, beside those of the options' declarations.</summary>
internal static class Synonyms
{
    private const string Url = "write the URL as a word, as in 'bulkload import people.csv mysql://user@host/db', or set BULKLOAD_URL";

    /// <summary>Beginnings of answers about another command.</summary>
    private static readonly string[] OfOthers = ["for import ", "that is 'bulkload "];

    /// <summary>Options for which ours has none, or several, with what to write instead: the first answer whose options the command has
    /// counts.</summary>
    private static readonly (string Names, string[] Answers)[] All =
    [
        ("--dry-run --simulate --no-op --what-if -n",
            [
                "--preview shows which rows would change, --plan how it would be done; 'bulkload check' validates every record",
                "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
            ]),
        ("--if-exists",
            [
                "--on-duplicate says what becomes of rows that are there, --truncate deletes them first, --create makes the table",
                "--mode sync makes each table equal to its file, --mode truncate deletes all rows first",
            ]),
        ("--url --uri --dsn", [Url]),
        ("--json", ["--report FILE has the result as JSON, --plan-json the plan, --events - what happens"]),
        ("--output --out", ["--report FILE has the result as JSON, --reject-file FILE the records that are refused",
            "--report FILE has the result as JSON", "--json FILE has the figures as JSON, --html FILE as a page"]),
        ("--where", ["that is for update and delete"]),
        ("-y --yes --assume-yes", ["leave it out: only 'bulkload delete' asks"]),
        ("-V", ["that is 'bulkload --version'"]),
        ("-d",
            [
                "--delimiter TEXT is what -d says to tools for CSV; to mysqlimport it says --truncate, which deletes all rows first",
                "--delimiter TEXT is what -d says to tools for CSV",
            ]),
        ("--delete --truncate", ["for import that is --truncate: all rows of the table are deleted first"]),
        ("--local -L", ["leave it out: files are always read here, never by the server"]),
        ("--lock-tables",
            ["there is none: rows go in transactions, and other sessions are not kept out; --atomic is all or nothing"]),
        ("-C --compress", ["there is none: the connection is not compressed; compressed files are read as they are"]),
        ("--tls-version", ["there is none: TLS 1.2 and 1.3 are used; --ssl-mode says what is demanded"]),
        ("--ssl-cipher", ["there is none: the system's TLS chooses; --ssl-mode says what is demanded"]),
        ("--init-command", ["there is none: the session's settings are fixed, so that values mean the same everywhere"]),
        ("--default-auth", ["there is none: the account's plugin is used"]),
        ("--resume", ["run the same command again: it continues behind what is committed"]),
    ];

    private static readonly (string Names, string Ours)[] Commands =
    [
        ("load insert copy upload ingest upsert replace loaddata load-data mysqlimport importTable", "import"),
        ("validate lint dry-run preview suggest", "check"),
        ("remove rm", "delete"),
        ("compare diff", "verify"),
        ("status history list ls forget", "jobs"),
        ("ping connect test info diagnose", "doctor"),
        ("benchmark tune", "bench"),
        ("dump export", "seed init"),
        ("reset", "seed reset"),
        ("fixtures populate", "seed"),
        ("version", "--version"),
    ];

    /// <summary>What to write instead of an option, such as <c>that is --threads N</c>; null: unknown.</summary>
    /// <param name="command">has all options that the answer names; above the commands, any has</param>
    /// <param name="option">as typed; hyphens may be missing in it, or be underlines, as in <c>--dryrun</c></param>
    public static string? Find(Command command, string option)
    {
        var isAbove = !command.Parents.Any();
        var all = Of(command.Options.Concat(isAbove ? command.Subcommands.SelectMany(sub => sub.Options) : [])).ToList();
        var named = all.Where(entry => entry.Name == option).ToList();
        if (named.Count == 0 && option.StartsWith("--", StringComparison.Ordinal))
        {
            named = all.FindAll(entry => entry.Name.StartsWith("--", StringComparison.Ordinal)
                && WithoutHyphens(entry.Name).Equals(WithoutHyphens(option), StringComparison.OrdinalIgnoreCase));
        }

        return named.Find(entry => isAbove || OptionsOf(entry.Answer).All(ours => command.Find(ours) is not null)).Answer;
    }

    /// <summary>Names of other tools, with an answer to each, the best first.</summary>
    /// <param name="options">ours</param>
    public static IEnumerable<(string Name, string Answer)> Of(IEnumerable<Option> options) => options
        .OfType<IDeclaredOption>().SelectMany(option => option.Notes.Synonyms)
        .Concat(All.SelectMany(entry => entry.Names.Split(' ').SelectMany(name => entry.Answers.Select(answer => (name, answer)))));

    /// <summary>Our command; null: unknown.</summary>
    public static string? OfCommand(string word) => Commands
        .FirstOrDefault(entry => entry.Names.Split(' ').Contains(word, StringComparer.OrdinalIgnoreCase)).Ours;

    /// <summary>The options that an answer names and the command must have: not those of another command.</summary>
    public static IEnumerable<string> OptionsOf(string answer) => OfOthers.Any(start => answer.StartsWith(start, StringComparison.Ordinal))
        ? []
        : answer.Split(' ', ',', ':', ';', '=').Where(word => word.StartsWith("--", StringComparison.Ordinal));

    private static string WithoutHyphens(string option) =>
        option.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);
}
