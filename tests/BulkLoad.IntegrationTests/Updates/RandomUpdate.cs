using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.IntegrationTests.Deletes;

namespace BulkLoad.IntegrationTests.Updates;

/// <summary>A table, a file of changes and sizes that a seed decides; and what one UPDATE a record makes of them.</summary>
internal sealed class RandomUpdate
{
    private const string Bad = "none";

    private readonly KeyType[] _keys;
    private readonly KeyType[] _values;
    private readonly List<string?[]> _rows = [];
    private readonly List<string?[]> _records = [];
    private readonly string? _set;

    /// <summary>Whether several sessions may be at work, which triggers would keep them from.</summary>
    private readonly bool _isShared;

    public RandomUpdate(TestServer server, int seed)
    {
        var random = new Random(seed);
        _isShared = seed % 5 < 2;
        var types = KeyType.Of(server);
        KeyType[] all = [.. types, .. Others(server)];
        _keys = [types[seed % types.Count], .. random.Next(3) == 0 ? new[] { types[random.Next(types.Count)] } : []];
        _values = [.. Enumerable.Range(0, random.Next(1, 5)).Select(i => all[(seed + (i * 7)) % all.Length])];
        IsUnique = random.Next(6) > 0;
        ChangesUnique = random.Next(6) == 0;
        HasGuard = random.Next(5) == 0;
        CountsMatched = random.Next(2) == 0;
        RowsPerBatch = random.Next(1, 30);
        BytesPerBatch = seed % 3 == 0 ? 200 + (seed % 7 * 100) : null;
        RowsPerChunk = random.Next(1, 60);
        _set = random.Next(6) switch { 0 => "s=7", 1 => "s=s+1", 2 => "s=c*2", _ => null };
        for (var i = random.Next(60); i >= 0; i--)
        {
            _rows.Add([.. Key(random), .. Values(random, mayBeBad: false)]);
        }

        for (var i = random.Next(70); i >= 0; i--)
        {
            // Some of the records change nothing.
            _records.Add(_rows.Count > 0 && random.Next(4) == 0
                ? [.. _rows[random.Next(_rows.Count)]] : [.. Key(random), .. Values(random, mayBeBad: true)]);
        }
    }

    public int RowsPerBatch { get; }

    /// <summary>So few that a batch goes as several lists; null: as usual.</summary>
    public long? BytesPerBatch { get; }

    public int RowsPerChunk { get; }

    /// <summary>Whether only rows with an even number may change.</summary>
    public bool HasGuard { get; }

    /// <summary>Whether records whose rows had the values already count as updated.</summary>
    public bool CountsMatched { get; }

    /// <summary>Whether a key finds one row at most.</summary>
    public bool IsUnique { get; }

    /// <summary>Whether the values of another unique column change.</summary>
    public bool ChangesUnique { get; }

    /// <summary>Whether every record is sent, in the file's order.</summary>
    public bool IsOrdered => ChangesUnique || _set is "s=s+1" or "s=c*2";

    /// <summary>The changes; a value that is NULL stands bare.</summary>
    public string Csv =>
        $"{string.Join(',', Fields)}\n{string.Concat(_records.Select(record => $"{string.Join(',', Used(record).Select(Field))}\n"))}";

    private IEnumerable<string> KeyNames => _keys.Select((_, i) => $"k{i}");

    private IEnumerable<string> ValueNames => [.. _values.Select((_, i) => $"v{i}"), "c", "f", .. ChangesUnique ? new[] { "u" } : []];

    private IEnumerable<string> Fields => [.. KeyNames, .. ValueNames];

