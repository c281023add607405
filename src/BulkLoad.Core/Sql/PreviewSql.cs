using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Statements of a preview: the rows that a job may change in two temporary copies of the table, one that the job works on and one
/// that stays as it was. No statement names a temporary table twice, which MySQL refuses (error 1137). Pure.</summary>
internal sealed class PreviewSql(TableFacts table)
{
    public const string Copy = "bulkload_copy";

    public const string Before = "bulkload_before";

    private readonly string _t = table.QuotedName;
    private readonly string _copy = SqlName.Quote(table.Database, Copy);
    private readonly string _again = SqlName.Quote(table.Database, $"{Copy}_again");
    private readonly string _before = SqlName.Quote(table.Database, Before);
    private readonly TableFacts _rows = table with
    {
        Name = Before,
        Columns = [.. table.Columns.Where(column => !column.IsGenerated)],
        UniqueKeys = table.RowKey is { } key ? [key with { Name = UniqueKey.Primary }] : [],
    };

    /// <summary>Whether a key of columns that are NOT NULL identifies rows.</summary>
    public bool HasKey => _rows.PrimaryKey.Count > 0;

    /// <summary>By the server's own means: without foreign keys and triggers.</summary>
    public IEnumerable<string> Create => [$"CREATE TEMPORARY TABLE {_copy} LIKE {_t}", $"CREATE TEMPORARY TABLE {_before} LIKE {_t}"];

    /// <summary>Makes both copies from the text of SHOW CREATE TABLE, if the server copies no such table: without what a temporary table
    /// cannot have.</summary>
    public IEnumerable<string> CreateFrom(string text) =>
        [$"DROP TEMPORARY TABLE IF EXISTS {_copy}", TableText.Temporary(_copy, text), TableText.Temporary(_before, text)];

    /// <summary>A row if the server checks foreign keys before its engine looks for rows with the same key (MySQL from 9.6 on).</summary>
    public const string LooksFirst = "SHOW VARIABLES WHERE Variable_name = 'innodb_native_foreign_keys' AND Value = 'OFF'";

    /// <summary>Existing rows may have values that a strict session refuses; a variable keeps the session's own modes.</summary>
    public const string BeLenient = "SET @bulkload_modes = @@sql_mode, SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'";

    public const string BeStrict = "SET SESSION sql_mode = @bulkload_modes";

    /// <summary>Copies rows of the table that have a staged key, whether or not they are in the copy already.</summary>
    /// <param name="columns">of the key, each with its value: an expression of <c>s</c>, the staged row, and <c>b</c>, the row that it
    /// changes</param>
    /// <param name="index">by which rows are found; null: the table is read</param>
    /// <param name="touched">the condition that <c>b</c> is the row that <c>s</c> changes; null: no value is one of <c>b</c></param>
    public string CopyRows(string stage, IEnumerable<(string Column, string Value)> columns, string? index, string? touched = null)
    {
        var same = string.Join(" AND ", columns.Select(one => $"t.{SqlName.Quote(one.Column)} = {one.Value}"));
        var found = index is null ? "" : $" FORCE INDEX ({SqlName.Quote(index)})";
        var changed = touched is null ? "" : $" STRAIGHT_JOIN {_before} b ON {touched}";
        return table.UniqueKeys.Count == 0
            ? $"INSERT INTO {_copy} ({Names}) SELECT {Names} FROM {_t} t WHERE EXISTS (SELECT 1 FROM {stage} s WHERE {same})"
            : $"REPLACE INTO {_copy} ({Names}) SELECT {NamesOf("t")} FROM {stage} s{changed} STRAIGHT_JOIN {_t} t{found} ON {same}";
    }

    public string CopyAll => $"REPLACE INTO {_copy} ({Names}) SELECT {Names} FROM {_t}";

    /// <summary>A row if the table has more rows.</summary>
    public string FindRowAfter(int rows) => $"SELECT 1 FROM {_t} LIMIT {rows}, 1";

