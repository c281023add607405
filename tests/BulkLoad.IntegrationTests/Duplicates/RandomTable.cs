namespace BulkLoad.IntegrationTests.Duplicates;

/// <summary>A table with up to three unique keys, and records of which many have the same ones.</summary>
internal sealed class RandomTable
{
    /// <summary>Ids that the server makes start here, and are told apart from those of the file no further.</summary>
    public const int FirstOwnId = 1000;

    private static readonly string[] Folded = ["a", "A", "ä", "b", "B", "c", "d", "e", "f", "g"];
    private static readonly string[] Exact = ["x", "X", "y", "xyz", "xyw", "xy", "z", "q", "r", "s"];

    private static readonly (string Name, string[] Columns, string Text)[] Candidates =
    [
        ("PRIMARY", ["id"], "PRIMARY KEY (id)"),
        ("ka", ["a"], "UNIQUE KEY ka (a)"),
        ("kb", ["b"], "UNIQUE KEY kb (b)"),
        ("kab", ["a", "b"], "UNIQUE KEY kab (b, a)"),
        ("kc", ["c"], "UNIQUE KEY kc (c)"),
        ("kd", ["c", "d"], "UNIQUE KEY kd (c, d)"),
    ];

    private readonly Random _random;
    private readonly int _range;

    public RandomTable(int seed)
    {
        _random = new Random(seed);
        _range = _random.Next(3, 11);
        HasOwnIds = _random.Next(3) == 0;
        Keys = [.. Candidates.OrderBy(_ => _random.Next()).Take(_random.Next(1, 4)).OrderBy(key => key.Name != "PRIMARY")];
        Rows = [.. Enumerable.Range(0, _random.Next(0, 25)).Select(_ => Record())];
        Records = [.. Enumerable.Range(0, _random.Next(1, 80)).Select(_ => Record())];
        RowsPerBatch = _random.Next(1, 40);
        RowsPerChunk = _random.Next(5, 100);
        HasUpdateTrigger = _random.Next(4) == 0;
        HasDeleteTrigger = _random.Next(4) == 0;
    }

    public static IReadOnlyList<string> Columns { get; } = ["id", "a", "b", "c", "d"];

    /// <summary>Whether id is AUTO_INCREMENT, and some records have none.</summary>
    public bool HasOwnIds { get; }

    public IReadOnlyList<(string Name, string[] Columns, string Text)> Keys { get; }

    /// <summary>In the table before, as far as they do not get into each other's way; null: NULL.</summary>
    public IReadOnlyList<string?[]> Rows { get; }

    public IReadOnlyList<string?[]> Records { get; }

    public int RowsPerBatch { get; }

    public int RowsPerChunk { get; }

    public bool HasUpdateTrigger { get; }

    public bool HasDeleteTrigger { get; }

    public string Csv => string.Concat(new[] { Columns.ToArray() }.Concat(Records).Select(record => $"{string.Join(',', record)}\n"));

    /// <summary>CREATE TABLE and its triggers, each without a semicolon.</summary>
    public IEnumerable<string> Statements(string name)
    {
        string[] keys = [.. Keys.Select(key => key.Text),
            .. HasOwnIds && Keys[0].Name != "PRIMARY" ? ["KEY byid (id)"] : Array.Empty<string>()];
        yield return ($"CREATE TABLE {name} (id INT NOT NULL{(HasOwnIds ? " AUTO_INCREMENT" : "")}, a VARCHAR(10) COLLATE "
            + "utf8mb4_general_ci, b INT, "
            + $"c VARCHAR(10) COLLATE utf8mb4_bin, d INT, e INT DEFAULT 5, g INT AS (d + 1) STORED, "
            + "t TIMESTAMP NOT NULL DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP, "
            + $"{string.Join(", ", keys)}){(HasOwnIds ? $" AUTO_INCREMENT={FirstOwnId}" : "")}");
        if (HasUpdateTrigger)
        {
            yield return $"CREATE TRIGGER {name}_u AFTER UPDATE ON {name} FOR EACH ROW INSERT INTO log VALUES ('{name} update')";
        }

        if (HasDeleteTrigger)
        {
            yield return $"CREATE TRIGGER {name}_d AFTER DELETE ON {name} FOR EACH ROW INSERT INTO log VALUES ('{name} delete')";
        }
    }

    public override string ToString() => $"{string.Join(", ", Statements("t"))}\n{Csv}";

    private string?[] Record() =>
    [
        HasOwnIds && _random.Next(3) == 0 ? null : Number(_range * 3),
        _random.Next(8) == 0 ? null : Folded[_random.Next(_range)],
        _random.Next(5) == 0 ? null : Number(_range * 2),
        _random.Next(8) == 0 ? null : Exact[_random.Next(_range)],
        Number(3),
    ];

    private string Number(int most) => (_random.Next(most) + 1).ToString();
}
