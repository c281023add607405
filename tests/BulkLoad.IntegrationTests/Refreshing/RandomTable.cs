namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>A table <c>t</c> with rows, others that have to do with it, a file, and a table <c>expected</c> with the file's rows, which the
/// server's own client has filled.</summary>
internal sealed class RandomTable
{
    private static readonly (string Type, Func<Random, string?> Value)[] Kinds =
    [
        ("INT", random => $"{random.Next(-500, 500)}"),
        ("BIGINT UNSIGNED", random => $"{random.NextInt64(0, long.MaxValue)}"),
        ("DECIMAL(10,3)", random => $"{random.Next(-99999, 99999) / 8m:0.000}"),
        ("DOUBLE", random => $"{random.Next(-9999, 9999) / 16.0}"),
        ("FLOAT", random => $"{random.Next(-999, 999) / 8.0}"),
        ("VARCHAR(20)", random => Pick(random, "a", "A", "ä", "a ", "straße", "x,y", "say \"hi\"", "日本", "long text here")),
        ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'd'", random => Pick(random, "b", "B", "ß", "ss")),
        ("CHAR(5) CHARACTER SET latin1", random => Pick(random, "é", "e", "E", "ab")),
        ("TEXT", random => new string((char)('a' + random.Next(26)), random.Next(1, 300))),
        ("DATE", random => $"20{random.Next(10, 99)}-0{random.Next(1, 9)}-1{random.Next(0, 9)}"),
        ("DATETIME(3)", random => $"20{random.Next(10, 99)}-0{random.Next(1, 9)}-1{random.Next(0, 9)} 12:00:00.{random.Next(100, 999)}"),
        ("TIMESTAMP NULL", random => $"20{random.Next(10, 30)}-0{random.Next(1, 9)}-11 01:02:03"),
        ("TIME", random => $"{random.Next(10, 800)}:10:20"),
        ("ENUM('one','two','')", random => Pick(random, "one", "two")),
        ("SET('p','q','r')", random => Pick(random, "p", "p,q", "r")),
        ("JSON", random => $"{{\"k\": {random.Next(9)}}}"),
        ("VARBINARY(9)", random => Pick(random, "abc", "ABC", "z")),
        ("YEAR", random => $"{random.Next(1950, 2100)}"),
    ];

    private readonly List<string> _columns = [];
    private readonly List<Func<Random, string?>> _values = [];
    private readonly string _key;
    private readonly bool _isText;
    private readonly int _rows;

