namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>A random schema with foreign keys, and rows for it that agree with them: what a folder says, and what the tables must be
/// afterwards.</summary>
internal sealed class RandomFolder
{
    private readonly Random _random;
    private readonly List<Table> _tables = [];
    private int _next = 1;

    public RandomFolder(int seed)
    {
        _random = new Random(seed);
        var count = _random.Next(2, 7);
        for (var i = 0; i < count; i++)
        {
            _tables.Add(new Table($"t{_random.Next(1000)}_{i}",
                i)
            { IsComposite = _random.Next(4) == 0, Unique = (UniqueKind)_random.Next(3), IsText = _random.Next(3) == 0 });
        }

        foreach (var table in _tables)
        {
            for (var i = _random.Next(4); i > 0; i--)
            {
                var parent = _tables[_random.Next(count)];
                if (table.Keys.Any(key => key.Parent == parent))
                {
                    continue;
                }

                // NOT NULL only to tables before it, so that some order exists; to itself a row may refer to itself.
                var isNullable = parent.Number > table.Number || _random.Next(2) == 0 || (parent == table && table.IsComposite);
                table.Keys.Add(new Reference(parent, $"p{parent.Number}", isNullable));
            }
        }

        for (var i = _random.Next(5, 40); i > 0; i--)
        {
            Insert(_tables[_random.Next(count)]);
        }
    }

    private enum UniqueKind
    {
        None,
        Nullable,
        NotNull,
    }

    /// <summary>Statements that make the tables; foreign keys come last, since some go round in circles.</summary>
    public string Schema => string.Concat(_tables.Select(table =>
            $"CREATE TABLE {table.Name} (id {table.KeyType} NOT NULL{(table.IsComposite ? ", id2 INT NOT NULL" : "")}, v VARCHAR(40) NULL, "
                + "n DECIMAL(8,2) NULL"
            + string.Concat(table.Keys.Select(key => $", {key.Column} {key.Parent.KeyType} {(key.IsNullable ? "NULL" : "NOT NULL")}"
                + $"{(key.Parent.IsComposite ? $", {key.Column}b INT {(key.IsNullable ? "NULL" : "NOT NULL")}" : "")}"))
            + (table.Unique == UniqueKind.None ? "" : $", u INT {(table.Unique == UniqueKind.Nullable ? "NULL" : "NOT NULL")}, UNIQUE (u)")
            + $", PRIMARY KEY (id{(table.IsComposite ? ", id2" : "")}));\n"))
        + string.Concat(_tables.SelectMany(table => table.Keys.Select(key =>
            $"ALTER TABLE {table.Name} ADD FOREIGN KEY ({key.Column}{(key.Parent.IsComposite ? $", {key.Column}b" : "")}) REFERENCES "
                + $"{key.Parent.Name} (id{(key.Parent.IsComposite ? ", id2" : "")});\n")));

    /// <summary>One answer for all tables, rows by key.</summary>
    public string Query => string.Concat(_tables.Select(
        table => $"SELECT '{table.Name}', CONCAT_WS('|', {string.Join(", ", table.Columns.Select(column => $"IFNULL({column}, 'NULL')"))}) "
            + $"FROM {table.Name} ORDER BY CAST(id AS CHAR(20)) COLLATE utf8mb4_bin;\n"));

    /// <summary>What <see cref="Query"/> must answer.</summary>
    public string Expected =>
        string.Concat(_tables.SelectMany(table => table.Rows.OrderBy(row => row.Id, StringComparer.Ordinal).Select(row =>
            $"{table.Name}\t{string.Join('|', row.Fields(table).Select(value => value ?? "NULL"))}\n")));

