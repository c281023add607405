using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>A table and its copy: how one is made equal to the other. Values are compared as they are stored, so that they are equal only
/// if nobody can distinguish them.</summary>
internal sealed class CopySql
{
    /// <summary>No column is mistaken for one of these: each column is written with one of them.</summary>
    private const string Row = "t", Kept = "c";

    private readonly string _table;
    private readonly string _copy;
    private readonly string _columns;
    private readonly IReadOnlyList<TableColumn> _stored;
    private readonly string? _hasKey;
    private readonly string _isSame;
    private readonly string? _tested;

    public CopySql(TableFacts table, string schema, string copy)
    {
        _table = table.QuotedName;
        _copy = SqlName.Quote(schema, copy);
        _stored = [.. table.Columns.Where(column => !column.IsGenerated)];
        _columns = SqlName.List(_stored.Select(column => column.Name));
        Key = FindKey(table);
        _hasKey = Key is null ? null : string.Join(" AND ", Key.Select(column => $"{Of(Kept, column)} = {Of(Row, column)}"));
        _tested = Key?.FirstOrDefault(name => table.Find(name)!.Behaviour.Family != ColumnFamily.Date);
        _isSame = string.Join(
            " AND ", _stored.Select(column => ExactSql.AreSame(Of(Row, column.Name), Of(Kept, column.Name), column.Kind)));
    }

    /// <summary>The columns by which a row finds its copy: of the primary key, else of a unique key without NULL; null: there is
    /// none.</summary>
    public IReadOnlyList<string>? Key { get; }

    public string Fill => $"INSERT INTO {_copy} ({_columns}) SELECT {_columns} FROM {_table}";

    /// <summary>Deletes rows without a copy, or with a different one. Only with a <see cref="Key"/>.</summary>
    public string DeleteOthers => $"DELETE {Row} FROM {_table} AS {Row} {Without(_copy, Kept, $"{_hasKey} AND {_isSame}")}";

    /// <summary>Inserts rows of the copy that the table does not have. Only with a <see cref="Key"/>.</summary>
    public string InsertMissing =>
        $"INSERT INTO {_table} ({_columns}) SELECT {string.Join(',', _stored.Select(column => Of(Kept, column.Name)))} FROM {_copy} AS "
            + $"{Kept} {Without(_table, Row, _hasKey!)}";

    /// <summary>One value: number of the table's rows; then none can be added or removed.</summary>
    public string Count => $"{RowCountSql.All(_table)} LOCK IN SHARE MODE";

    public IReadOnlyList<string> CountTableAndCopy => [RowCountSql.All(_table), RowCountSql.All(_copy)];

    /// <summary>A row if the table has one without a copy, or with a different one. Only with a <see cref="Key"/>.</summary>
    public string FindOther => $"SELECT 1 FROM {_table} AS {Row} {Without(_copy, Kept, $"{_hasKey} AND {_isSame}")} LIMIT 1";

    /// <summary>Updates rows in place to their copies, for a table whose triggers change what is inserted. Only with a
    /// <see cref="Key"/>.</summary>
    public string UpdateOthers =>
        $"UPDATE {_table} AS {Row} JOIN {_copy} AS {Kept} ON {_hasKey} SET "
            + $"{string.Join(", ", _stored.Select(column => $"{Of(Row, column.Name)} = {Of(Kept, column.Name)}"))} "
        + $"WHERE NOT ({_isSame})";

    /// <summary>A row if the table does not have exactly the rows of the copy, each as often. The server keeps all rows of both for it:
    /// only for tables without a <see cref="Key"/>.</summary>
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

    /// <summary>Keeps the rows without a partner. MariaDB needs four times as long for a subquery as for a join; but a join would take a
    /// date of zero for a missing row if the column is NOT NULL.</summary>
    private string Without(string partners, string alias, string condition) => _tested is { } tested
        ? $"LEFT JOIN {partners} AS {alias} ON {condition} WHERE {Of(alias, tested)} IS NULL"
        : $"WHERE NOT EXISTS (SELECT 1 FROM {partners} AS {alias} WHERE {condition})";

    private string Side(string table, string alias, int side) =>
        $"SELECT {string.Join(", ", _stored.SelectMany(column => Forms(alias, column)).Select((form, i) => $"{form} AS f{i}"))}, {side} "
            + $"AS side FROM {table} AS {alias}";

    private static IReadOnlyList<string>? FindKey(TableFacts table) => table.UniqueKeys
        .Where(key => key.Parts.All(part => part.Column is { } column && table.Find(column) is { IsNullable: false }))
        .OrderBy(key => !key.IsPrimary)
        .Select(key => key.Columns.ToArray())
        .FirstOrDefault();

    private static string Of(string alias, string column) => $"{alias}.{SqlName.Quote(column)}";

    private static string[] Forms(string alias, TableColumn column) => ColumnSql.Of(column.Kind).Exact(Of(alias, column.Name));
}

