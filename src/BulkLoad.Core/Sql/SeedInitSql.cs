using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>What is asked of a database that is written into a folder. Column order is part of each statement's contract with its reader in
/// Seeding.</summary>
internal static class SeedInitSql
{
    /// <summary>Behind the profile of a session: everything is read from one state of the database.</summary>
    public static readonly string[] Begin =
    [
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET SESSION sql_quote_show_create=1",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ];

    /// <summary>What the statements of a schema rest on that SHOW CREATE has written. Foreign keys may form a circle.</summary>
    public const string SchemaHead =
        "SET @old_time_zone=@@time_zone, @old_sql_mode=@@sql_mode, @old_foreign_key_checks=@@foreign_key_checks, "
            + "@old_collation=@@collation_connection;\n"
        + "SET NAMES utf8mb4;\n"
        + "SET SESSION time_zone='+00:00', sql_mode='NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION', foreign_key_checks=0;\n";

    /// <summary>The end of a schema, which leaves the session as it was.</summary>
    public const string SchemaTail =
        "\nSET SESSION time_zone=@old_time_zone, sql_mode=@old_sql_mode, foreign_key_checks=@old_foreign_key_checks, "
            + "collation_connection=@old_collation;\n";

    /// <summary>A row a table or view: name, type, whether its engine has transactions.</summary>
    public static string Tables(string database) =>
        "SELECT t.TABLE_NAME, t.TABLE_TYPE, e.TRANSACTIONS FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON "
            + "e.ENGINE = t.ENGINE "
        + $"WHERE t.TABLE_SCHEMA = {SqlLiteral.Quote(database)} ORDER BY t.TABLE_NAME";

    /// <summary>A row for each two tables of a foreign key: the one that has it, the schema and the name of the other.</summary>
    public static string References(string database) =>
        "SELECT DISTINCT TABLE_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE "
        + $"WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY 1, 2, 3";

    /// <summary>A row a trigger in the order of their making.</summary>
    public static string Triggers(string database) =>
        $"SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = {SqlLiteral.Quote(database)} "
        + "ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER";

    /// <summary>A row for each that has a body of its own: what it is, its name.</summary>
    public static string Programs(string database) =>
        $"SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = {SqlLiteral.Quote(database)} "
        + $"UNION ALL SELECT 'event', EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = {SqlLiteral.Quote(database)}";

    public static string CreateTable(string database, string table) => $"SHOW CREATE TABLE {SqlName.Quote(database, table)}";

    /// <summary>One row: name, the statement, its character set, its collation.</summary>
    public static string CreateView(string database, string view) => $"SHOW CREATE VIEW {SqlName.Quote(database, view)}";

    /// <summary>One row: name, sql_mode, the statement, its character set, its collation.</summary>
    public static string CreateTrigger(string database, string trigger) => $"SHOW CREATE TRIGGER {SqlName.Quote(database, trigger)}";

    /// <summary>What literals in a view are compared by.</summary>
    public static string SetCollation(string collation) => $"SET SESSION collation_connection={SqlLiteral.Quote(collation)}";

    /// <summary>What a trigger was made in.</summary>
    public static string SetMode(string mode, string collation) =>
        $"SET NAMES utf8mb4;\nSET SESSION sql_mode={SqlLiteral.Quote(mode)}, collation_connection={SqlLiteral.Quote(collation)}";

    /// <summary>Fails where the account may not read each visible column: the catalogue leaves out those that it has no right on.</summary>
    public static string ReadsAll(string database, string table) => $"SELECT * FROM {SqlName.Quote(database, table)} LIMIT 0";

    /// <summary>All rows, in the order of the key.</summary>
    /// <param name="columns">what is written of them</param>
    /// <param name="key">the primary key; empty: there is none</param>
    public static string Rows(string database, string table, IReadOnlyList<TableColumn> columns, IReadOnlyList<string> key) =>
        $"SELECT {string.Join(',', columns.Select(Form))} FROM {SqlName.Quote(database, table)}"
        + (key.Count == 0 ? "" : $" ORDER BY {SqlName.List(key)}");

    /// <summary>One value: how many values a file cannot say as the table has them; null: none of the columns needs to be asked.</summary>
    public static string? Unwritable(string database, string table, TableColumn column)
    {
        var name = SqlName.Quote(column.Name);
        var condition = column.Kind switch
        {
            ColumnKind.Geometry =>
                $"(ST_SRID({name}) <> {column.Srid} OR (ST_AsBinary(ST_GeomFromText(ST_AsText({name}),ST_SRID({name}))) = "
                    + $"ST_AsBinary({name})) IS NOT TRUE)",
            ColumnKind.Enum => $"{name}+0 = 0",
            _ when column.IsCharacter && column.Charset is { } charset && !charset.StartsWith("utf8", StringComparison.Ordinal) =>
                $"(CAST(CONVERT(CONVERT({name} USING utf8mb4) USING {SqlName.Quote(charset)}) AS BINARY) = CAST({name} AS BINARY)) "
                    + "IS NOT TRUE",
            _ => null,
        };
        return condition is null ? null : $"SELECT COUNT(*) FROM {SqlName.Quote(database, table)} WHERE {name} IS NOT NULL AND {condition}";
    }

    /// <summary>A value as the import takes it. Of a FLOAT six digits would be shown; a product keeps the sign of zero.</summary>
    private static string Form(TableColumn column)
    {
        var name = SqlName.Quote(column.Name);
        return column.Kind switch
        {
            ColumnKind.Bit => $"{name}+0",
            ColumnKind.Float when column.Precision == 0 => $"{name}*1e0",
            ColumnKind.Geometry => $"ST_AsText({name})",
            _ => name,
        };
    }
}