    public RandomTable(Random random)
    {
        bool May(double share) => random.NextDouble() < share;
        List<string> items = [];
        var isText = May(0.2);
        var isTwo = !isText && May(0.2);
        _key = isTwo ? "id, part" : May(0.1) ? "" : "id";
        Add("id", isText ? $"VARCHAR(20) COLLATE {(May(0.5) ? "utf8mb4_bin" : "utf8mb4_unicode_ci")} NOT NULL"
            : !isTwo && _key.Length > 0 && May(0.4) ? "INT NOT NULL AUTO_INCREMENT" : "INT NOT NULL", _ => null);
        if (isTwo)
        {
            Add("part", "SMALLINT NOT NULL", one => $"{one.Next(3)}");
        }

        for (var i = random.Next(1, 6); i > 0; i--)
        {
            var (type, value) = Kinds[random.Next(Kinds.Length)];
            Add($"c{i}", type, type.Contains("NOT NULL", StringComparison.Ordinal) || May(0.5)
                ? value : one => one.Next(4) == 0 ? null : value(one));
        }

        var isPartitioned = _key.Length > 0 && !isText && May(0.2);
        var (hasParent, isTree) = (!isPartitioned && May(0.3), !isPartitioned && !isText && !isTwo && _key.Length > 0 && May(0.25));
        var hasChild = !isPartitioned && !isTwo && _key.Length > 0 && May(0.3);
        if (hasParent)
        {
            Add("up", "INT", one => one.Next(3) == 0 ? null : $"{one.Next(1, 4)}");
            items.Add("CONSTRAINT `to up` FOREIGN KEY (up) REFERENCES up (id)");
        }

        if (isTree)
        {
            Add("boss", "INT", _ => null);
            items.Add("CONSTRAINT boss FOREIGN KEY (boss) REFERENCES t (id)");
        }

        if (!isPartitioned && May(0.4))
        {
            Add("u", "INT", _ => null);
            items.Add("UNIQUE KEY u (u)");
        }

        var more = new List<string>();
        if (May(0.4))
        {
            more.Add($"made INT AS (LENGTH(id) + 1) {(May(0.5) ? "STORED" : "VIRTUAL")}".Replace(
                "LENGTH(id)", isText ? "CHAR_LENGTH(id)" : _columns[0].Contains("AUTO", StringComparison.Ordinal) ? "3" : "id % 7",
                StringComparison.Ordinal));
        }

        if (May(0.3))
        {
            more.Add("other INT NOT NULL DEFAULT 7 COMMENT 'it''s, (odd) CONSTRAINT `x`'");
        }

        if (May(0.3))
        {
            items.Add("CONSTRAINT `a check` CHECK (CHAR_LENGTH(c1) < 3000)");
        }

        if (May(0.4) && _columns.Exists(column => column.StartsWith("c1 ", StringComparison.Ordinal) && !IsLong(column)))
        {
            items.Add("KEY c1 (c1)");
        }

        items.InsertRange(0, _key.Length > 0 ? [.. _columns, .. more, $"PRIMARY KEY ({_key})"] : [.. _columns, .. more]);
        var options = (May(0.3) ? " COMMENT='AUTO_INCREMENT=7, it''s'" : "") + (May(0.3) ? " STATS_PERSISTENT=1" : "")
            + (May(0.2) ? " ROW_FORMAT=COMPACT" : "") + (May(0.2) && _columns[0].Contains("AUTO", StringComparison.Ordinal)
                ? " AUTO_INCREMENT=900" : "")
            + (isPartitioned ? " PARTITION BY HASH (id) PARTITIONS 3" : "");
        var hasTrigger = May(0.15);
        var former = Records(random, isText, random.Next(0, 30));
        (_isText, _rows, HasChild) = (isText, former.Count, hasChild);
        var next = Change(random, former, isText);
        Way = May(0.5) ? "" : May(0.5) ? "=swap" : "=diff";
        IsKilled = May(0.25);
        MayBeRefused = Way.Length > 0 || hasChild || hasTrigger || _key.Length == 0 || isTree;
        var children = hasChild ? former.Where(row => next.Exists(one => one[0] == row[0])).Select(row => row[0]).Take(3).ToList() : [];
        Sql = string.Join('\n',
        [
            "SET NAMES utf8mb4;",
            "CREATE TABLE up (id INT PRIMARY KEY); INSERT INTO up VALUES (1), (2), (3);",
            $"CREATE TABLE t (\n  {string.Join(",\n  ", items)}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4{options};",
            "CREATE TABLE log (what VARCHAR(9));",
            "CREATE TABLE expected LIKE t;",
            Insert("t", former), Insert("expected", next),
            "CREATE VIEW seen AS SELECT * FROM t;",
            hasTrigger ? "CREATE TRIGGER logs AFTER UPDATE ON t FOR EACH ROW INSERT INTO log VALUES ('u');" : "",
            hasChild ? "CREATE TABLE child (id INT AUTO_INCREMENT PRIMARY KEY, t "
                + $"{_columns[0].Replace("id ", "", StringComparison.Ordinal).Replace(" AUTO_INCREMENT", "", StringComparison.Ordinal)}, "
                + $"FOREIGN KEY (t) REFERENCES t (id) ON DELETE {(May(0.5) ? "CASCADE" : "RESTRICT")} ON UPDATE CASCADE);" : "",
            .. children.Select(id => $"INSERT INTO child (t) VALUES ({Literal(id)});"),
        ]);
        Others = $"SELECT * FROM up;{(hasChild ? " SELECT * FROM child ORDER BY id;" : "")}";
        Csv = ToCsv(next);

        // Rows that refer to others come behind them.
        OtherCsv = isTree ? Csv : ToCsv([.. next.AsEnumerable().Reverse()]);
    }

    /// <summary>Makes everything.</summary>
    public string Sql { get; }

    public string Csv { get; }

    /// <summary>Another file of the same rows, where that is possible.</summary>
    public string OtherCsv { get; }

    /// <summary>Behind <c>--full-refresh</c>.</summary>
    public string Way { get; }

    public bool IsKilled { get; }

    public bool MayBeRefused { get; }

    public bool HasKey => _key.Length > 0;

    /// <summary>Whether there is a table <c>child</c> with a column <c>t</c> that refers to the rows.</summary>
    public bool HasChild { get; }