    /// <summary>The tables: <c>source</c> with the first rows, <c>t</c> and <c>expected</c>, and <c>seen</c>, in which a key is
    /// once.</summary>
    public IEnumerable<string> Statements()
    {
        var columns = string.Join(',', [
            .. _keys.Select((type, i) => $"k{i} {type.Sql.Replace(" NULL DEFAULT NULL", "", StringComparison.Ordinal)} NOT NULL"),
            .. _values.Select((type, i) => $"v{i} {type.Sql}"),
        ]);
        yield return "CREATE TABLE parent (id INT PRIMARY KEY)";
        yield return $"INSERT INTO parent VALUES {string.Join(',', Enumerable.Range(0, 40).Select(i => $"({i})"))}";
        foreach (var table in new[] { "source", "seen", "t", "expected" })
        {
            var isTarget = table is "t" or "expected";
            yield return $"CREATE TABLE {table} ({columns}, c INT{(isTarget ? " CHECK (c<>13)" : "")}, f INT, u INT UNIQUE, s INT, n INT "
                + $"NOT NULL, {(IsUnique || table == "seen" ? "UNIQUE " : "")}KEY "
                + $"({string.Join(',', KeyNames)}){(isTarget ? ", FOREIGN KEY (f) REFERENCES parent (id)" : "")})";
        }

        for (var i = 0; i < _rows.Count; i++)
        {
            var row = _rows[i];
            yield return "INSERT IGNORE INTO source VALUES "
                + $"({string.Join(',', _keys.Concat(_values).Select((type, column) => Literal(type, row[column])))},{Number(row[^3], 13)},"
                + $"{Number(row[^2], 40)},{i},0,{i})";
        }

        foreach (var table in _isShared ? [] : new[] { "t", "expected" })
        {
            yield return $"CREATE TRIGGER {table}_signal BEFORE UPDATE ON {table} FOR EACH ROW BEGIN IF NEW.c=17 THEN SIGNAL SQLSTATE "
                + "'45000' SET MESSAGE_TEXT='not 17'; END IF; END";
        }

        foreach (var statement in Fill("expected"))
        {
            yield return statement;
        }
    }

    /// <summary>Gives a table its first rows back.</summary>
    public static IEnumerable<string> Fill(string table) =>
        [$"DELETE FROM {table}", $"INSERT INTO {table} SELECT * FROM source ORDER BY n"];

    /// <summary>Every value of a table, row by row.</summary>
    public string Contents(string table)
    {
        var values = _values.Select((type, i) => type.Sql == "POINT" ? $"HEX(ST_AsBinary(v{i}))"
            : type.Literal("a").StartsWith("x'", StringComparison.Ordinal) || type.Sql == "BIT(12)" ? $"HEX(v{i})" : $"v{i}");
        return $"SELECT n,{string.Join(',', values)},c,f,u,s FROM {table} ORDER BY n";
    }

    /// <summary>Changes rows of <c>expected</c> one by one.</summary>
    public async Task<(LoadCounts Counts, (long Record, string Code)[] Rejects)> UpdateOneByOneAsync(TestDatabase database)
    {
        var session = database.Session;
        for (var i = 0; i < _records.Count; i++)
        {
            if (!IsBad(_records[i]))
            {
                await session.ExecuteAsync(
                    $"INSERT INTO seen ({string.Join(',', KeyNames)},n) VALUES "
                        + $"({string.Join(',', _keys.Select((type, column) => Literal(type, _records[i][column])))},{i}) ON DUPLICATE KEY "
                        + $"UPDATE n=GREATEST(n,{i})", default);
            }
        }

        var last = (await session.QueryAsync("SELECT n FROM seen", default)).Rows
            .Select(row => int.Parse(row[0]!, CultureInfo.InvariantCulture)).ToHashSet();
        var counts = new LoadCounts { Read = _records.Count };
        var rejects = new List<(long Record, string Code)>();
        for (var i = 0; i < _records.Count; i++)
        {
            if (IsBad(_records[i]))
            {
                rejects.Add((i + 1, "not-an-integer"));
            }
            else if (!IsOrdered && !last.Contains(i))
            {
                counts = counts with { Superseded = counts.Superseded + 1 };
            }
            else
            {
                counts = await UpdateAsync(session, i, counts, rejects);
            }
        }

        return (counts with { Rejected = rejects.Count }, [.. rejects]);
    }

    /// <summary>The exact counts as the job tells them.</summary>
    public LoadCounts Told(LoadCounts counts) =>
        CountsMatched ? counts with { Updated = counts.Updated + counts.Unchanged, Unchanged = 0, ChangedRows = 0 } : counts;

    public LoadRequest Request(string file, string strategy, TestServer server, TestDatabase database) => new()
    {
        Kind = JobKind.Update,
        Files = [file],
        Table = "t",
        Strategy = strategy,
        Source = new SourceOptions { Format = InputFormat.Csv },
        Assignments = _set is { } set ? [new ColumnAssignment(set[..1], set[2..])] : [],
        Key = new KeyOptions
        { Columns = [.. KeyNames], Where = HasGuard ? "n % 2=0" : null, AllowMultiple = !IsUnique, CountsMatched = CountsMatched },
        Connection = server.Options() with { Database = database.Name },
        MaxRejects = RejectLimit.OfRecords(1000),
        RowsPerBatch = RowsPerBatch,
        BytesPerBatch = BytesPerBatch,
        RowsPerChunk = RowsPerChunk,
        Threads = _isShared ? 3 : null,
        Reload = true,
    };