/// <summary>Questions and settings of a session that takes copies of a database's tables, or puts tables back. Column order is part of each
/// statement's contract with its reader in Seeding.</summary>
internal static class ResetSql
{
    /// <summary>Settings beside the profile's. Every value of a table may be stored again, so nothing is checked a second time. Rows that
    /// are read to be changed stay locked until the end, so that nobody changes a table that has been compared.</summary>
    public static IReadOnlyList<string> Settings(bool isMariaDb) =>
    [
        "SET SESSION sql_mode='STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,ALLOW_INVALID_DATES', "
            + "foreign_key_checks=0, sql_notes=0"
            + (isMariaDb ? ", check_constraint_checks=0" : ""),
        SessionSql.FreshStatistics,
        IndexSql.QuoteNames,
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    ];

    /// <summary>One row: autocommit, foreign_key_checks, time zone, character set.</summary>
    public const string ReadBack = "SELECT @@autocommit, @@foreign_key_checks, @@session.time_zone, @@character_set_client";

    /// <summary>How long a reset waits for rows and tables that others lock.</summary>
    public const string WaitBriefly = "SET SESSION innodb_lock_wait_timeout=2, lock_wait_timeout=2";

    /// <summary>A row a table or view: name, type, engine or NULL, the next id or NULL, when its rows were changed last or NULL.</summary>
    public static string Tables(string database) =>
        $"SELECT TABLE_NAME, TABLE_TYPE, ENGINE, AUTO_INCREMENT, UPDATE_TIME FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
            + $"{SqlLiteral.Quote(database)} ORDER BY TABLE_NAME";

    /// <summary>One row: which server this is, its time in seconds.</summary>
    public static string Clock(bool isMariaDb) =>
        $"SELECT CONCAT_WS('/', @@hostname, @@port, @@datadir, {(isMariaDb ? "@@server_id" : "@@server_uuid")}), UNIX_TIMESTAMP()";

    /// <summary>A row a table of InnoDB: name as InnoDB writes it, number, rows changed since statistics were made. An account without
    /// PROCESS is refused.</summary>
    public static string Counters(ServerIdentity server, string prefix)
    {
        var view = server.IsMariaDb || server.Version < FirstWithoutSys ? "INNODB_SYS_TABLESTATS" : "INNODB_TABLESTATS";
        return $"SELECT NAME, TABLE_ID, MODIFIED_COUNTER FROM information_schema.{view} WHERE LEFT(NAME, {prefix.Length}) = "
            + $"{SqlLiteral.Quote(prefix)}";
    }

    private static readonly Version FirstWithoutSys = new(8, 0, 3);

    /// <summary>A row a table, in their order: name, checksum or NULL.</summary>
    public static string Checksums(string database, IEnumerable<string> tables) =>
        $"CHECKSUM TABLE {string.Join(", ", tables.Select(table => SqlName.Quote(database, table)))}";

    public static string Definition(string database, string table) => $"SHOW CREATE TABLE {SqlName.Quote(database, table)}";

    public static string CreateDatabase(string name) => $"CREATE DATABASE {SqlName.Quote(name)} CHARACTER SET utf8mb4";

    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>Columns and indexes, no foreign keys and no triggers.</summary>
    public static string CreateLike(string database, string table, string original, string originalTable) =>
        $"CREATE TABLE {SqlName.Quote(database, table)} LIKE {SqlName.Quote(original, originalTable)}";

    public static string SetNextId(string database, string table, ulong next) =>
        $"ALTER TABLE {SqlName.Quote(database, table)} AUTO_INCREMENT={next}";
}

/// <summary>The list of copies: the table of each, and the table's state when both were equal.</summary>
internal sealed class CopyListSql(string schema)
{
    public const string TableName = "bulkload_copies";

    private readonly string _table = SqlName.Quote(schema, TableName);

    public string Create => $"""
        CREATE TABLE IF NOT EXISTS {_table} (
          original VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the database',
          name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the table',
          copy VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'NULL: left out by --except',
          taken DATETIME(6) NOT NULL COMMENT 'UTC',
          definition VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of SHOW CREATE TABLE',
          records BIGINT NOT NULL COMMENT 'rows of the copy',
          checksum VARCHAR(100) CHARACTER SET ascii NOT NULL COMMENT 'CHECKSUM TABLE',
          next_id BIGINT UNSIGNED NULL COMMENT 'AUTO_INCREMENT',
          table_id BIGINT UNSIGNED NULL COMMENT 'as InnoDB numbers the table',
          modified BIGINT UNSIGNED NULL COMMENT 'as InnoDB counts',
          updated VARCHAR(32) CHARACTER SET ascii NULL COMMENT 'UPDATE_TIME; NULL: a change could have come in the same second',
          server VARCHAR(700) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'that was asked',
          started BIGINT NOT NULL COMMENT 'when it was, in seconds since 1970',
          PRIMARY KEY (original, name)
        ) ENGINE=InnoDB COMMENT='Copies of tables that bulkload seed reset puts back'
        """;

