using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>A column that a statement makes.</summary>
/// <param name="Column">as the catalogue will describe it</param>
/// <param name="Given">the type that the user has given; null: that of <paramref name="Column"/></param>
/// <param name="Charset">of text, where the table's own does not do; null: the table's, or the one that was given</param>
internal sealed record NewColumn(TableColumn Column, SchemaColumn? Given = null, string? Charset = null)
{
    /// <summary>The type with what belongs to it, but for NULL, such as <c>CHAR(5) CHARACTER SET ascii</c>.</summary>
    public string Type => Given is null ? $"{Column.TypeText.ToUpperInvariant()}{CharacterSet(Charset)}" : TypeOf(Given);

    /// <summary>As a statement has it.</summary>
    public string Definition => $"{SqlName.Quote(Column.Name)} {Type} {(Column.IsNullable ? "NULL" : "NOT NULL")}{DefaultOf(Given)}";

    /// <summary>A type that was given, in one way of writing, such as <c>CHAR(5) CHARACTER SET ascii NOT NULL</c>.</summary>
    public static string Describe(SchemaColumn given) =>
        $"{TypeOf(given)}{(given.SaysNull ? given.IsNullable ? " NULL" : " NOT NULL" : "")}{DefaultOf(given)}";

    private static string TypeOf(SchemaColumn given) =>
        $"{CatalogRow.StatementType(given)}{CharacterSet(given.Charset)}{(given.Collation is null ? "" : $" COLLATE {given.Collation}")}";

    private static string CharacterSet(string? name) => name is null ? "" : $" CHARACTER SET {name}";

    /// <summary>A number stays one: a BIT takes a text for its bytes.</summary>
    private static string DefaultOf(SchemaColumn? given) => given?.Default is not { } text ? ""
        : $" DEFAULT {(given.Type is "bit" && text.All(char.IsAsciiDigit) ? text : SqlLiteral.Quote(text))}";
}

/// <summary>CREATE TABLE (MySQL manual, "CREATE TABLE Statement"), and how a new table is given up again. Each of them commits what is
/// open.</summary>
internal static class CreateTableSql
{
    /// <param name="table">does not exist</param>
    /// <param name="columns">in order</param>
    /// <param name="primaryKey">names of columns; empty: no key</param>
    public static string Create(string database, string table, IReadOnlyList<NewColumn> columns, IReadOnlyList<string> primaryKey)
    {
        var lines = columns
            .Select(column => column.Definition)
            .Concat(primaryKey.Count == 0 ? [] : [$"PRIMARY KEY ({SqlName.List(primaryKey)})"]);
        return $"CREATE TABLE {SqlName.Quote(database, table)} "
            + $"(\n{string.Join(",\n", lines.Select(line => $"  {line}"))}\n) DEFAULT CHARSET=utf8mb4";
    }

    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>So that another session's work on the table is waited for no longer than this.</summary>
    public const string WaitBriefly = "SET SESSION lock_wait_timeout=3";
}

/// <summary>How columns are added to a table and dropped again (MySQL manual, "ALTER TABLE Statement"). Each of them commits what is
/// open.</summary>
internal static class AddColumnsSql
{
    /// <summary>Undoes <see cref="CreateTableSql.WaitBriefly"/>.</summary>
    public static readonly string WaitAsUsual = $"SET SESSION lock_wait_timeout={SessionSql.LockWaitSeconds}";

    public const string Unlock = "UNLOCK TABLES";

    /// <param name="columns">behind those that the table has</param>
    public static string Add(string database, string table, IEnumerable<NewColumn> columns) =>
        Alter(database, table, columns.Select(column => $"ADD COLUMN {column.Definition}"));

    public static string Drop(string database, string table, IEnumerable<string> columns) =>
        Alter(database, table, columns.Select(column => $"DROP COLUMN {SqlName.Quote(column)}"));

    /// <summary>Keeps all others from the table until <see cref="Unlock"/>.</summary>
    public static string Lock(string database, string table) => $"LOCK TABLES {SqlName.Quote(database, table)} WRITE";

    /// <summary>One row where a row of the table has another value than a new column's own; else none.</summary>
    /// <param name="defaulted">those of the columns that have a default</param>
    public static string AnyValue(string database, string table, IEnumerable<string> columns, IReadOnlyCollection<string> defaulted)
    {
        var filled = columns.Select(column => (Name: SqlName.Quote(column), HasDefault: defaulted.Contains(column)))
            .Select(column => column.HasDefault ? $"NOT ({column.Name} <=> DEFAULT({column.Name}))" : $"{column.Name} IS NOT NULL");
        return $"SELECT 1 FROM {SqlName.Quote(database, table)} WHERE {string.Join(" OR ", filled)} LIMIT 1";
    }

    /// <summary>One row: the collation of columns that name none.</summary>
    public static string TableCollation(string database, string table) =>
        "SELECT TABLE_COLLATION FROM information_schema.TABLES "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND TABLE_NAME = {SqlLiteral.Quote(table)}";

    private static string Alter(string database, string table, IEnumerable<string> changes) =>
        $"ALTER TABLE {SqlName.Quote(database, table)} {string.Join(", ", changes)}";
}