    /// <summary>Writes the files, their records in any order.</summary>
    public void Write(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (var table in _tables)
        {
            var rows = table.Rows.ToArray();
            _random.Shuffle(rows);
            File.WriteAllText(Path.Combine(folder, $"{table.Name}.csv"), string.Join(',', table.Columns) + "\n"
                + string.Concat(rows.Select(row => string.Join(',', row.Fields(table)
                    .Select(field => field is null ? "\\N" : $"\"{field.Replace("\"", "\"\"", StringComparison.Ordinal)}\"")) + "\n")));
        }
    }

    /// <summary>Inserts, changes and deletes some rows.</summary>
    public void Edit()
    {
        for (var i = _random.Next(1, 15); i > 0; i--)
        {
            var table = _tables[_random.Next(_tables.Count)];
            switch (_random.Next(4))
            {
                case 0:
                    Insert(table);
                    break;
                case 1 when table.Rows.Count > 0 && table.Rows[_random.Next(table.Rows.Count)] is var row && CanGo(table, row):
                    Delete(table, row);
                    break;
                case 2 when table.Rows.Count > 1 && table.Unique == UniqueKind.Nullable:
                    var (one, other) = (table.Rows[_random.Next(table.Rows.Count)], table.Rows[_random.Next(table.Rows.Count)]);
                    (one.Unique, other.Unique) = (other.Unique, one.Unique);
                    break;
                default:
                    if (table.Rows.Count > 0)
                    {
                        var changed = table.Rows[_random.Next(table.Rows.Count)];
                        changed.Text = RandomText();
                        foreach (var key in table.Keys.Where(_ => _random.Next(2) == 0))
                        {
                            changed.Parents[key] = Choose(key, changed) ?? changed.Parents.GetValueOrDefault(key);
                        }
                    }

                    break;
            }
        }
    }

    private void Insert(Table table)
    {
        var number = _next++;
        var row = new Row(
            table.IsText ? $"{(char)('a' + _random.Next(26))}{number}" : $"{number}", table.IsComposite ? _random.Next(3) : null)
        {
            Text = RandomText(),
            Number = _random.Next(3) == 0 ? null : $"{_random.Next(-999, 999)}.{_random.Next(100):00}",
            Unique = table.Unique switch { UniqueKind.None => null, UniqueKind.Nullable when _random.Next(3) == 0 => null, _ => number },
        };
        table.Rows.Add(row);
        foreach (var key in table.Keys)
        {
            var parent = Choose(key, row);
            if (parent is null && !key.IsNullable)
            {
                if (key.Parent == table)
                {
                    parent = row;
                }
                else
                {
                    Insert(key.Parent);
                    parent = key.Parent.Rows[^1];
                }
            }

            row.Parents[key] = parent;
        }
    }

    private Row? Choose(Reference key, Row self)
    {
        if ((key.IsNullable && _random.Next(4) == 0) || key.Parent.Rows.Count == 0)
        {
            return null;
        }

        // A row of a key that is not nullable refers to itself or to an older one: there is always a first one.
        var candidates = key.IsNullable || !key.Parent.Rows.Contains(self)
            ? key.Parent.Rows : key.Parent.Rows[..(key.Parent.Rows.IndexOf(self) + 1)];
        return candidates[_random.Next(candidates.Count)];
    }

    /// <summary>Whether a table whose rows must refer to one of its rows keeps one: InnoDB cannot delete the last of them.</summary>
    private bool CanGo(Table table, Row row)
    {
        var gone = new HashSet<Row>();
        Collect(table, row);
        return _tables.Where(one => one.Keys.Any(key => key.Parent == one && !key.IsNullable) && one.Rows.Count > 0)
            .All(one => one.Rows.Any(left => !gone.Contains(left)));

        void Collect(Table from, Row one)
        {
            if (!gone.Add(one))
            {
                return;
            }

            foreach (var (child, key) in _tables.SelectMany(
                child => child.Keys.Where(key => key.Parent == from && !key.IsNullable).Select(key => (child, key))))
            {
                foreach (var next in child.Rows.Where(next => next.Parents.GetValueOrDefault(key) == one))
                {
                    Collect(child, next);
                }
            }
        }
    }

    /// <summary>Deletes a row; rows that refer to it refer to nothing, or go too.</summary>
    private void Delete(Table table, Row row)
    {
        if (!table.Rows.Remove(row))
        {
            return;
        }

        foreach (var child in _tables)
        {
            foreach (var key in child.Keys.Where(key => key.Parent == table))
            {
                foreach (var one in child.Rows.Where(one => one.Parents.GetValueOrDefault(key) == row).ToList())
                {
                    if (key.IsNullable)
                    {
                        one.Parents[key] = null;
                    }
                    else
                    {
                        Delete(child, one);
                    }
                }
            }
        }
    }

    private string? RandomText() => _random.Next(6) switch
    {
        0 => null,
        1 => "",
        2 => $"Ä \"{_random.Next(100)}\", x",
        3 => "CASE",
        4 => "case",
        _ => $"text {_random.Next(10_000)}",
    };

    private sealed record Reference(Table Parent, string Column, bool IsNullable);

    private sealed class Table(string name, int number)
    {
        public string Name => name;

        public int Number => number;

        public bool IsComposite { get; init; }

        public bool IsText { get; init; }

        public UniqueKind Unique { get; init; }

        public string KeyType => IsText ? "VARCHAR(20)" : "INT";

        public List<Reference> Keys { get; } = [];

        public List<Row> Rows { get; } = [];

        public IEnumerable<string> Columns =>
        [
            "id", .. IsComposite ? ["id2"] : Array.Empty<string>(), "v", "n",
            .. Keys.SelectMany(key => key.Parent.IsComposite ? [key.Column, $"{key.Column}b"] : new[] { key.Column }),
            .. Unique == UniqueKind.None ? [] : new[] { "u" },
        ];
    }

    private sealed class Row(string id, int? id2)
    {
        public string Id => id;

        public string? Text { get; set; }

        public string? Number { get; init; }

        public int? Unique { get; set; }

        public Dictionary<Reference, Row?> Parents { get; } = [];

        public IEnumerable<string?> Fields(Table table) =>
        [
            id, .. id2 is { } second ? [$"{second}"] : Array.Empty<string?>(), Text, Number,
            .. table.Keys.SelectMany(key => key.Parent.IsComposite
                ? [Parents.GetValueOrDefault(key)?.Id, Parents.GetValueOrDefault(key)?.Second]
                : new[] { Parents.GetValueOrDefault(key)?.Id }),
            .. table.Unique == UniqueKind.None ? [] : new[] { Unique?.ToString() },
        ];

        private string? Second => id2?.ToString();
    }
}
