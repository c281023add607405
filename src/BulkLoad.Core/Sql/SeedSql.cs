using System.IO.Hashing;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Questions about the tables of a database that a seed fills, and statements that empty them. Column order is part of their
/// contract. Pure.</summary>
internal static class SeedSql
{
    /// <summary>Every table that the program makes for itself begins so.</summary>
    public const string OwnPrefix = "bulkload_";

    /// <summary>Whether a table is the program's own, and no part of the data.</summary>
    public static bool IsOwn(string table) => table.StartsWith(OwnPrefix, StringComparison.Ordinal);

    /// <summary>A row a base table: name, engine, when it was made, the next generated number.</summary>
    public static string Tables(string database) =>
        $"SELECT TABLE_NAME, ENGINE, CREATE_TIME, AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
            + $"{SqlLiteral.Quote(database)} AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME";

    /// <summary>A row a column: table, column, type, whole type, YES where it can be NULL, EXTRA, whether it is generated.</summary>
    public static string Columns(string database) =>
        "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, EXTRA, IFNULL(GENERATION_EXPRESSION, '') <> '' FROM "
            + "information_schema.COLUMNS "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} ORDER BY TABLE_NAME, ORDINAL_POSITION";

    /// <summary>A row a column of a unique index: table, index, column.</summary>
    public static string UniqueIndexes(string database) =>
        "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND NON_UNIQUE = 0 ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

    /// <summary>Foreign keys from or to the database.</summary>
    /// <inheritdoc cref="ConstraintSql.References"/>
    public static string References(string database) =>
        ConstraintSql.References(
            $"(k.TABLE_SCHEMA = {SqlLiteral.Quote(database)} OR k.REFERENCED_TABLE_SCHEMA = {SqlLiteral.Quote(database)})");

    /// <summary>A row a table with triggers.</summary>
    public static string TablesWithTriggers(string database) =>
        $"SELECT DISTINCT EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {SqlLiteral.Quote(database)}";

    /// <summary>One value: 1 where no other session leads a seed of the database.</summary>
    public static string TakeLock(string database) =>
        $"SELECT GET_LOCK('bulkload_seed_{Convert.ToHexStringLower(XxHash64.Hash(Encoding.UTF8.GetBytes(database)))}', 5)";

    /// <summary>A row a staging table that is there.</summary>
    public static string StagingTables(string database) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND LEFT(TABLE_NAME, "
            + $"{StageSql.Prefix.Length}) = '{StageSql.Prefix}'";

    public static string Drop(string database, IEnumerable<string> tables) =>
        $"DROP TABLE IF EXISTS {string.Join(", ", tables.Select(name => SqlName.Quote(database, name)))}";

    public static string Count(SeedTable table) => $"SELECT COUNT(*) FROM {table.QuotedName}";

    /// <summary>One value: how many rows there are, but no more than a bound.</summary>
    public static string CountUpTo(SeedTable table, long most) =>
        $"SELECT COUNT(*) FROM (SELECT 1 FROM {table.QuotedName} LIMIT {most}) few";

    /// <inheritdoc cref="ExactSql.Sum"/>
    public static string Sum(SeedTable table) => ExactSql.Sum(
        table.QuotedName, table.Columns.Where(column => !column.IsGenerated).Select(column => (SqlName.Quote(column.Name), column.Kind)));

    public static string LargestNumber(SeedTable table) =>
        $"SELECT IFNULL(MAX({SqlName.Quote(table.NumberColumn!)}), 0) FROM {table.QuotedName}";

    public static string SetNextNumber(SeedTable table, ulong next) => $"ALTER TABLE {table.QuotedName} AUTO_INCREMENT = {next}";

    public static string Empty(SeedTable table) => $"DELETE FROM {table.QuotedName}";

    public static string SetNull(SeedTable table, IEnumerable<string> columns) =>
        $"UPDATE {table.QuotedName} SET {string.Join(", ", columns.Select(column => $"{SqlName.Quote(column)} = NULL"))}";

    /// <summary>Rows that no other row of their table refers to are deleted.</summary>
    /// <param name="keys">the table's foreign keys to itself</param>
    public static string DeleteLeaves(SeedTable table, IReadOnlyList<SeedReference> keys)
    {
        var joins = keys.Select((key, i) =>
            $"LEFT JOIN {table.QuotedName} c{i} ON {JoinSql.On($"c{i}", key.Columns, "t", key.ToColumns)} "
            + $"AND NOT ({string.Join(" AND ", table.Key.Select(column => $"c{i}.{SqlName.Quote(column)} = t.{SqlName.Quote(column)}"))})");
        return $"DELETE t FROM {table.QuotedName} t {string.Join(' ', joins)} WHERE "
            + $"{string.Join(" AND ", keys.Select((key, i) => $"c{i}.{SqlName.Quote(key.Columns[0])} IS NULL"))}";
    }
}

/// <summary>The table <c>bulkload_seeds</c>: how the last seed has left each table.</summary>
/// <param name="database">that has it</param>
internal sealed class SeedStateSql(string database)
{
    private readonly string _table = SqlName.Quote(database, "bulkload_seeds");

    public string Create => $"""
        CREATE TABLE IF NOT EXISTS {_table} (
          table_name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
          content CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'XXH128 of the files and their options',
          created VARCHAR(32) CHARACTER SET ascii NOT NULL COMMENT 'CREATE_TIME of the table',
          checksum VARCHAR(64) CHARACTER SET ascii NULL COMMENT 'count of rows and sum of hashes; with =: the rows of the files; NULL: too large',
          changed DATETIME NOT NULL COMMENT 'UTC'
        ) ENGINE=InnoDB COMMENT='How bulkload seed has left the tables'
        """;

    /// <summary>A row a table: name, content, when it was made, checksum.</summary>
    public string Read => $"SELECT table_name, content, created, checksum FROM {_table}";

    public string Write(IEnumerable<(string Table, string Content, string Created, string? Checksum)> tables)
    {
        var values = tables.Select(one =>
            $"({SqlLiteral.Quote(one.Table)}, {SqlLiteral.Quote(one.Content)}, {SqlLiteral.Quote(one.Created)}, "
                + $"{(one.Checksum is null ? "NULL" : SqlLiteral.Quote(one.Checksum))}, UTC_TIMESTAMP())");
        return $"REPLACE INTO {_table} (table_name, content, created, checksum, changed) VALUES {string.Join(", ", values)}";
    }

    public string Forget(IEnumerable<string> tables) =>
        $"DELETE FROM {_table} WHERE table_name IN ({string.Join(", ", tables.Select(SqlLiteral.Quote))})";
}
