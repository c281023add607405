using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>
/// Statements of a preview: the rows that a job may touch in two temporary copies of the table, one that the job works on and one that stays as it was. No
/// statement names a temporary table twice, which MySQL refuses (error 1137). Pure.
/// </summary>
/// <param name="table">the target</param>
internal sealed class PreviewSql(TableFacts table)
{
    /// <summary>The copy that the job works on.</summary>
    public const string Copy = "bulkload_copy";

    /// <summary>The copy that stays as it was.</summary>
    public const string Before = "bulkload_before";

    private readonly string _t = SqlName.Quote(table.Database, table.Name);
    private readonly string _copy = SqlName.Quote(table.Database, Copy);
    private readonly string _before = SqlName.Quote(table.Database, Before);
    private readonly IReadOnlyList<TableColumn> _stored = [.. table.Columns.Where(column => !column.IsGenerated)];
    private readonly IReadOnlyList<string> _key = table.RowKey?.Columns.ToList() ?? [];

    /// <summary>Tells whether a row was found. A date of zero IS NULL where the column is NOT NULL, so another column is better.</summary>
    private readonly string _first = SqlName.Quote(
        table.RowKey?.Columns.OrderBy(name => table.Find(name)!.Kind is ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp).First() ?? "");

    /// <summary>Whether rows can be told apart, by a key whose columns are not NULL.</summary>
    public bool HasKey => _key.Count > 0;

    /// <summary>Keys, foreign keys and triggers are not copied but for the first of these.</summary>
    public IEnumerable<string> Create => [$"CREATE TEMPORARY TABLE {_copy} LIKE {_t}", $"CREATE TEMPORARY TABLE {_before} LIKE {_t}"];

    /// <summary>The same from the text of SHOW CREATE TABLE, where the server copies no such table: without what a temporary table cannot have.</summary>
    public IEnumerable<string> CreateFrom(string text) =>
        ["DROP TEMPORARY TABLE IF EXISTS " + _copy, TableText.Temporary(_copy, text), TableText.Temporary(_before, text)];

    /// <summary>Rows that are there may have values that a strict session refuses; a variable has the session's own modes.</summary>
    public const string BeLenient = "SET @bulkload_modes = @@sql_mode, SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'";

    /// <inheritdoc cref="BeLenient"/>
    public const string BeStrict = "SET SESSION sql_mode = @bulkload_modes";

    /// <summary>Rows of the table that have a staged key, into the copy, whether or not they are there already.</summary>
    /// <param name="stage">the table of staged keys, quoted</param>
    /// <param name="pairs">the table's columns, each with the one of the staged key</param>
    /// <param name="index">by which rows are found; null: the table is read</param>
    public string CopyRows(string stage, IReadOnlyList<(string Column, string Staged)> pairs, string? index)
    {
        var same = string.Join(" AND ", pairs.Select(pair => $"t.{SqlName.Quote(pair.Column)} = s.{pair.Staged}"));
        return table.UniqueKeys.Count == 0
            ? $"INSERT INTO {_copy} ({Names()}) SELECT {Names("t")} FROM {_t} t WHERE EXISTS (SELECT 1 FROM {stage} s WHERE {same})"
            : $"REPLACE INTO {_copy} ({Names()}) SELECT {Names("t")} FROM {stage} s STRAIGHT_JOIN {_t} t{(index is null ? "" : $" FORCE INDEX ({SqlName.Quote(index)})")} ON {same}";
    }

    /// <summary>What the job finds.</summary>
    public string Keep => $"INSERT INTO {_before} ({Names()}) SELECT {Names()} FROM {_copy}";

    /// <summary>One value: the number behind the largest of a column that gets generated ones, or NULL.</summary>
    public string NextNumber(TableColumn column) => $"SELECT MAX({SqlName.Quote(column.Name)}) + 1 FROM {_t}";

    /// <summary>The copy's generated numbers begin where the table's do.</summary>
    public string BeginWith(ulong number) => $"ALTER TABLE {_copy} AUTO_INCREMENT = {number}";

    /// <summary>One value: rows of the table.</summary>
    public string CountRows => $"SELECT COUNT(*) FROM {_t}";

    /// <summary>One value: rows of the copy that have the unique value of a row that the copy does not have.</summary>
    public string CountConflicts(UniqueKey key) =>
        $"SELECT COUNT(*) FROM {_copy} c JOIN {_t} t FORCE INDEX ({SqlName.Quote(key.Name)}) ON {Pairs(key.Columns, key.Columns, "c", "t")} "
        + $"LEFT JOIN {_before} b ON {Pairs(_key, _key, "t", "b")} WHERE b.{_first} IS NULL";

    /// <summary>One value: new or changed rows that refer to no row.</summary>
    /// <param name="key">a foreign key of the table</param>
    public string CountOrphans(SeedReference key)
    {
        var changed = key.Columns.Select(column => $"NOT (c.{SqlName.Quote(column)} <=> b.{SqlName.Quote(column)})");
        return $"SELECT COUNT(*) FROM {_copy} c LEFT JOIN {SqlName.Quote(key.ToDatabase, key.ToTable)} p ON {Pairs(key.Columns, key.ToColumns, "c", "p")} "
            + (HasKey ? $"LEFT JOIN {_before} b ON {Pairs(_key, _key, "c", "b")} " : "")
            + $"WHERE {string.Join(" AND ", key.Columns.Select(column => $"c.{SqlName.Quote(column)} IS NOT NULL"))} AND p.{SqlName.Quote(key.ToColumns[0])} IS NULL"
            + (HasKey ? $" AND (b.{_first} IS NULL OR {string.Join(" OR ", changed)})" : "");
    }

    /// <summary>One value: rows of another table that refer to rows that would be gone, or have another value there.</summary>
    /// <param name="database">of the other table</param>
    /// <param name="key">a foreign key of the other table</param>
    public string CountChildren(string database, SeedReference key) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(database, key.Table)} x JOIN {_before} b ON {Pairs(key.Columns, key.ToColumns, "x", "b")} "
        + $"LEFT JOIN {_copy} c ON {Pairs(_key, _key, "b", "c")} AND {Pairs(key.ToColumns, key.ToColumns, "b", "c")} WHERE c.{_first} IS NULL";

    /// <summary>What tells the two copies apart.</summary>
    /// <param name="mostShown">characters of a value</param>
    public StageSql Differences(int mostShown) => new(
        new SeedTable(table.Database, Before)
        {
            Columns = [.. _stored.Select(column => new SeedColumn(column.Name, column.Kind, column.IsNullable, column.IsGenerated))],
            Key = _key,
        },
        [.. _stored.Select(column => column.Name)], [], Copy, mostShown);

    private string Names(string? alias = null) => string.Join(", ", _stored.Select(column => $"{(alias is null ? "" : $"{alias}.")}{SqlName.Quote(column.Name)}"));

    private static string Pairs(IEnumerable<string> columns, IEnumerable<string> others, string one, string other) =>
        string.Join(" AND ", columns.Zip(others, (column, to) => $"{one}.{SqlName.Quote(column)} = {other}.{SqlName.Quote(to)}"));
}
