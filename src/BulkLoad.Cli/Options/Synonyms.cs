namespace BulkLoad.Cli.Options;

/// <summary>Words of other tools, with ours for each.</summary>
internal static class Synonyms
{
    private const string Url = "write the URL as a word, as in 'bulkload import people.csv mysql://user@host/db', or set BULKLOAD_URL";

    private const string MaxRejects = "--max-rejects N continues past bad records";

    /// <summary>How an answer begins that is about another command.</summary>
    private static readonly string[] OfOthers = ["for import ", "that is 'bulkload "];

    /// <summary>Options with what to write in their place, the best first: the first whose option the command has counts.</summary>
    private static readonly (string Names, string[] Answers)[] All =
    [
        ("--dry-run --simulate --no-op --what-if -n",
            [
                "--preview shows which rows would change, --plan how it would be done; 'bulkload check' validates every record",
                "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
            ]),
        ("--replace --replace-duplicates", ["that is --on-duplicate replace"]),
        ("--ignore --ignore-duplicates --skip-duplicates --insert-ignore", ["that is --on-duplicate ignore"]),
        ("--upsert --update-duplicates --merge", ["that is --on-duplicate update", "--mode sync makes each table equal to its file"]),
        ("--update", ["that is --on-duplicate update, or 'bulkload update'"]),
        ("--on-conflict", ["that is --on-duplicate ignore, replace or update", "--mode sync makes each table equal to its file"]),
        // Of a seed, which has none of them.
        ("--on-duplicate --reload --append", ["--mode sync makes each table equal to its file"]),
        ("--if-exists",
            [
                "--on-duplicate says what becomes of rows that are there, --truncate deletes them first, --create makes the table",
                "--mode sync makes each table equal to its file, --mode truncate deletes all rows first",
            ]),
        ("--skip-errors --force --ignore-errors --continue-on-error --on-error --skip-bad --skip-bad-records -f", [MaxRejects]),
        ("--max-bad-records --max-errors", ["that is --max-rejects N"]),
        ("--error-file --bad-file", ["that is --reject-file FILE"]),
        ("--create-table", ["that is --create", "--schema FILE has the SQL that makes the tables"]),
        ("--create",
            [
                "leave it out: a check, and its --suggest, do so for a table that is not there",
                "--schema FILE has the SQL that makes the tables",
            ]),
        ("--db", ["that is --database NAME"]),
        ("--username", ["that is --user NAME"]),
        ("--hostname", ["that is --host NAME"]),
        ("--url --uri --dsn", [Url]),
        ("--json", ["--report FILE has the result as JSON, --plan-json the plan, --events - what happens"]),
        ("--output --out", ["--report FILE has the result as JSON, --reject-file FILE the records that are refused",
            "--report FILE has the result as JSON", "--json FILE has the figures as JSON, --html FILE as a page"]),
        ("--where", ["that is for update and delete"]),
        ("--separator --sep", ["that is --delimiter"]),
        ("--null --nulls --na --na-values --null-string --nullstr", ["that is --null-value TEXT"]),
        ("--charset --default-character-set", ["that is --encoding, for the file; the connection is always utf8mb4"]),
        ("--skip-rows", ["that is --skip-lines N"]),
        ("--skip-header", ["the first line is a header by default; --columns names the columns in its place"]),
        ("--into --table-name -t", ["that is --table NAME", "--only TABLES takes only these tables"]),
        ("--table", ["--only TABLES takes only these tables"]),
        ("--schema-name", ["that is --database NAME"]),
        ("--batch-size --batch", ["that is --rows-per-batch N"]),
        ("--chunk-size --chunksize", ["that is --rows-per-chunk N"]),
        ("--bytes-per-chunk-size", ["that is --bytes-per-chunk SIZE"]),
        ("--parallel --jobs --workers --use-threads", ["that is --threads N"]),
        ("--pass", ["that is --password=SECRET, or MYSQL_PWD"]),
        ("--ssl", ["that is --ssl-mode required"]),
        ("--skip-ssl --no-ssl", ["that is --ssl-mode disabled"]),
        ("-v --debug", ["that is --verbose"]),
        ("-q --silent -s", ["that is --quiet"]),
        ("-y", ["that is --yes"]),
        ("-y --yes --assume-yes", ["leave it out: only 'bulkload delete' asks"]),
        ("-V", ["that is 'bulkload --version'"]),
        ("-d",
            [
                "--delimiter TEXT is what -d says to tools for CSV; to mysqlimport it says --truncate, which deletes all rows first",
                "--delimiter TEXT is what -d says to tools for CSV",
            ]),
        ("--delete --truncate",
            [
                "that is --mode truncate: all rows are deleted first",
                "for import that is --truncate: all rows of the table are deleted first",
            ]),
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

    private static readonly ILookup<string, string> ByName = All
        .SelectMany(entry => entry.Names.Split(' ').Select(name => (Name: name, entry.Answers)))
        .SelectMany(entry => entry.Answers.Select(answer => (entry.Name, Answer: answer)))
        .ToLookup(entry => entry.Name, entry => entry.Answer, StringComparer.Ordinal);

    /// <summary>The same names without hyphens.</summary>
    private static readonly ILookup<string, string> Bare = ByName
        .Where(entry => entry.Key.StartsWith("--", StringComparison.Ordinal))
        .SelectMany(entry => entry.Select(answer => (Name: WithoutHyphens(entry.Key), Answer: answer)))
        .ToLookup(entry => entry.Name, entry => entry.Answer, StringComparer.OrdinalIgnoreCase);

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

    /// <summary>What to write in place of an option, such as <c>that is --threads N</c>, the best first; empty: nothing is known.</summary>
    /// <param name="option">as typed; hyphens may be missing in it, or be underlines, as in <c>--dryrun</c></param>
    public static IEnumerable<string> Find(string option) =>
        ByName.Contains(option) || !option.StartsWith("--", StringComparison.Ordinal) ? ByName[option] : Bare[WithoutHyphens(option)];

    /// <summary>All options of other tools.</summary>
    public static IEnumerable<string> Options => ByName.Select(entry => entry.Key);

    /// <summary>Our command; null: nothing is known.</summary>
    public static string? OfCommand(string word) => Commands
        .FirstOrDefault(entry => entry.Names.Split(' ').Contains(word, StringComparer.OrdinalIgnoreCase)).Ours;

    /// <summary>The options that an answer names, which the command must have: not those of another command.</summary>
    public static IEnumerable<string> OptionsOf(string answer) => OfOthers.Any(start => answer.StartsWith(start, StringComparison.Ordinal))
        ? []
        : answer.Split(' ', ',', ':', ';', '=').Where(word => word.StartsWith("--", StringComparison.Ordinal));

    private static string WithoutHyphens(string option) =>
        option.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);
}