    /// <summary>The value of a record without the column, as a literal; null: only the server knows it.</summary>
    public static string? DefaultOf(TableColumn column) =>
        column is { Default: ColumnDefault.Constant, DefaultText: { } text, Behaviour.HasOtherDefaultText: false }
            ? SqlLiteral.Quote(text) : null;

    public string Keep => $"INSERT INTO {_before} ({Names}) SELECT {Names} FROM {_copy}";

    /// <summary>Forgets what <see cref="Keep"/> has kept.</summary>
    public string ForgetKept => $"DELETE FROM {_before}";

    /// <summary>Makes the copy again as it was, in an engine without transactions, which cannot undo wrongly. Its rows are not read: they
    /// may be damaged.</summary>
    public IEnumerable<string> BeginAgain =>
    [
        $"CREATE TEMPORARY TABLE {_again} LIKE {_copy}", $"ALTER TABLE {_again} ENGINE={OtherEngine} TRANSACTIONAL=0",
        $"DROP TEMPORARY TABLE {_copy}", $"ALTER TABLE {_again} RENAME {_copy}",
        $"INSERT INTO {_copy} ({Names}) SELECT {Names} FROM {_before}",
    ];

    /// <summary>MariaDB's engine without transactions that takes the longest keys.</summary>
    public const string OtherEngine = "Aria";

    /// <summary>Ends the column's generated numbers: no server takes a CHECK of a column that has them.</summary>
    public string GiveNoNumbers(TableColumn column) =>
        $"ALTER TABLE {_copy} MODIFY {SqlName.Quote(column.Name)} {column.TypeText} NOT NULL";

    /// <summary>A row if a staged record asks for a number.</summary>
    public static string AsksForNumber(string stage, string staged) =>
        $"SELECT 1 FROM {stage} s WHERE s.{SqlName.Quote(staged)} IS NULL OR s.{SqlName.Quote(staged)} = 0 LIMIT 1";

    /// <summary>One value: the number behind the largest of a column with generated numbers, or NULL.</summary>
    public string NextNumber(TableColumn column) => $"SELECT MAX({SqlName.Quote(column.Name)}) + 1 FROM {_t}";

    /// <summary>The copy's generated numbers begin where the table's do.</summary>
    public string BeginWith(ulong number) => $"ALTER TABLE {_copy} AUTO_INCREMENT = {number}";

    public string CountRows => RowCountSql.All(_t);

    /// <summary>One value: rows of the copy that have the unique value of a row that the copy does not have.</summary>
    public string CountConflicts(UniqueKey key)
    {
        var columns = key.Columns.ToList();
        return $"SELECT COUNT(*) FROM {_copy} c JOIN {_t} t FORCE INDEX ({SqlName.Quote(key.Name)}) ON "
            + $"{JoinSql.On("c", columns, "t", columns)} "
            + $"LEFT JOIN {_before} b ON {SameRow("t", "b")} WHERE b.{Found} IS NULL";
    }

    /// <summary>Deletes new rows that refer to no row from the copy. Without a key, all rows of the copy are new.</summary>
    public string DeleteOrphans(ForeignKey key) =>
        $"DELETE {_copy} FROM {_copy} {Orphans(key, _copy)}{(HasKey ? $" AND b.{Found} IS NULL" : "")}";

