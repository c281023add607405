using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>A record that one DELETE does not find, or that the server does not let go.</summary>
internal sealed record Refused(long Record, string Code);

/// <summary>Tables, a file of keys and sizes that a seed decides; and what one DELETE a record makes of them.</summary>
internal sealed class RandomDelete
{
    private readonly List<string[]> _rows = [];
    private readonly List<string[]> _records;
    private readonly KeyType[] _types;

    /// <summary>Rows that a row of another table refers to.</summary>
    private readonly int[] _holders;

    /// <summary>What becomes of those when the row goes.</summary>
    private readonly string _holderRule;

    /// <summary>Whether a trigger writes down which rows went.</summary>
    private readonly bool _hasTrigger;

    /// <summary>What becomes of rows that refer to one of their own table when that goes; null: none does.</summary>
    private readonly string? _selfRule;
    private readonly int?[] _parents;

    /// <summary>Whether several sessions may be at work, of some seeds on keys that rise through the file, where they are
    /// numbers.</summary>
    private readonly bool _isShared;

    public RandomDelete(TestServer server, int seed)
    {
        var random = new Random(seed);
        var types = KeyType.Of(server);
        _types = [types[seed % types.Count], .. random.Next(3) == 0 ? new[] { types[random.Next(types.Count)] } : []];
        for (var i = random.Next(80); i >= 0; i--)
        {
            _rows.Add(Key(random));
        }

        _isShared = seed % 5 < 3;
        var records = Enumerable.Range(0, random.Next(1, 61)).Select(_ => Key(random)).ToList();
        _records = seed % 5 < 2
            ? [.. records.OrderBy(record => record[0].Length).ThenBy(record => record[0], StringComparer.Ordinal)] : records;
        RowsPerBatch = random.Next(1, 40);
        RowsPerChunk = random.Next(1, 60);
        HasGuard = random.Next(4) == 0;
        IsUnique = random.Next(5) > 0;
        _holders = random.Next(4) == 0 ? [.. Enumerable.Range(0, _rows.Count).Where(_ => random.Next(4) == 0)] : [];
        _holderRule = random.Next(2) == 0 ? "CASCADE" : "RESTRICT";
        _hasTrigger = random.Next(4) == 0 && !_isShared;
        _selfRule = random.Next(5) switch { 0 => "CASCADE", 1 => "RESTRICT", 2 => "SET NULL", _ => null };
        _parents = [.. _rows.Select((_, row) => row == 0 || random.Next(2) == 0 ? (int?)null : random.Next(row))];
    }

    public int RowsPerBatch { get; }

    public int RowsPerChunk { get; }

    /// <summary>Whether only rows with an even number may go.</summary>
    public bool HasGuard { get; }

    /// <summary>Whether a key finds one row at most.</summary>
    public bool IsUnique { get; }

    /// <summary>Whether the server can have reason to refuse a row.</summary>
    public bool HasForeignKeys => (_holders.Length > 0 && _holderRule == "RESTRICT") || _selfRule is not null;

    /// <summary>The keys, every field in quotes.</summary>
    public string Csv => $"{string.Join(',', Names)}\n"
        + string.Concat(_records.Select(record =>
            string.Join(',', record.Select(value => $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"")) + "\n"));

    private IEnumerable<string> Names => _types.Select((_, i) => $"k{i}");

    /// <summary>
    /// The tables: <c>t</c>, <c>expected</c> and <c>source</c> with the same rows, and <c>seen</c>, in which a key can stand once. The rows
    /// of <c>t_holders</c> and <c>expected_holders</c> keep some of the first two from going, or go with them; <c>t_log</c> and
    /// <c>expected_log</c> tell which of them a trigger saw go.
    /// </summary>
    public IEnumerable<string> Statements()
    {
        var columns = string.Join(
            ',', _types.Select((type, i) => $"k{i} {type.Sql.Replace(" NULL DEFAULT NULL", "", StringComparison.Ordinal)} NOT NULL"));
        foreach (var table in new[] { "source", "seen", "t", "expected" })
        {
            var self = _selfRule is null || table is "source" or "seen"
                ? "" : $", CONSTRAINT {table}_self FOREIGN KEY (parent) REFERENCES {table} (n) ON DELETE {_selfRule}";
            yield return $"CREATE TABLE {table} ({columns}, n INT NOT NULL, parent INT, UNIQUE KEY (n), "
                + $"{(IsUnique || table == "seen" ? "UNIQUE " : "")}KEY ({string.Join(',', Names)}){self})";
        }

        for (var i = 0; i < _rows.Count; i++)
        {
            yield return Insert("source", _rows[i], i, _parents[i]);
        }

        // A row that could not go in has no children either.
        yield return "DELETE c FROM source c LEFT JOIN source p ON p.n=c.parent WHERE c.parent IS NOT NULL AND p.n IS NULL";
        yield return "UPDATE source c LEFT JOIN source p ON p.n=c.parent SET c.parent=NULL WHERE p.n IS NULL";
        foreach (var table in new[] { "t", "expected" })
        {
            yield return $"CREATE TABLE {table}_holders (n INT NOT NULL, FOREIGN KEY (n) REFERENCES {table} (n) ON DELETE {_holderRule})";
            yield return $"CREATE TABLE {table}_log (n INT NOT NULL)";
            if (_hasTrigger)
            {
                yield return $"CREATE TRIGGER {table}_gone AFTER DELETE ON {table} FOR EACH ROW INSERT INTO {table}_log VALUES (OLD.n)";
            }

            foreach (var statement in Fill(table))
            {
                yield return statement;
            }
        }
    }

