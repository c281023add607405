namespace BulkLoad.Cli.Options;

/// <summary>What a mistyped word may have meant.</summary>
internal static class Suggestions
{
    /// <summary><c>; similar: --threads, ...</c>, or nothing.</summary>
    public static string Hint(string word, IEnumerable<string> known)
    {
        var near = Nearest(word, known);
        return near.Count == 0 ? "" : $"; similar: {string.Join(", ", near)}";
    }

    public static IReadOnlyList<string> Nearest(string word, IEnumerable<string> known) =>
    [
        .. known.Select(name => (Name: name, Distance: Distance(word, name)))
            .Where(near => near.Distance <= Math.Max(1, Math.Min(3, near.Name.Length / 3))
                || (word.Length > 4 && near.Name.StartsWith(word, StringComparison.OrdinalIgnoreCase)))
            .OrderBy(near => near.Distance)
            .Select(near => near.Name)
            .Take(3),
    ];

    /// <summary>Letters to put in, leave out, change or swap with their neighbour (Damerau-Levenshtein, restricted).</summary>
    private static int Distance(string left, string right)
    {
        var cost = new int[left.Length + 1, right.Length + 1];
        for (var i = 0; i <= left.Length; i++)
        {
            for (var j = 0; j <= right.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    cost[i, j] = i + j;
                    continue;
                }

                var change = Same(left[i - 1], right[j - 1]) ? 0 : 1;
                cost[i, j] = Math.Min(Math.Min(cost[i - 1, j], cost[i, j - 1]) + 1, cost[i - 1, j - 1] + change);
                if (i > 1 && j > 1 && Same(left[i - 1], right[j - 2]) && Same(left[i - 2], right[j - 1]))
                {
                    cost[i, j] = Math.Min(cost[i, j], cost[i - 2, j - 2] + 1);
                }
            }
        }

        return cost[left.Length, right.Length];
    }

    private static bool Same(char left, char right) => char.ToLowerInvariant(left) == char.ToLowerInvariant(right);
}