    /// <summary>One value: number of changed rows that refer to no row, and did before. Only with a key.</summary>
    public string CountOrphans(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {_copy} c {Orphans(key, "c")} AND b.{Found} IS NOT NULL"
        + $" AND ({string.Join(" OR ", key.Columns.Select(SqlName.Quote).Select(name => $"NOT (c.{name} <=> b.{name})"))})";

    /// <summary>One value: number of new rows, and of rows that refer to another row of the table than before.</summary>
    /// <param name="key">a foreign key of the table to itself</param>
    public string CountNewReferences(ForeignKey key) => HasKey
        ? $"SELECT COUNT(*) FROM {_copy} c LEFT JOIN {_before} b ON {SameRow("c", "b")} WHERE {AreThere("c", key.Columns)} "
            + $"AND (b.{Found} IS NULL OR {Mark("b", key.Columns)} <> {Mark("c", key.Columns)}) "
            + $"AND NOT EXISTS (SELECT 1 FROM {_t} p WHERE {JoinSql.On("p", key.ToColumns, "c", key.Columns)})"
        : $"SELECT COUNT(*) FROM {_copy} c WHERE {AreThere("c", key.Columns)}";

    /// <summary>One value: number of rows that rows of the table refer to, and that are replaced, get another key or go.</summary>
    /// <param name="areReplaced">whether every row is that may be</param>
    public string CountLostReferences(ForeignKey key, bool areReplaced) =>
        $"SELECT COUNT(*) FROM {_before} b LEFT JOIN {_copy} c ON {SameRow("b", "c")} WHERE "
        + (areReplaced ? "" : $"(c.{Found} IS NULL OR {Mark("b", key.ToColumns)} <> {Mark("c", key.ToColumns)}) AND ")
        + $"EXISTS (SELECT 1 FROM {_t} x WHERE {JoinSql.On("x", key.Columns, "b", key.ToColumns)})";

    private string Orphans(ForeignKey key, string copy) =>
        $"LEFT JOIN {SqlName.Quote(key.ToDatabase, key.ToTable)} p ON {JoinSql.On(copy, key.Columns, "p", key.ToColumns)} "
        + (HasKey ? $"LEFT JOIN {_before} b ON {SameRow(copy, "b")} " : "")
        + $"WHERE {AreThere(copy, key.Columns)} AND p.{SqlName.Quote(key.ToColumns[0])} IS NULL";

    private static string AreThere(string alias, IEnumerable<string> columns) =>
        string.Join(" AND ", columns.Select(column => $"{alias}.{SqlName.Quote(column)} IS NOT NULL"));

    /// <summary>Different values of records that refer to no row, each in the form of <see cref="ColumnSql.Literal"/>.</summary>
    public static string FindOrphans(
        ForeignKey key, IReadOnlyList<TableColumn> columns, string stage, IReadOnlyList<string> staged, int most) =>
        $"SELECT DISTINCT {string.Join(", ", columns.Zip(staged, (column, name) => LiteralOf(column, "s", name)))} "
        + $"FROM {stage} s LEFT JOIN {SqlName.Quote(key.ToDatabase, key.ToTable)} p ON {JoinSql.On("s", staged, "p", key.ToColumns)} "
        + $"WHERE {AreThere("s", staged)} AND p.{SqlName.Quote(key.ToColumns[0])} IS NULL LIMIT {most}";

    /// <summary>Like <see cref="FindParents"/>, with the mark of what is referred to behind the values.</summary>
    public string FindMarkedParents(ForeignKey key, IReadOnlyList<TableColumn> columns, int most) =>
        FindParents(key, columns, most, $", {Mark("c", key.ToColumns)}");

    /// <summary>Values of rows of the copy that rows of another table refer to, each in the form of
    /// <see cref="ColumnSql.Literal"/>.</summary>
    public string FindParents(ForeignKey key, IReadOnlyList<TableColumn> columns, int most, string more = "") =>
        $"SELECT DISTINCT {string.Join(", ", columns.Select(column => LiteralOf(column, "c", column.Name)))}{more} "
        + $"FROM {_copy} c WHERE {AreThere("c", columns.Select(column => column.Name))} AND {HasChild(key, "c")} LIMIT {most}";

    public string DeleteParents(ForeignKey key) => $"DELETE FROM {_copy} WHERE {HasChild(key, _copy)}";

    private static string HasChild(ForeignKey key, string parent) =>
        $"EXISTS (SELECT 1 FROM {SqlName.Quote(key.Database, key.Table)} x WHERE {JoinSql.On("x", key.Columns, parent, key.ToColumns)})";

    public string Refuse(string name, IReadOnlyList<TableColumn> columns, IEnumerable<string?[]> values) =>
        Check(name, $"NOT ({string.Join(" OR ", values.Select(row => IsRow(columns, row)))})");

    /// <summary>A CHECK that refuses all but some values and NULL.</summary>
    public string Allow(string name, IReadOnlyList<TableColumn> columns, IReadOnlyCollection<string?[]> values) =>
        Check(
            name, string.Join(" OR ", columns.Select(column => $"{SqlName.Quote(column.Name)} IS NULL")
                .Concat(values.Select(row => IsRow(columns, row)))));

    /// <summary>A CHECK that refuses rows with some values, unless they also have certain values of other columns, byte for byte.</summary>
    /// <param name="values">of the columns, and behind them the <see cref="Mark"/> of the others</param>
    public string Bind(string name, IReadOnlyList<TableColumn> columns, IEnumerable<string> others, IEnumerable<string?[]> values)
    {
        var mark = Mark("", others);
        return Check(
            name, $"NOT ({string.Join(" OR ", values.Select(row => $"({IsRow(columns, row)} AND {mark} <> '{row[^1]}')"))})");
    }

    public string Check(string name, string condition) =>
        $"ALTER TABLE {_copy} ADD CONSTRAINT {SqlName.Quote(name)} CHECK ({condition})";

    /// <summary>A column of the copy for the <see cref="Mark"/> of rows that must not lose their values: NULL in new rows.</summary>
    public string AddMark(string name) => $"ALTER TABLE {_copy} ADD COLUMN {SqlName.Quote(name)} VARBINARY(64)";

    /// <summary>Marks the rows that rows of another table refer to.</summary>
    public string MarkParents(string name, ForeignKey key) =>
        $"UPDATE {_copy} c SET c.{SqlName.Quote(name)} = {Mark("c", key.ToColumns)} WHERE {HasChild(key, "c")}";

    public string RefuseChanges(string name, IEnumerable<string> columns) =>
        Check(name, $"{SqlName.Quote(name)} IS NULL OR {SqlName.Quote(name)} = {Mark("", columns)}");

    /// <summary>A condition for the WHERE of a DELETE: an error with the mark's name if a row has one.</summary>
    /// <param name="rows">the rows that will be deleted; null: all</param>
    public static string RefuseMarked(IEnumerable<string> names, string? rows)
    {
        var refuse = names.Reverse().Aggregate(
            "1", (rest, name) => $"IF({SqlName.Quote(name)} IS NULL, {rest}, {long.MaxValue} + LENGTH({SqlName.Quote(name)}))");
        return rows is null ? refuse : $"IF({rows}, {refuse}, 0)";
    }

    /// <summary>Identifies the values of some columns by their bytes.</summary>
    private static string Mark(string alias, IEnumerable<string> columns)
    {
        var names = columns.Select(column => alias.Length == 0 ? SqlName.Quote(column) : $"{alias}.{SqlName.Quote(column)}");
        return $"SHA2(CONCAT_WS(',', {string.Join(", ", names.Select(name => $"HEX(CAST({name} AS BINARY))"))}), 256)";
    }

    /// <summary>Values of the table that a foreign key refers to, each in the form of <see cref="ColumnSql.Literal"/>.</summary>
    public static string FindReferred(ForeignKey key, IReadOnlyList<TableColumn> columns, int most) =>
        $"SELECT DISTINCT "
        + string.Join(", ", key.ToColumns.Zip(columns, (name, column) => LiteralOf(column, "p", name)))
        + $" FROM {SqlName.Quote(key.ToDatabase, key.ToTable)} p WHERE {AreThere("p", key.ToColumns)} LIMIT {most}";

    public string CountOthers(string condition) => $"SELECT COUNT(*) FROM {_copy} WHERE NOT ({condition})";

    /// <summary>One value: rows that keep what rows of another table refer to, and get another value of a unique key.</summary>
    public string CountMoved(ForeignKey key, IEnumerable<string> columns)
    {
        var names = columns.ToList();
        return $"SELECT COUNT(*) FROM {_before} b JOIN {_copy} c ON {JoinSql.On("b", key.ToColumns, "c", key.ToColumns)} "
            + $"WHERE {Mark("b", names)} <> {Mark("c", names)} AND {HasChild(key, "b")}";
    }

    /// <summary>Whether the copy has a row with one of the unique values of a record.</summary>
    /// <param name="keys">of each key its columns, each with its literal</param>
    public string HasRow(IEnumerable<IEnumerable<(string Column, string Value)>> keys)
    {
        var conditions = keys.Select(key => $"({string.Join(" AND ", key.Select(one => $"{SqlName.Quote(one.Column)} = {one.Value}"))})");
        return $"SELECT 1 FROM {_copy} WHERE {string.Join(" OR ", conditions)} LIMIT 1";
    }

    private static string IsRow(IReadOnlyList<TableColumn> columns, string?[] values) =>
        $"({string.Join(" AND ", columns.Select((column, i) => $"{SqlName.Quote(column.Name)} = {values[i]}"))})";

    private static string LiteralOf(TableColumn column, string alias, string name) =>
        ColumnSql.Of(column.Kind).Literal!($"{alias}.{SqlName.Quote(name)}");

    /// <summary>Puts back rows that left the copy, and that rows of another table refer to.</summary>
    /// <param name="key">a foreign key of the other table, which refuses that they are deleted</param>
    public string RestoreParents(ForeignKey key) =>
        $"INSERT IGNORE INTO {_copy} ({Names}) SELECT {Names} FROM {_before} b WHERE {HasChild(key, "b")}";

    /// <summary>One value: number of rows of another table that refer to a value that would be gone.</summary>
    /// <param name="key">a foreign key of the other table</param>
    public string CountChildren(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(key.Database, key.Table)} x JOIN {_before} b ON "
            + $"{JoinSql.On("x", key.Columns, "b", key.ToColumns)} "
        + $"LEFT JOIN {_copy} c ON {SameValue(key)} "
        + $"WHERE c.{Found} IS NULL";

    /// <summary>One value: number of rows with a value that rows of another table refer to, and that the copy does not have.</summary>
    public string CountParents(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {_before} b "
        + $"LEFT JOIN {_copy} c ON {SameValue(key)} "
        + $"WHERE c.{Found} IS NULL AND {HasChild(key, "b")}";

    /// <summary>One value: number of rows of another table that refer to rows that may be replaced, which deletes them first.</summary>
    public string CountChildrenOfAll(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(key.Database, key.Table)} x "
        + $"JOIN {_before} b ON {JoinSql.On("x", key.Columns, "b", key.ToColumns)}";

    /// <summary>One value: number of the rows that those refer to.</summary>
    public string CountParentsOfAll(ForeignKey key) =>
        $"SELECT COUNT(*) FROM {_before} b WHERE {HasChild(key, "b")}";

    public StageSql Differences(int maxShown) => new(_rows, [.. _rows.Columns.Select(column => column.Name)], [], Copy, maxShown);

    /// <summary>NULL if no row was found. Only with a key.</summary>
    private string Found => SqlName.Quote(_rows.FoundBy);

    /// <summary>Whether a row of the copy has exactly the bytes that others refer to of a former row: it may be another row.</summary>
    private static string SameValue(ForeignKey key) =>
        $"{JoinSql.On("b", key.ToColumns, "c", key.ToColumns)} AND {Mark("b", key.ToColumns)} = {Mark("c", key.ToColumns)}";

    private string SameRow(string one, string other) => JoinSql.On(one, _rows.PrimaryKey, other, _rows.PrimaryKey);

    private string Names => SqlName.List(_rows.Columns.Select(column => column.Name));

    private string NamesOf(string alias) => string.Join(", ", _rows.Columns.Select(column => $"{alias}.{SqlName.Quote(column.Name)}"));
}