    /// <summary>Gives a table its first rows back.</summary>
    public IEnumerable<string> Fill(string table)
    {
        yield return $"DELETE FROM {table}_holders";
        yield return $"UPDATE {table} SET parent=NULL";
        yield return $"DELETE FROM {table}";
        yield return $"INSERT INTO {table} SELECT * FROM source ORDER BY n";
        yield return $"DELETE FROM {table}_log";
        if (_holders.Length > 0)
        {
            yield return $"INSERT INTO {table}_holders SELECT n FROM source WHERE n IN ({string.Join(',', _holders)})";
        }
    }

    /// <summary>Deletes one by one from <c>expected</c>.</summary>
    public async Task<(LoadCounts Counts, Refused[] Rejects)> DeleteOneByOneAsync(TestDatabase database)
    {
        var counts = new LoadCounts { Read = _records.Count };
        var refused = new List<Refused>();
        for (var i = 0; i < _records.Count; i++)
        {
            var isRepeated = (await database.Session.ExecuteAsync(Insert("seen", _records[i], i, null), default)).AffectedRows == 0;
            var (rows, fault) = await DeleteAsync(database, _records[i]);
            if (rows > 0)
            {
                counts = counts with { Deleted = counts.Deleted + 1, DeletedRows = counts.DeletedRows + rows };
            }
            else if (isRepeated)
            {
                counts = counts with { Superseded = counts.Superseded + 1 };
            }
            else
            {
                refused.Add(new Refused(i + 1, fault));
            }
        }

        return (counts with { Rejected = refused.Count }, [.. refused]);
    }

    private async Task<(long Rows, string Fault)> DeleteAsync(TestDatabase database, string[] record)
    {
        var condition = string.Join(" AND ", _types.Select((type, column) => $"k{column}={type.Literal(record[column])}"));
        try
        {
            return ((long)(await database.Session.ExecuteAsync(
                $"DELETE FROM expected WHERE {condition}{(HasGuard ? " AND n % 2=0" : "")}", default)).AffectedRows, "not-found");
        }
        catch (ServerException fault) when (fault.Code is 1451 or 1217 or 6575)
        {
            return (0, "foreign-key");
        }
    }

    public LoadRequest Request(string file, string strategy, TestServer server, TestDatabase database) => new()
    {
        Reload = true,
        Kind = JobKind.Delete,
        Files = [file],
        Table = "t",
        Strategy = strategy,
        Source = new SourceOptions { Format = InputFormat.Csv },
        Key = new KeyOptions { Columns = [.. Names], Where = HasGuard ? "n % 2=0" : null, AllowMultiple = !IsUnique },
        Connection = server.Options() with { Database = database.Name },
        MaxRejects = RejectLimit.OfRecords(1000),
        RowsPerBatch = RowsPerBatch,
        RowsPerChunk = RowsPerChunk,
        Threads = _isShared ? 3 : null,
    };

    public override string ToString() =>
        $"{string.Join(" and ", _types.Select(type => type.Name))}, {RowsPerBatch} rows a batch, {RowsPerChunk} a "
            + $"chunk{(_isShared ? ", three sessions" : "")}{(HasGuard ? ", with a guard" : "")}{(IsUnique ? "" : ", several rows a key")}"
            + $", {_holders.Length} rows held ({_holderRule}){(_hasTrigger ? ", with a trigger" : "")}"
            + $"{(_selfRule is null ? "" : $", rows refer to rows and {_selfRule}")}\n{Csv}";

    private string Insert(string table, string[] key, int number, int? parent) =>
        $"INSERT IGNORE INTO {table} VALUES ({string.Join(',', _types.Select((type, i) => type.Literal(key[i])))},{number},"
            + $"{parent?.ToString() ?? "NULL"})";

    private string[] Key(Random random) =>
        [.. _types.Select(type => type.Text(random.Next(_types.Length == 1 ? KeyType.MaxValues : 8), random))];
}
