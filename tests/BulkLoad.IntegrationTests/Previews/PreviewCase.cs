namespace BulkLoad.IntegrationTests.Previews;

/// <summary>A random table with rows, what its foreign keys and those to it are about, a file, and a job. The same number is the same
/// case.</summary>
internal sealed class PreviewCase
{
    private static readonly string[][] Jobs =
    [
        ["import", "--on-duplicate", "error"], ["import", "--on-duplicate", "ignore"], ["import", "--on-duplicate", "replace"],
        ["import", "--on-duplicate", "update"], ["update", "--key", "id"], ["update", "--key", "code"],
        ["update", "--key", "id", "--set", "n=n+100"], ["delete", "--yes", "--key", "id"],
        ["delete", "--yes", "--key", "code", "--ignore-missing"], ["import", "--truncate", "--allow-database", "*"],
        ["import", "--on-duplicate", "update"], ["import", "--on-duplicate", "replace"],
    ];

    /// <summary>Those of a table without a primary key or unique key.</summary>
    private static readonly string[][] JobsWithoutKey =
    [
        ["import"], ["delete", "--yes", "--key", "id", "--allow-multiple"], ["update", "--key", "id", "--allow-multiple"],
        ["delete", "--yes", "--key", "code", "--allow-multiple", "--ignore-missing"],
    ];

    private readonly Random _random;
    private readonly string _ids;

    public PreviewCase(int seed)
    {
        _random = new Random(seed);
        HasKey = One(5) > 0;
        var job = HasKey ? Jobs[seed % Jobs.Length] : JobsWithoutKey[seed % JobsWithoutKey.Length];
        (Job, IsTruncate) = (job, job.Contains("--truncate"));
        _ids = One(3) switch { 0 => "text", 1 when HasKey && One(3) == 0 => "numbered", _ => "number" };
        var isPartitioned = _ids == "number" && !job.Contains("code") && One(6) == 0;
        var header = Header();
        Setup = MakeSetup(header, isPartitioned);
        Text = $"{header}\n{string.Concat(Enumerable.Range(0, _random.Next(1, 40)).Select(_ => $"{Line(header)}\n"))}";
        Limits = One(5) switch { 0 => [], 1 => ["--max-rejects", "0"], 2 => ["--max-rejects", "2"], _ => ["--max-rejects", "100"] };
        Chunks = One(2) == 0 ? [] : ["--rows-per-chunk", $"{_random.Next(1, 6)}"];
    }

    public bool HasKey { get; }

    /// <summary>The command's words, without the file: <c>*</c> is the database.</summary>
    public IReadOnlyList<string> Job { get; }

    public bool IsTruncate { get; }

    /// <summary>Whether the server makes keys of rows: which ones is not told beforehand.</summary>
    public bool MakesKeys => _ids == "numbered" && Text.Contains("\n,", StringComparison.Ordinal);

    public string Setup { get; }

    public string Text { get; }

    public IReadOnlyList<string> Limits { get; }

    public IReadOnlyList<string> Chunks { get; }

    private bool IsDelete => Job[0] == "delete";

    private string Header()
    {
        if (IsDelete)
        {
            return Job.Contains("id") ? "id" : "code";
        }

        if (Job.Contains("--set"))
        {
            return "id,born";
        }

        return Job[0] == "update" ? One(3) > 0 ? "id,code,n" : Job.Contains("code") ? "code,n" : "id,n"
            : One(5) switch { 0 => "id,n", 1 => "id,code", 2 => "id,code,n,tag", _ => "id,code,n" };
    }