    /// <summary>Of <c>boss</c>, which refers to rows of the table, among the columns; -1: there is none.</summary>
    public int BossAt => _columns.FindIndex(column => column.StartsWith("boss ", StringComparison.Ordinal));

    /// <summary>A file of rows that the table does not have.</summary>
    public string NewCsv(Random random, int count) => ToCsv(Records(random, _isText, count, _rows + 1));

    /// <summary>A statement that changes, or deletes, a row as somebody else would; it may do nothing.</summary>
    public string Disturb(Random random, string id)
    {
        var at = random.Next(_columns.Count);
        var name = NameOf(_columns[at]);
        var condition = $"WHERE id = {Literal(id)}";
        return name is "id" or "part" or "boss" ? $"DELETE IGNORE FROM t {condition};"
            : $"UPDATE IGNORE t SET {name} = {Literal(name == "u" ? null : _values[at](random))} {condition};";
    }

    /// <summary>Shows the rows of the other tables.</summary>
    public string Others { get; }

    public string Rows(string table) =>
        $"SELECT * FROM {table} ORDER BY {(_key.Length > 0 ? _key : string.Join(", ", _columns.Select((_, i) => i + 1)))};";

    private string ToCsv(List<string?[]> rows) =>
        string.Join("\r\n", rows.Select(row => string.Join(',', row.Select(Field))).Prepend(string.Join(',', _columns.Select(NameOf))))
            + "\r\n";

    private static string NameOf(string column) => column[..column.IndexOf(' ', StringComparison.Ordinal)];

    private static bool IsLong(string column) =>
        column.Contains("TEXT", StringComparison.Ordinal) || column.Contains("JSON", StringComparison.Ordinal);

    private void Add(string name, string type, Func<Random, string?> value)
    {
        _columns.Add($"{name} {type}");
        _values.Add(value);
    }

    private List<string?[]> Records(Random random, bool isText, int count, int from = 1) =>
        [.. Enumerable.Range(from, count).Select(id => Record(random, id, isText))];

    /// <summary>Keys and unique values count up; a boss is a row before.</summary>
    private string?[] Record(Random random, int id, bool isText) =>
        [.. _columns.Select((column, i) => column.Split(' ')[0] switch
        {
            "id" => isText ? $"{(id % 2 == 0 ? 'k' : 'K')}{id}" : $"{id}",
            "u" => random.Next(4) == 0 ? null : $"{id * 10}",
            "boss" => id == 1 || random.Next(3) == 0 ? null : $"{random.Next(1, id)}",
            _ => _values[i](random),
        })];

    private List<string?[]> Change(Random random, List<string?[]> former, bool isText)
    {
        var isTree = _columns.Exists(column => column.StartsWith("boss ", StringComparison.Ordinal));
        var kept = isTree ? former.Take(random.Next(former.Count + 1)) : former.Where(_ => random.Next(5) > 0);
        var changed = kept.Select(row => random.Next(3) > 0 ? row
            : [.. Record(random, former.IndexOf(row) + 1, isText).Select((value, i) =>
                _columns[i].Split(' ')[0] is "id" or "part" ? row[i] : value)]).ToList();
        changed.AddRange(Records(random, isText, random.Next(0, 12), isTree ? changed.Count + 1 : former.Count + 1));
        if (!isTree)
        {
            changed = [.. changed.OrderBy(_ => random.Next())];
        }

        // Unique values move.
        var u = _columns.FindIndex(column => column.StartsWith("u ", StringComparison.Ordinal));
        if (u >= 0 && changed.Count > 2 && random.Next(2) == 0)
        {
            changed = [.. changed.Select(row => (string?[])[.. row])];
            (changed[0][u], changed[1][u]) = (changed[1][u], changed[0][u]);
        }

        return changed;
    }

    private string Insert(string table, List<string?[]> rows) => rows.Count == 0 ? ""
        : $"SET foreign_key_checks=0; INSERT INTO {table} ({string.Join(", ", _columns.Select(column => column.Split(' ')[0]))}) VALUES "
            + string.Join(", ", rows.Select(row => $"({string.Join(", ", row.Select(Literal))})")) + "; SET foreign_key_checks=1;";

    private static string Literal(string? value) => value is null ? "NULL" : $"'{value.Replace("'", "''", StringComparison.Ordinal)}'";

    private static string Field(string? value) => value is null ? ""
        : value.AsSpan().ContainsAny(" ,\"{") ? $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : value;

    private static string Pick(Random random, params string[] values) => values[random.Next(values.Length)];
}
