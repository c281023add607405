using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>
/// A table and its copy: how the one becomes the other, and how it becomes as it was. Values are compared as they are stored, so that two
/// are the same only if
/// nobody can tell them apart.
/// </summary>
internal sealed class CopySql
{
    /// <summary>Neither is a name that a column could be mistaken for: each column is written with one of them.</summary>
    private const string Row = "t", Kept = "c";

    private readonly string _table;
    private readonly string _copy;
    private readonly string _columns;
    private readonly IReadOnlyList<TableColumn> _stored;
    private readonly string? _hasKey;
    private readonly string _isSame;
    private readonly string? _tested;

    /// <param name="table">the table</param>
    /// <param name="schema">that has its copy</param>
    /// <param name="copy">the copy's name</param>
    public CopySql(TableFacts table, string schema, string copy)
    {
        _table = SqlName.Quote(table.Database, table.Name);
        _copy = SqlName.Quote(schema, copy);
        _stored = [.. table.Columns.Where(column => !column.IsGenerated)];
        _columns = SqlName.List(_stored.Select(column => column.Name));
        Key = FindKey(table);
        _hasKey = Key is null ? null : string.Join(" AND ", Key.Select(column => $"{Of(Kept, column)} = {Of(Row, column)}"));
        _tested = Key?
            .FirstOrDefault(name => table.Find(name)!.Kind is not (ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp));
        _isSame = string.Join(
            " AND ", _stored.Select(column => ExactSql.AreSame(Of(Row, column.Name), Of(Kept, column.Name), column.Kind)));
    }

    /// <summary>
    /// The columns by which a row finds its copy: of the primary key, else of a unique one without NULL; null: there is none.
    /// </summary>
    public IReadOnlyList<string>? Key { get; }

    /// <summary>Fills the copy with the table's rows.</summary>
    public string Fill => $"INSERT INTO {_copy} ({_columns}) SELECT {_columns} FROM {_table}";

    /// <summary>Deletes rows that have no copy, or another one. Only with a <see cref="Key"/>.</summary>
    public string DeleteOthers => $"DELETE {Row} FROM {_table} AS {Row} {Without(_copy, Kept, $"{_hasKey} AND {_isSame}")}";

    /// <summary>Inserts rows of the copy that the table has not. Only with a <see cref="Key"/>.</summary>
    public string InsertMissing =>
        $"INSERT INTO {_table} ({_columns}) SELECT {string.Join(',', _stored.Select(column => Of(Kept, column.Name)))} FROM {_copy} AS "
            + $"{Kept} {Without(_table, Row, _hasKey!)}";

    /// <summary>One value: rows of the table, of which none can come or go from then on.</summary>
    public string Count => $"SELECT COUNT(*) FROM {_table} LOCK IN SHARE MODE";

    /// <summary>
    /// Makes rows like their copies where they stand, for a table whose triggers change what is inserted. Only with a <see cref="Key"/>.
    /// </summary>
    public string UpdateOthers =>
        $"UPDATE {_table} AS {Row} JOIN {_copy} AS {Kept} ON {_hasKey} SET "
            + $"{string.Join(", ", _stored.Select(column => $"{Of(Row, column.Name)} = {Of(Kept, column.Name)}"))} "
        + $"WHERE NOT ({_isSame})";

    /// <summary>A row if the table does not have just the rows of the copy, each as often.</summary>
    public string FindDifference
    {
        get
        {
            var names = string.Join(", ", Enumerable.Range(0, _stored.Sum(column => Forms(Row, column).Length)).Select(i => $"f{i}"));
            return $"SELECT 1 FROM ({Side(_table, Row, 1)} UNION ALL {Side(_copy, Kept, -1)}) AS u GROUP BY {names} HAVING SUM(side) <> "
                + $"0 LIMIT 1";
        }
    }

    public string DeleteAll => $"DELETE FROM {_table}";

    public string InsertAll => $"INSERT INTO {_table} ({_columns}) SELECT {_columns} FROM {_copy}";

    /// <inheritdoc cref="ExactSql.Sum"/>
    public static string Sum(TableFacts table) => ExactSql.Sum(
        SqlName.Quote(table.Database, table.Name),
        table.Columns.Where(column => !column.IsGenerated).Select(column => (SqlName.Quote(column.Name), column.Kind)));

    /// <summary>
    /// Leaves the rows that have no partner. MariaDB looks for it in a subquery four times as long as in a join; but a join would take a
    /// date of zero for none, where
    /// the column is NOT NULL.
    /// </summary>
    private string Without(string partners, string alias, string condition) => _tested is { } tested
        ? $"LEFT JOIN {partners} AS {alias} ON {condition} WHERE {Of(alias, tested)} IS NULL"
        : $"WHERE NOT EXISTS (SELECT 1 FROM {partners} AS {alias} WHERE {condition})";

    private string Side(string table, string alias, int side) =>
        $"SELECT {string.Join(", ", _stored.SelectMany(column => Forms(alias, column)).Select((form, i) => $"{form} AS f{i}"))}, {side} "
            + $"AS side FROM {table} AS {alias}";

    private static IReadOnlyList<string>? FindKey(TableFacts table) => table.UniqueKeys
        .Where(key => key.Parts.All(part => part.Column is { } column && table.Find(column) is { IsNullable: false }))
        .OrderBy(key => key.Name != "PRIMARY")
        .Select(key => key.Columns.ToArray())
        .FirstOrDefault();

    private static string Of(string alias, string column) => $"{alias}.{SqlName.Quote(column)}";

    private static string[] Forms(string alias, TableColumn column) => ExactSql.Forms(Of(alias, column.Name), column.Kind);
}