/// <summary>Options that other tools have, with our word for each.</summary>
internal static class Synonyms
{
    private static readonly Dictionary<string, string> Ours = new(StringComparer.Ordinal)
    {
        ["--dry-run"] = "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
        ["--replace"] = "that is --on-duplicate replace",
        ["--ignore"] = "that is --on-duplicate ignore",
        ["--ignore-duplicates"] = "that is --on-duplicate ignore",
        ["--skip-duplicates"] = "that is --on-duplicate ignore",
        ["--insert-ignore"] = "that is --on-duplicate ignore",
        ["--replace-duplicates"] = "that is --on-duplicate replace",
        ["--update-duplicates"] = "that is --on-duplicate update",
        ["--on-conflict"] = "that is --on-duplicate ignore, replace or update",
        ["--simulate"] = "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
        ["--no-op"] = "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
        ["--what-if"] = "--plan shows what would be done; 'bulkload check' validates every record, and writes nothing",
        ["--skip-errors"] = "--max-rejects N continues past bad records",
        ["--max-bad-records"] = "that is --max-rejects N",
        ["--error-file"] = "that is --reject-file FILE",
        ["--bad-file"] = "that is --reject-file FILE",
        ["--create-table"] = "that is --create",
        ["--db"] = "that is --database NAME",
        ["--username"] = "that is --user NAME",
        ["--hostname"] = "that is --host NAME",
        ["--upsert"] = "that is --on-duplicate update",
        ["--update"] = "that is --on-duplicate update, or 'bulkload update'",
        ["--url"] = "write the URL as a word, as in 'bulkload import people.csv mysql://user@host/db', or set BULKLOAD_URL",
        ["--uri"] = "write the URL as a word, as in 'bulkload import people.csv mysql://user@host/db', or set BULKLOAD_URL",
        ["--dsn"] = "write the URL as a word, as in 'bulkload import people.csv mysql://user@host/db', or set BULKLOAD_URL",
        ["--json"] = "--report FILE has the result as JSON, --plan-json the plan, --events - what happens",
        ["--where"] = "that is for update and delete",
        ["--force"] = "--max-rejects N continues past bad records",
        ["--ignore-errors"] = "--max-rejects N continues past bad records",
        ["--continue-on-error"] = "--max-rejects N continues past bad records",
        ["--max-errors"] = "that is --max-rejects N",
        ["--separator"] = "that is --delimiter",
        ["--sep"] = "that is --delimiter",
        ["--null"] = "that is --null-value TEXT",
        ["--nulls"] = "that is --null-value TEXT",
        ["--charset"] = "that is --encoding",
        ["--skip-rows"] = "that is --skip-lines N",
        ["--skip-header"] = "the first line is a header by default; --columns names the columns in its place",
        ["--into"] = "that is --table NAME",
        ["--table-name"] = "that is --table NAME",
        ["--schema-name"] = "that is --database NAME",
        ["--batch-size"] = "that is --rows-per-batch N",
        ["--batch"] = "that is --rows-per-batch N",
        ["--parallel"] = "that is --threads N",
        ["--jobs"] = "that is --threads N",
        ["--workers"] = "that is --threads N",
        ["--use-threads"] = "that is --threads N",
        ["--bytes-per-chunk-size"] = "that is --bytes-per-chunk SIZE",
        ["--pass"] = "that is --password=SECRET, or MYSQL_PWD",
        ["--ssl"] = "that is --ssl-mode required",
        ["--skip-ssl"] = "that is --ssl-mode disabled",
        ["--no-ssl"] = "that is --ssl-mode disabled",
        ["-v"] = "that is --verbose",
        ["-V"] = "that is 'bulkload --version'",
        ["-d"] = "for import that is --truncate: all rows of the table are deleted first",
        ["--delete"] = "for import that is --truncate: all rows of the table are deleted first",
        ["--lock-tables"] = "there is none: rows are inserted in transactions, and other sessions are not kept out; --atomic is all or "
            + "nothing",
        ["-C"] = "there is none: the connection is not compressed; compressed files are read as they are",
        ["--compress"] = "there is none: the connection is not compressed; compressed files are read as they are",
        ["--tls-version"] = "there is none: TLS 1.2 and 1.3 are used; --ssl-mode says what is demanded",
        ["--ssl-cipher"] = "there is none: the system's TLS chooses; --ssl-mode says what is demanded",
        ["--default-character-set"] = "that is --encoding, for the file; the connection is always utf8mb4",
        ["--init-command"] = "there is none: the session's settings are fixed, so that values mean the same everywhere",
        ["--default-auth"] = "there is none: the account's plugin is used",
        ["--resume"] = "run the same command again: it continues behind what is committed",
    };

    /// <summary>The same names without hyphens.</summary>
    private static readonly Dictionary<string, string> Bare = Ours.Where(pair => pair.Key.StartsWith("--", StringComparison.Ordinal))
        .ToDictionary(pair => WithoutHyphens(pair.Key), pair => pair.Value, StringComparer.OrdinalIgnoreCase);

    /// <summary>What to write in its place, such as <c>that is --threads N</c>; null: nothing is known.</summary>
    /// <param name="option">as typed; hyphens may be missing in it, or be underlines, as in <c>--dryrun</c></param>
    public static string? Find(string option) => Ours.TryGetValue(option, out var ours) ? ours
        : option.StartsWith("--", StringComparison.Ordinal) ? Bare.GetValueOrDefault(WithoutHyphens(option))
        : null;

    /// <summary>Which of our options an answer is about; null: it is no such answer, or says which command has it.</summary>
    public static string? OptionOf(string answer) =>
        answer.StartsWith("that is --", StringComparison.Ordinal) || answer.StartsWith("--", StringComparison.Ordinal)
        ? answer.Split(' ', ',', ':', ';').First(word => word.StartsWith("--", StringComparison.Ordinal))
        : null;

    private static string WithoutHyphens(string option) =>
        option.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);
}