    /// <summary>A row a table of a database, in the order of the names: all columns in their order but for the first.</summary>
    public string Read(string database) =>
        "SELECT name, copy, taken, definition, records, checksum, next_id, table_id, modified, updated, server, started "
        + $"FROM {_table} WHERE original = {SqlLiteral.Quote(database)} ORDER BY name";

    /// <summary>A row for each other database that has copies here.</summary>
    public string Others(string database) => $"SELECT DISTINCT original FROM {_table} WHERE original <> {SqlLiteral.Quote(database)}";

    /// <param name="values">of the columns behind the name; null: NULL</param>
    public string Write(string database, string table, IEnumerable<string?> values) =>
        $"REPLACE INTO {_table} VALUES ({string.Join(", ", values.Prepend(table).Prepend(database).Select(Literal))})";

    private static string Literal(string? value) => value is null ? "NULL" : SqlLiteral.Quote(value);

    public string Forget(string database, string table) =>
        $"DELETE FROM {_table} WHERE original = {SqlLiteral.Quote(database)} AND name = {SqlLiteral.Quote(table)}";
}

/// <summary>Who makes a session wait. Each row: number, account, host, seconds since its last command, its command.</summary>
internal static class LockHolderSql
{
    private const string Threads = "t.PROCESSLIST_ID, t.PROCESSLIST_USER, t.PROCESSLIST_HOST, t.PROCESSLIST_TIME, t.PROCESSLIST_COMMAND";

    private const string Processes = "b.trx_mysql_thread_id, p.USER, p.HOST, p.TIME, p.COMMAND";

    /// <summary>Questions from the most exact to the least; an account may be refused each of them. An inexact one finds sessions of which
    /// one may be the holder, and never one that cannot be.</summary>
    public static IReadOnlyList<(string Sql, bool IsExact)> Questions(bool isMariaDb, uint waiting, string database, string table)
    {
        var (rows, metadata, mode) = isMariaDb
            ? ($"SELECT DISTINCT {Processes} FROM information_schema.INNODB_LOCK_WAITS w "
                + "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
                + "JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
                + $"JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id WHERE r.trx_mysql_thread_id = {waiting}",
                "SELECT DISTINCT p.ID, p.USER, p.HOST, p.TIME, p.COMMAND FROM information_schema.METADATA_LOCK_INFO m "
                + $"JOIN information_schema.PROCESSLIST p ON p.ID = m.THREAD_ID WHERE {CatalogSql.Is(database, table, "m.")} "
                + $"AND p.ID <> {waiting}",
                "m.LOCK_MODE NOT IN ('MDL_SHARED_READ', 'MDL_SHARED_WRITE')")
            : ($"SELECT DISTINCT {Threads} FROM performance_schema.data_lock_waits w "
                + "JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID "
                + $"JOIN performance_schema.threads t ON t.THREAD_ID = w.BLOCKING_THREAD_ID WHERE r.PROCESSLIST_ID = {waiting}",
                $"SELECT DISTINCT {Threads} FROM performance_schema.metadata_locks m "
                + "JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID WHERE m.OBJECT_TYPE = 'TABLE' "
                + $"AND m.OBJECT_SCHEMA = {SqlLiteral.Quote(database)} AND m.OBJECT_NAME = {SqlLiteral.Quote(table)} "
                + $"AND m.LOCK_STATUS = 'GRANTED' AND t.PROCESSLIST_ID <> {waiting}",
                "m.LOCK_TYPE NOT IN ('SHARED_READ', 'SHARED_WRITE')");
        return [(rows, true), ($"{metadata} AND {mode}", true), (metadata, false), (Transactions(waiting, database), false)];
    }

    /// <summary>A row for each session of the account, and of others if it may see them: the number first, then user, host, database,
    /// command, seconds, state, statement.</summary>
    public const string Sessions = "SHOW FULL PROCESSLIST";

    /// <summary>For an administrator: how to see who locks a table.</summary>
    public static string HowToSee(bool isMariaDb) => isMariaDb
        ? "INSTALL SONAME 'metadata_lock_info'; SELECT * FROM information_schema.METADATA_LOCK_INFO"
        : "SELECT * FROM performance_schema.metadata_locks, with performance_schema=ON";

    /// <summary>Sessions of the database whose transactions have locked rows, if a row is what is waited for.</summary>
    private static string Transactions(uint waiting, string database) =>
        $"SELECT {Processes} FROM information_schema.INNODB_TRX b JOIN information_schema.PROCESSLIST p ON p.ID = b.trx_mysql_thread_id "
        + $"WHERE b.trx_mysql_thread_id NOT IN (0, {waiting}) AND b.trx_rows_locked > 0 AND p.DB = {SqlLiteral.Quote(database)} "
        + $"AND EXISTS (SELECT 1 FROM information_schema.INNODB_TRX r WHERE r.trx_mysql_thread_id = {waiting} "
        + "AND r.trx_state = 'LOCK WAIT') LIMIT 3";
}
