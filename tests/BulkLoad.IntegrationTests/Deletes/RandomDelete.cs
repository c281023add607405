using System.Globalization;
using BulkLoad.Core;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>A table, a file of keys and sizes that a seed decides; and what one DELETE a record makes of them.</summary>
internal sealed class RandomDelete
{
    private readonly List<string[]> _rows = [];
    private readonly List<string[]> _records = [];
    private readonly KeyType[] _types;

    public RandomDelete(TestServer server, int seed)
    {
        var random = new Random(seed);
        var types = KeyType.Of(server);
        _types = [types[seed % types.Count], .. random.Next(3) == 0 ? new[] { types[random.Next(types.Count)] } : []];
        for (var i = random.Next(80); i >= 0; i--)
        {
            _rows.Add(Key(random));
        }

        for (var i = random.Next(60); i >= 0; i--)
        {
            _records.Add(Key(random));
        }

        RowsPerBatch = random.Next(1, 40);
        RowsPerChunk = random.Next(1, 60);
        HasGuard = random.Next(4) == 0;
    }

    public int RowsPerBatch { get; }

    public int RowsPerChunk { get; }

    /// <summary>Whether only rows with an even number may go.</summary>
    public bool HasGuard { get; }

    /// <summary>The keys, every field in quotes.</summary>
    public string Csv => $"{string.Join(',', Names)}\n{string.Concat(_records.Select(record => $"{string.Join(',', record.Select(value => $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\""))}\n"))}";

    private IEnumerable<string> Names => _types.Select((_, i) => $"k{i}");

    /// <summary>The tables: <c>t</c>, <c>expected</c> with the same rows, and <c>seen</c>, in which a key can stand once.</summary>
    public IEnumerable<string> Statements()
    {
        var columns = string.Join(',', _types.Select((type, i) => $"k{i} {type.Sql.Replace(" NULL DEFAULT NULL", "", StringComparison.Ordinal)} NOT NULL"));
        foreach (var table in new[] { "t", "expected", "seen" })
        {
            yield return $"CREATE TABLE {table} ({columns}, n INT NOT NULL, UNIQUE KEY ({string.Join(',', Names)}))";
        }

        for (var i = 0; i < _rows.Count; i++)
        {
            yield return Insert("expected", _rows[i], i);
        }

        yield return "INSERT INTO t SELECT * FROM expected";
    }

    /// <summary>Deletes one by one from <c>expected</c>.</summary>
    /// <returns>the counts, and the records whose key was not there</returns>
    public async Task<(LoadCounts Counts, long[] Missing)> DeleteOneByOneAsync(TestDatabase database)
    {
        var (deleted, superseded) = (0, 0);
        var missing = new List<long>();
        for (var i = 0; i < _records.Count; i++)
        {
            if ((await database.Session.ExecuteAsync(Insert("seen", _records[i], i), default)).AffectedRows == 0)
            {
                superseded++;
                continue;
            }

            var condition = string.Join(" AND ", _types.Select((type, column) => $"k{column}={type.Literal(_records[i][column])}"));
            var answer = await database.Session.ExecuteAsync($"DELETE FROM expected WHERE {condition}{(HasGuard ? " AND n % 2=0" : "")}", default);
            deleted += (int)answer.AffectedRows;
            if (answer.AffectedRows == 0)
            {
                missing.Add(i + 1);
            }
        }

        return (new LoadCounts { Read = _records.Count, Deleted = deleted, DeletedRows = deleted, Superseded = superseded, Rejected = missing.Count }, [.. missing]);
    }

    public LoadRequest Request(string file, TestServer server, TestDatabase database) => new()
    {
        Kind = JobKind.Delete,
        Files = [file],
        Table = "t",
        Source = new SourceOptions { Format = InputFormat.Csv },
        Key = new KeyOptions { Columns = [.. Names], Where = HasGuard ? "n % 2=0" : null },
        Connection = server.Options() with { Database = database.Name },
        MaxRejects = RejectLimit.OfRecords(1000),
        RowsPerBatch = RowsPerBatch,
        RowsPerChunk = RowsPerChunk,
    };

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{string.Join(" and ", _types.Select(type => type.Name))}, {RowsPerBatch} rows a batch, {RowsPerChunk} a chunk{(HasGuard ? ", with a guard" : "")}\n{Csv}");

    private string Insert(string table, string[] key, int number) =>
        string.Create(CultureInfo.InvariantCulture, $"INSERT IGNORE INTO {table} VALUES ({string.Join(',', _types.Select((type, i) => type.Literal(key[i])))},{number})");

    private string[] Key(Random random) => [.. _types.Select(type => type.Text(random.Next(_types.Length == 1 ? KeyType.MostValues : 8), random))];
}