    private string MakeSetup(string header, bool isPartitioned)
    {
        var hasParents = !isPartitioned && One(2) == 0;
        var hasChildren = HasKey && !isPartitioned && !IsTruncate && One(5) < 2;
        var type = _ids switch
        {
            "text" => "VARCHAR(8) COLLATE utf8mb4_general_ci NOT NULL",
            "numbered" => "INT NOT NULL AUTO_INCREMENT",
            _ => "INT NOT NULL"
        };
        string Unique(string column, bool isUnique) => $"{(isUnique && HasKey && !isPartitioned ? "UNIQUE" : "KEY")} {column}x ({column})";
        string[] keys =
        [
            HasKey ? "PRIMARY KEY (id)" : "KEY idx (id)", Unique("code", true), Unique("n", One(2) == 0), Unique("tag", One(2) == 0),
            .. One(8) == 0 && HasKey && !isPartitioned ? ["UNIQUE bothx (code, n)"] : Array.Empty<string>(),
        ];

        // A record without a code or a tag gets one that a row has.
        var code = header.Contains("code", StringComparison.Ordinal) ? "NOT NULL" : $"NOT NULL DEFAULT 'C{_random.Next(1, 35)}'";
        var tag = One(4) == 0 ? $"DEFAULT 't{_random.Next(1, 35)}'" : "";
        var generated = One(6) == 0 ? ", twice INT AS (n * 2)" : "";
        var reference = hasParents
            ? $", CONSTRAINT amount FOREIGN KEY (n) REFERENCES amounts (n){One(3) switch { 0 => " ON DELETE CASCADE", _ => "" }}" : "";
        var partitions = !isPartitioned ? "" : One(2) == 0
            ? " PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (20), PARTITION b VALUES LESS THAN (44))"
            : $" PARTITION BY LIST (id % 5) (PARTITION a VALUES IN (0, 1), PARTITION b VALUES IN (2{(One(2) == 0 ? ", 4" : ", 3, 4")}))";
        var rows = Enumerable.Range(1, 30).Where(row => !isPartitioned || row % 5 != 3)
            .Select(row => $"({Id(row)}, 'c{row}', {row * 100}, 't{row}', '1990-01-{row:00}')");
        return "DROP TABLE IF EXISTS children, log, people, bulkload_ledger; DROP TABLE IF EXISTS amounts; "
            + "CREATE TABLE amounts (n INT NOT NULL PRIMARY KEY); "
            + $"INSERT INTO amounts VALUES {string.Join(", ", Enumerable.Range(1, 45).Select(n => $"({n * 100})"))}, (1313); "
            + $"CREATE TABLE people (id {type}, code VARCHAR(10) COLLATE utf8mb4_general_ci {code}, n INT, tag VARCHAR(9) {tag}, "
            + $"born DATE DEFAULT '2000-01-01'{generated}, {string.Join(", ", keys)}, CHECK (n <> 1313){reference}){partitions}; "
            + $"INSERT INTO people (id, code, n, tag, born) VALUES {string.Join(", ", rows)};"
            + (hasChildren ? Children() : "") + Triggers();
    }

    private string Id(int number) => _ids == "text" ? $"'k{number}'" : $"{number}";

    private string Children()
    {
        var isCode = One(3) == 0;
        var (column, type) = isCode ? ("code", "VARCHAR(10) COLLATE utf8mb4_general_ci")
            : ("id", _ids == "text" ? "VARCHAR(8) COLLATE utf8mb4_general_ci" : "INT");
        string Rule(string what) => One(4) switch { 0 => $" ON {what} CASCADE", 1 => $" ON {what} SET NULL", _ => "" };
        var rules = Rule("DELETE") + Rule("UPDATE");
        string Value(int number) => isCode ? $"'c{number}'" : Id(number);
        return $" CREATE TABLE children (id INT PRIMARY KEY, parent {type}, "
            + $"CONSTRAINT parent FOREIGN KEY (parent) REFERENCES people ({column}){rules}); "
            + $"INSERT INTO children VALUES (1, {Value(3)}), (2, {Value(3)}), (3, {Value(7)}), (4, {Value(20)}), (5, NULL);";
    }

    /// <summary>One that only writes elsewhere, or one that refuses.</summary>
    private string Triggers() => One(40) switch
    {
        0 => " CREATE TRIGGER refuse BEFORE INSERT ON people FOR EACH ROW SET NEW.n = IF(NEW.n = 700, 1313, NEW.n);",
        < 4 => " CREATE TABLE log (id VARCHAR(20)); CREATE TRIGGER logged AFTER UPDATE ON people FOR EACH ROW INSERT INTO log VALUES "
            + "(NEW.id);",
        _ => "",
    };

    private string Line(string header) => string.Join(',', header.Split(',').Select(column => column switch
    {
        "id" when One(30) == 0 && _ids != "text" => "x",
        "id" when One(20) == 0 && _ids == "numbered" && !Job.Contains("id") => "",
        "id" => _ids == "text" ? $"{(One(2) == 0 ? 'k' : 'K')}{_random.Next(1, 50)}" : $"{_random.Next(1, 50)}",
        "code" => $"{(One(2) == 0 ? 'c' : 'C')}{_random.Next(1, 50)}",
        "tag" => One(3) == 0 ? "" : $"{(One(2) == 0 ? 't' : 'T')}{_random.Next(1, 50)}",
        "n" => One(6) switch { 0 => "", 1 => "1313", _ => $"{_random.Next(1, 50) * 100}" },
        _ => $"1990-01-{_random.Next(1, 29):00}",
    }));

    private int One(int of) => _random.Next(of);
}
