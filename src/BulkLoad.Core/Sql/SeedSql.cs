using System.IO.Hashing;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Questions about the tables of a database that a seed fills, and statements that empty them. Column order is part of their
/// contract. Pure.</summary>
internal static class SeedSql
{
    /// <summary>The names of all tables that the program makes for itself begin so.</summary>
    public const string OwnPrefix = "bulkload_";

    public static bool IsOwn(string table) => table.StartsWith(OwnPrefix, StringComparison.Ordinal);

    /// <summary>One value: 1 if no other session leads a seed of the database.</summary>
    public static string TakeLock(string database) =>
        $"SELECT GET_LOCK('bulkload_seed_{Convert.ToHexStringLower(XxHash64.Hash(Encoding.UTF8.GetBytes(database)))}', 5)";

    /// <summary>Only tables that seeds have made, and no others with such a name.</summary>
    public static string StagingTables(string database) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND LEFT(TABLE_NAME, "
            + $"{StageSql.Prefix.Length}) = '{StageSql.Prefix}' AND TABLE_COMMENT = {SqlLiteral.Quote(StageSql.Comment)}";

    public static string Drop(string database, IEnumerable<string> tables) =>
        $"DROP TABLE IF EXISTS {string.Join(", ", tables.Select(name => SqlName.Quote(database, name)))}";

    public static string LargestNumber(TableFacts table) =>
        $"SELECT IFNULL(MAX({SqlName.Quote(table.NumberColumn!)}), 0) FROM {table.QuotedName}";

    public static string SetNextNumber(TableFacts table, ulong next) => $"ALTER TABLE {table.QuotedName} AUTO_INCREMENT = {next}";

    public static string Empty(TableFacts table) => $"DELETE FROM {table.QuotedName}";

    public static string SetNull(TableFacts table, IEnumerable<string> columns) =>
        $"UPDATE {table.QuotedName} SET {string.Join(", ", columns.Select(column => $"{SqlName.Quote(column)} = NULL"))}";
}

/// <summary>The table <c>bulkload_seeds</c>: the state of each table after the last seed.</summary>
internal sealed class SeedStateSql(string database)
{
    private readonly string _table = SqlName.Quote(database, "bulkload_seeds");

    public string Create => $"""
        CREATE TABLE IF NOT EXISTS {_table} (
          table_name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
          content CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'XXH128 of the files and their options',
          created VARCHAR(32) CHARACTER SET ascii NOT NULL COMMENT 'CREATE_TIME of the table',
          checksum VARCHAR(64) CHARACTER SET ascii NULL COMMENT 'rows and sum of hashes; =: those of the files; NULL: too large',
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

/// <summary>Questions about a database that is written into a folder. Column order is part of each statement's contract with its reader in
/// Seeding.</summary>
internal static class SeedInitSql
{
    /// <summary>Follows the profile of a session: everything is read from one state of the database.</summary>
    public static readonly string[] Begin =
    [
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET SESSION sql_quote_show_create=1",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ];

    /// <summary>Settings that the statements of SHOW CREATE need. Foreign keys may form a circle.</summary>
    public const string SchemaHead =
        "SET @old_time_zone=@@time_zone, @old_sql_mode=@@sql_mode, @old_foreign_key_checks=@@foreign_key_checks, "
            + "@old_collation=@@collation_connection;\nSET NAMES utf8mb4;\n"
        + "SET SESSION time_zone='+00:00', sql_mode='NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION', foreign_key_checks=0;\n";

    /// <summary>Restores the session's settings.</summary>
    public const string SchemaTail =
        "\nSET SESSION time_zone=@old_time_zone, sql_mode=@old_sql_mode, foreign_key_checks=@old_foreign_key_checks, "
            + "collation_connection=@old_collation;\n";

    /// <summary>A row a table or view: name, type, whether its engine has transactions.</summary>
    public static string Tables(string database) =>
        "SELECT t.TABLE_NAME, t.TABLE_TYPE, e.TRANSACTIONS FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON "
            + $"e.ENGINE = t.ENGINE WHERE t.TABLE_SCHEMA = {SqlLiteral.Quote(database)} ORDER BY t.TABLE_NAME";

    /// <summary>A row for each two tables of a foreign key: the one that has it, the schema and the name of the other.</summary>
    public static string References(string database) =>
        "SELECT DISTINCT TABLE_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY 1, 2, 3";

    /// <summary>In the order in which they were made.</summary>
    public static string Triggers(string database) =>
        $"SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = {SqlLiteral.Quote(database)} "
        + "ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER";

    /// <summary>A row for each that has a body of its own: its kind, its name.</summary>
    public static string Programs(string database) =>
        $"SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = {SqlLiteral.Quote(database)} "
        + $"UNION ALL SELECT 'event', EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = {SqlLiteral.Quote(database)}";

    public static string CreateTable(string database, string table) => $"SHOW CREATE TABLE {SqlName.Quote(database, table)}";

    /// <summary>One row: name, the statement, its character set, its collation.</summary>
    public static string CreateView(string database, string view) => $"SHOW CREATE VIEW {SqlName.Quote(database, view)}";

    /// <summary>One row: name, sql_mode, the statement, its character set, its collation.</summary>
    public static string CreateTrigger(string database, string trigger) => $"SHOW CREATE TRIGGER {SqlName.Quote(database, trigger)}";

    /// <summary>The collation of literals in a view.</summary>
    public static string SetCollation(string collation) => $"SET SESSION collation_connection={SqlLiteral.Quote(collation)}";

    /// <summary>The settings with which a trigger was made.</summary>
    public static string SetMode(string mode, string collation) =>
        $"SET NAMES utf8mb4;\nSET SESSION sql_mode={SqlLiteral.Quote(mode)}, collation_connection={SqlLiteral.Quote(collation)}";

    /// <summary>Fails if the account may not read each visible column: the catalogue leaves out those without a right.</summary>
    public static string ReadsAll(string database, string table) => $"SELECT * FROM {SqlName.Quote(database, table)} LIMIT 0";

    /// <param name="key">the primary key; empty: there is none</param>
    public static string Rows(string database, string table, IReadOnlyList<TableColumn> columns, IReadOnlyList<string> key) =>
        $"SELECT {string.Join(',', columns.Select(column => ColumnSql.Of(column.Kind).Exported(SqlName.Quote(column.Name), column)))} FROM "
        + SqlName.Quote(database, table)
        + (key.Count == 0 ? "" : $" ORDER BY {SqlName.List(key)}");

    /// <summary>One value: number of values that a file cannot contain as the table has them, and why; null: the column has none.</summary>
    public static (string Question, string Reason)? Unwritable(string database, string table, TableColumn column)
    {
        var name = SqlName.Quote(column.Name);
        var isForeign = column is { IsCharacter: true, Charset: { } charset } && !charset.StartsWith("utf8", StringComparison.Ordinal);
        var (condition, reason) = isForeign
            ? ($"(CAST(CONVERT(CONVERT({name} USING utf8mb4) USING {SqlName.Quote(column.Charset!)}) AS BINARY) = CAST({name} AS BINARY)) "
                + "IS NOT TRUE", "characters that Unicode does not have")
            : ColumnSql.Of(column.Kind).Unwritable is { } unwritable ? (unwritable.Condition(name, column), unwritable.Reason)
            : (null, "");
        return condition is null ? null
            : ($"SELECT COUNT(*) FROM {SqlName.Quote(database, table)} WHERE {name} IS NOT NULL AND {condition}", reason);
    }
}