    public override string ToString() =>
        $"{string.Join(" and ", _keys.Select(type => type.Name))} -> {string.Join(", ", _values.Select(type => type.Name))}, "
            + $"{RowsPerBatch} rows or {BytesPerBatch} bytes a batch, {RowsPerChunk} a "
            + $"chunk{(_isShared ? ", three sessions" : "")}{(HasGuard ? ", with a guard" : "")}{(IsUnique ? "" : ", several rows a key")}"
            + $"{(ChangesUnique ? ", a unique column changes" : "")}, set {_set}\n{Csv}";

    private async Task<LoadCounts> UpdateAsync(
        ServerSession session, int record, LoadCounts counts, List<(long Record, string Code)> rejects)
    {
        var values = Used(_records[record]).ToArray();
        var types = _keys.Concat(_values).ToArray();
        var set = ValueNames.Select((name, i) =>
            $"{name}={(i < _values.Length ? Literal(_values[i], values[_keys.Length + i]) : values[_keys.Length + i] ?? "NULL")}")
            .Concat(_set is null ? [] : new[] { _set });
        var condition = string.Join(" AND ", KeyNames.Select((name, i) => $"{name}={Literal(types[i], values[i])}"));
        try
        {
            var answer = await session.ExecuteAsync(
                $"UPDATE expected SET {string.Join(',', set)} WHERE {condition}{(HasGuard ? " AND n % 2=0" : "")}", default);
            var numbers = new long[3];
            Assert(answer.ReadNumbers(numbers) == 3 && answer.Warnings == 0, $"{answer}");
            if (numbers[0] == 0)
            {
                rejects.Add((record + 1, "not-found"));
                return counts;
            }

            return counts with
            {
                Updated = counts.Updated + (numbers[1] > 0 ? 1 : 0),
                Unchanged = counts.Unchanged + (numbers[1] > 0 ? 0 : 1),
                MatchedRows = counts.MatchedRows + numbers[0],
                ChangedRows = counts.ChangedRows + numbers[1],
            };
        }
        catch (ServerException fault) when (fault.Code is 1062 or 1452 or 3819 or 4025 or 1644)
        {
            rejects.Add((record + 1,
                fault.Code switch { 1062 => "duplicate-key", 1452 => "foreign-key", 1644 => "trigger-signal", _ => "check-constraint" }));
            return counts;
        }
    }

    private static void Assert(bool condition, string message) => Xunit.Assert.True(condition, message);

    private static KeyType[] Others(TestServer server) =>
    [
        new("text", "LONGTEXT CHARACTER SET utf8mb4", (n, _) => $"{new string('é', n * 40)}\t\n\\{n}", Quoted),
        new("blob", "LONGBLOB", (n, _) => $"00ff27{n:x2}{string.Concat(Enumerable.Repeat("5c", n * 30))}", text => $"x'{text}'"),
        new("float", "FLOAT", (n, _) => $"0.{n + 1:00}", Quoted),
        new("wide decimal", "DECIMAL(65,30)", (n, _) => $"{n}2345678901234567890123456789.123456789012345678901234567891", Quoted),
        new("json", "JSON", (n, _) => $$"""{"a": [{{n}}, "x'y"], "b": null}""", Quoted),
        new("point", "POINT", (n, _) => $"POINT({n} 2.5)", text => $"ST_GeomFromText('{text}')"),
        .. server.IsMariaDb ? [new("inet4", "INET4", (n, _) => $"10.0.0.{n}", Quoted)] : Array.Empty<KeyType>(),
    ];

    private static string Quoted(string text) =>
        $"'{text.Replace("\\", @"\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)}'";

    private static string Literal(KeyType type, string? text) => text is null ? "NULL" : type.Literal(text);

    /// <summary>What the table takes at first.</summary>
    private static string Number(string? text, int never) =>
        text is null or Bad || int.Parse(text, CultureInfo.InvariantCulture) >= never ? "NULL" : text;

    private static string Field(string? value) => value is null ? "" : $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private bool IsBad(string?[] record) => Used(record).Contains(Bad);

    private IEnumerable<string?> Used(string?[] record) => record.Take(Fields.Count());

    private IEnumerable<string> Key(Random random) => _keys.Select(type => type.Text(random.Next(_keys.Length == 1 ? 30 : 8), random));

    private IEnumerable<string?> Values(Random random, bool mayBeBad) =>
    [
        .. _values.Select(type => random.Next(5) == 0 ? null : type.Text(random.Next(12), random)),
        mayBeBad && random.Next(20) == 0 ? Bad : $"{random.Next(20)}",
        random.Next(4) == 0 ? null : $"{random.Next(mayBeBad ? 45 : 40)}",
        $"{random.Next(200)}",
    ];
}
