using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Statements that make a table equal to its staging table, as <c>t</c> and <c>s</c>. The staging table has the table's columns
/// and indexes, no foreign keys, and exactly the records of the file. Pure.</summary>
/// <param name="deferred">foreign keys whose columns are set by <see cref="Update"/>, and are NULL in <see cref="Insert"/></param>
/// <param name="staging">the staging table's name; null: the default one</param>
internal sealed class StageSql(
    TableFacts table, IReadOnlyList<string> filled, IReadOnlyList<ForeignKey> deferred, string? staging = null,
    int maxShown = StageSql.MaxShown)
{
    public const string Prefix = $"{SeedSql.OwnPrefix}stage_";

    /// <summary>Comment of a staging table: one without it belongs to somebody else.</summary>
    public const string Comment = "Staging table of bulkload seed; the next seed drops it";

    public const int MaxShown = 60;

    private readonly int _mostShown = maxShown;
    private readonly string _t = table.QuotedName;
    private readonly string _s = SqlName.Quote(table.Database, staging ?? NameOf(table.Name));
    private readonly string _on = JoinSql.On("t", table.PrimaryKey, "s", table.PrimaryKey);
    private readonly HashSet<string> _late =
        deferred.SelectMany(key => table.NullableOf(key)).ToHashSet(StringComparer.OrdinalIgnoreCase);

    /// <summary>People find the name in messages of the server.</summary>
    public static string NameOf(string table) => SqlName.Fit(Prefix + table);

    public string Create => $"CREATE TABLE {_s} LIKE {_t}";

    /// <summary>Follows <see cref="Create"/>, which can give no comment.</summary>
    public string Mark => $"ALTER TABLE {_s} COMMENT = {SqlLiteral.Quote(Comment)}";

    public string CountRecords => RowCountSql.All(_s);

    public string CountRows => RowCountSql.All(_t);

    /// <summary>One row: how many rows have a record's key, and how many of these differ from it.</summary>
    public string CountPresent => $"SELECT COUNT(*), COALESCE(SUM({Differs()}), 0) FROM {_t} t JOIN {_s} s ON {_on}";

    /// <summary>An example of a row of the table that has a record's key: the key.</summary>
    public string FindPresent => $"SELECT {KeyOf("t")} FROM {_t} t JOIN {_s} s ON {_on} LIMIT 1";

    /// <summary>Inserts records whose key is not in the table, or all of them if the table has no key.</summary>
    /// <param name="onlyMissing">whether rows with a record's key may exist</param>
    public string Insert(bool onlyMissing) => $"INSERT INTO {_t} ({SqlName.List(filled)}) SELECT {Selected()} FROM {_s} s"
        + (onlyMissing ? $" LEFT JOIN {_t} t ON {_on} WHERE t.{FirstKey} IS NULL" : "");

    /// <summary>Inserts the records that have a level, in that order.</summary>
    public string InsertByLevels
    {
        get
        {
            var (join, order) = LevelSql.InOrder(table, "s");
            return $"INSERT INTO {_t} ({SqlName.List(filled)}) SELECT {Selected()} FROM {_s} s{join}{order}";
        }
    }

    public string Update => $"UPDATE {_t} t JOIN {_s} s ON {_on} SET {Assigned} WHERE {Differs()}";

    /// <summary>Only rows whose new unique values no other row has at present.</summary>
    public string UpdateFree => $"UPDATE {_t} t JOIN {_s} s ON {_on} "
        + string.Concat(table.OtherKeys.Select(
            (key, i) => $"LEFT JOIN {_t} o{i} ON {JoinSql.On($"o{i}", key, "s", key)} AND NOT ({Same($"o{i}", "t")}) "))
        + $"SET {Assigned} WHERE {Differs()}" + string.Concat(table.OtherKeys.Select((_, i) => $" AND o{i}.{FirstKey} IS NULL"));

    /// <summary>Deletes rows that differ from their record, which are then inserted again.</summary>
    public string DeleteChanged => $"DELETE t FROM {_t} t JOIN {_s} s ON {_on} WHERE {Differs()}";

    /// <summary>Sets unique values that will change to NULL, if they may be NULL; null: none may.</summary>
    public string? MakeRoom
    {
        get
        {
            var free = table.OtherKeys.SelectMany(key => key).Distinct(StringComparer.OrdinalIgnoreCase)
                .Where(column => filled.Contains(column, StringComparer.OrdinalIgnoreCase)
                    && table.Find(column) is { IsNullable: true, IsGenerated: false } && !table.PrimaryKey.Contains(column)).ToList();
            return free.Count == 0 ? null
                : $"UPDATE {_t} t LEFT JOIN {_s} s ON {_on} SET "
                    + $"{string.Join(", ", free.Select(column => $"t.{SqlName.Quote(column)} = NULL"))} WHERE s.{FirstKey} IS NULL OR "
                    + $"({Differs()})";
        }
    }

    public string Delete => $"DELETE t FROM {_t} t LEFT JOIN {_s} s ON {_on} WHERE s.{FirstKey} IS NULL";

    /// <summary>Sets the references of rows that will be deleted to NULL; null: no key is deferred.</summary>
    public string? Unlink => _late.Count == 0 ? null
        : $"UPDATE {_t} t LEFT JOIN {_s} s ON {_on} SET "
            + $"{string.Join(", ", _late.Select(column => $"t.{SqlName.Quote(column)} = NULL"))} WHERE s.{FirstKey} IS NULL";

    /// <summary>Lets rows that will be deleted refer to a row that stays: InnoDB cannot delete a row that refers to itself. Null: that
    /// would change their key.</summary>
    /// <param name="key">a foreign key of the table to itself</param>
    public string? Repoint(ForeignKey key) => key.Columns.Any(table.PrimaryKey.Contains) ? null
        : $"UPDATE {_t} t LEFT JOIN {_s} s ON {_on} JOIN (SELECT "
            + $"{string.Join(", ", key.ToColumns.Select((column, i) => $"k.{SqlName.Quote(column)} AS c{i}"))} FROM {_t} k JOIN {_s} l ON "
            + $"{Same("k", "l")} LIMIT 1) r "
            + $"SET {string.Join(", ", key.Columns.Select((column, i) => $"t.{SqlName.Quote(column)} = r.c{i}"))} WHERE s.{FirstKey} "
            + "IS NULL";

    /// <summary>One value: number of rows of another table that refer to rows that will be deleted.</summary>
    public string CountReferring(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(key.Database, key.Table)} c JOIN {_t} t ON {Pairs(key, "c", "t")} LEFT JOIN {_s} s ON "
            + $"{_on} WHERE s.{FirstKey} IS NULL";

    /// <summary>One value: number of rows of another table that refer to rows whose value, which they refer to, will change.</summary>
    public string CountMoved(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(key.Database, key.Table)} c JOIN {_t} t ON {Pairs(key, "c", "t")} JOIN {_s} s ON {_on} "
            + $"WHERE NOT ({string.Join(" AND ", key.ToColumns.Select(column => Equal(table.Find(column)!)))})";

    /// <summary>Records that refer to no row: their key, and the values that refer.</summary>
    /// <param name="parents">the table that the records refer to</param>
    /// <param name="isInTable">whether the table itself is searched, since its file is as the last seed left it</param>
    public string FindOrphans(ForeignKey key, string parents, bool isInTable = false) =>
        $"SELECT {(table.PrimaryKey.Count > 0 ? KeyOf("s") : "''")}, CONCAT_WS(', ', "
            + $"{string.Join(", ", key.Columns.Select(column => $"s.{SqlName.Quote(column)}"))}) FROM {(isInTable ? _t : _s)} s "
            + $"LEFT JOIN {parents} p ON {Pairs(key, "s", "p")} "
        + $"WHERE {string.Join(" AND ", key.Columns.Select(column => $"s.{SqlName.Quote(column)} IS NOT NULL"))} AND "
        + $"p.{SqlName.Quote(key.ToColumns[0])} IS NULL LIMIT 3";

    /// <summary>Records that are no rows yet: their key and values, as text.</summary>
    public string ShowNew(long most) =>
        $"SELECT {KeyOf("s")} FROM {_s} s LEFT JOIN {_t} t ON {_on} WHERE t.{FirstKey} IS NULL ORDER BY {OrderOf("s")} LIMIT {most}";

    public string ShowExtra(long most) =>
        $"SELECT {KeyOf("t")} FROM {_t} t LEFT JOIN {_s} s ON {_on} WHERE s.{FirstKey} IS NULL ORDER BY {OrderOf("t")} LIMIT {most}";

    /// <summary>Rows that differ: their key, and for each column that can change the present value and the new one, or NULL, NULL if they
    /// are equal.</summary>
    public string ShowChanged(long most) => $"SELECT {KeyOf("t")}, "
        + string.Join(", ", Comparable.Select(column => $"NOT ({Equal(column)}), {Shown("t", column)}, {Shown("s", column)}"))
        + $" FROM {_t} t JOIN {_s} s ON {_on} WHERE {Differs()} ORDER BY {OrderOf("t")} LIMIT {most}";

    public IReadOnlyList<TableColumn> Comparable { get; } = [.. filled.Select(table.Find).OfType<TableColumn>()];

    private string FirstKey => SqlName.Quote(table.FoundBy);

    private string Assigned => string.Join(", ", filled.Select(column => $"t.{SqlName.Quote(column)} = s.{SqlName.Quote(column)}"));

    private string Selected() => string.Join(", ", filled.Select(column => _late.Contains(column) ? "NULL" : $"s.{SqlName.Quote(column)}"));

    private string Differs() => $"NOT ({string.Join(" AND ", Comparable.Select(Equal))})";

    private string KeyOf(string alias) =>
        $"CONCAT_WS(', ', {string.Join(", ", table.PrimaryKey.Select(column => Shown(alias, table.Find(column)!)))})";

    private string OrderOf(string alias) => string.Join(", ", table.PrimaryKey.Select(column => $"{alias}.{SqlName.Quote(column)}"));

    private string Same(string one, string other) => JoinSql.On(one, table.PrimaryKey, other, table.PrimaryKey);

    private static string Pairs(ForeignKey key, string child, string parent) => JoinSql.On(child, key.Columns, parent, key.ToColumns);

    private static string Equal(TableColumn column) =>
        ExactSql.AreSame($"t.{SqlName.Quote(column.Name)}", $"s.{SqlName.Quote(column.Name)}", column.Kind);

    private string Shown(string alias, TableColumn column) =>
        ColumnSql.Of(column.Kind).Shown($"{alias}.{SqlName.Quote(column.Name)}", _mostShown);
}
