using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Sql;

/// <summary>Questions about server and table. Column order is part of each statement's contract with its reader in Server.</summary>
internal static class CatalogSql
{
    private const string IdentityText = "CONCAT_WS('/', @@hostname, @@port, @@datadir)";

    /// <summary>One value: which server this is, of those at the same address.</summary>
    public const string Identity = $"SELECT {IdentityText}";

    /// <summary>One row: limits, time zones, binary log, which server and session this is, how ids are handed out, the default database or
    /// NULL, when commits are brought to the disk by InnoDB and by the binary log, the server's own id.</summary>
    public static string Server(bool isMariaDb) =>
        "SELECT @@max_allowed_packet, @@max_prepared_stmt_count, @@session.time_zone, @@system_time_zone, "
        + $"@@global.log_bin, @@session.binlog_format, {IdentityText}, CONNECTION_ID(), @@innodb_autoinc_lock_mode, DATABASE(), "
        + $"@@innodb_flush_log_at_trx_commit, @@sync_binlog, {OwnId(isMariaDb)}";

    /// <summary>One row: which server this is, and its own id.</summary>
    public static string IdentityWithId(bool isMariaDb) => $"{Identity}, {OwnId(isMariaDb)}";

    /// <summary>One row, or none if the server does not tell: a name, and the seconds since the server's start.</summary>
    public const string Uptime = "SHOW GLOBAL STATUS LIKE 'Uptime'";

    /// <summary>One row, or none on a server without Galera: a name, and ON or OFF.</summary>
    public const string Galera = "SHOW VARIABLES LIKE 'wsrep_on'";

    /// <summary>One row whose last cell counts the connected replicas. On MySQL an account without PROCESS is shown none, nor is any where
    /// performance_schema is off. (information_schema.PROCESSLIST fails with error 3854 while another session runs a statement with
    /// characters of four bytes.)</summary>
    public static string Replicas(bool isMariaDb, Version version) =>
        isMariaDb ? "SHOW GLOBAL STATUS LIKE 'Slaves_connected'"
        : version >= FirstWithProcessList ? "SELECT COUNT(*) FROM performance_schema.processlist WHERE COMMAND LIKE 'Binlog Dump%'"
        : "SELECT 0";

    private static readonly Version FirstWithProcessList = new(8, 0, 22);

    private static string OwnId(bool isMariaDb) => isMariaDb ? "@@server_id" : "@@server_uuid";

    private const string ColumnParts =
        "COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH, "
        + "NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME, GENERATION_EXPRESSION, COLLATION_NAME";

    /// <summary>Quoted, so that no two columns have the same text, and NULL is a word without quotes.</summary>
    private static readonly string ColumnDigest =
        $"SHA2(CONCAT_WS(',', {string.Join(", ", ColumnParts.Split(", ").Select(part => $"QUOTE({part})"))}), 256)";

    public const string RoundTrip = "DO 0";

    /// <summary>User and host with an @ in between.</summary>
    public const string Account = "SELECT CURRENT_USER()";

    /// <summary>Deletes nothing; refused to an account without the right.</summary>
    public static string ExplainEmptying(string database, string table) => $"EXPLAIN DELETE FROM {SqlName.Quote(database, table)}";

    /// <summary>One row: database and name, type, engine, whether the engine has transactions, and savepoints. No row: there is no such
    /// table, or no right on it.</summary>
    public static string Table(string database, string table) => TablesWhere(Is(database, table, "t."));

    /// <summary>A row a base table: columns of <see cref="Table"/>, before the last one when it was made and the next generated
    /// number.</summary>
    public static string Tables(string database) =>
        TablesWhere(
            $"{Is(database, null, "t.")} AND t.TABLE_TYPE = 'BASE TABLE' ORDER BY t.TABLE_NAME", ", t.CREATE_TIME, t.AUTO_INCREMENT");

    private static string TablesWhere(string condition, string more = "") =>
        $"SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.ENGINE, e.TRANSACTIONS{more}, e.SAVEPOINTS FROM information_schema.TABLES t "
        + $"LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE WHERE {condition}";

    /// <summary>A row a column that the account has any right on, in table order; a digest of what is before it, but for the rights; the
    /// table's name.</summary>
    /// <param name="table">null: all of the database</param>
    public static string Columns(string database, string? table) =>
        $"SELECT {ColumnParts}, PRIVILEGES, {ColumnDigest}, TABLE_NAME {FromColumns(database, table)} ORDER BY ORDINAL_POSITION";

    /// <summary>A condition: the columns that the account has any right on are exactly those of the digests.</summary>
    public static string AreColumns(string database, string table, IReadOnlyCollection<string> digests) =>
        AreRows(ColumnDigest, digests, FromColumns(database, table));

    /// <summary>A row a column of a spatial type: name, spatial reference system or NULL.</summary>
    public static string SpatialReferences(string database, string table, bool isMariaDb) =>
        $"SELECT {(isMariaDb ? "G_GEOMETRY_COLUMN, SRID" : "COLUMN_NAME, SRS_ID")} {FromSpatialReferences(database, table, isMariaDb)}";

    /// <summary>A condition: the columns of spatial types are exactly these, in these spatial reference systems.</summary>
    public static string AreSpatialReferences(
        string database, string table, bool isMariaDb, IEnumerable<(string Name, uint Srid)> columns) => AreRows(
        isMariaDb ? "CONCAT_WS(',', IFNULL(SRID, 0), G_GEOMETRY_COLUMN)" : "CONCAT_WS(',', IFNULL(SRS_ID, 0), COLUMN_NAME)",
        [.. columns.Select(column => $"{column.Srid},{column.Name}")],
        FromSpatialReferences(database, table, isMariaDb));

    /// <summary>A row a trigger that the account may see: name, timing, event, body, the table's name.</summary>
    /// <inheritdoc cref="Columns" path="/param"/>
    public static string Triggers(string database, string? table) =>
        "SELECT TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, ACTION_STATEMENT, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS "
        + $"WHERE EVENT_OBJECT_SCHEMA = {SqlLiteral.Quote(database)}"
        + (table is null ? "" : $" AND EVENT_OBJECT_TABLE = {SqlLiteral.Quote(table)}") + " ORDER BY ACTION_TIMING, TRIGGER_NAME";

    /// <summary>A row a column of a primary or unique key, the primary key first, each in its order: the key's name, the column's or NULL
    /// for an expression, how much of it counts or NULL for all, the table's name.</summary>
    /// <inheritdoc cref="Columns" path="/param" />
    public static string UniqueKeys(string database, string? table) =>
        $"SELECT INDEX_NAME, COLUMN_NAME, SUB_PART, TABLE_NAME FROM information_schema.STATISTICS WHERE {Is(database, table)} "
        + "AND NON_UNIQUE = 0 ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX";

    /// <summary>A row a table with a foreign key to this one: its database, its name.</summary>
    public static string Referencing(string database, string table) =>
        $"SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE {Is(database, table, "REFERENCED_")} "
        + "ORDER BY TABLE_SCHEMA, TABLE_NAME";

    /// <summary>A row a column of a foreign key that points to the table: schema, table, key, column.</summary>
    public static string ReferringColumns(string database, string table) =>
        "SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        + $"WHERE {Is(database, table, "REFERENCED_")} ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION";

    /// <summary>A row if one of the table refers to another by these columns.</summary>
    public static string HasReference(string database, string table, IEnumerable<string> columns) =>
        $"SELECT 1 FROM {SqlName.Quote(database, table)} WHERE "
            + $"{string.Join(" AND ", columns.Select(column => $"{SqlName.Quote(column)} IS NOT NULL"))} LIMIT 1";

    /// <summary>A row if a foreign key of the table points to itself.</summary>
    public static string OwnReference(string database, string table) =>
        $"SELECT 1 FROM information_schema.KEY_COLUMN_USAGE WHERE {Is(database, table)} "
        + "AND REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA AND REFERENCED_TABLE_NAME = TABLE_NAME LIMIT 1";

    /// <summary>One row: the storage engine of new tables, whether it has transactions.</summary>
    public const string DefaultEngine = "SELECT ENGINE, TRANSACTIONS FROM information_schema.ENGINES WHERE SUPPORT = 'DEFAULT'";

    /// <summary>A row a setting that demands a primary key of every table: name, ON or OFF. Each server has one of them, older ones
    /// none.</summary>
    public const string KeyDemands = "SHOW VARIABLES WHERE Variable_name IN ('sql_require_primary_key', 'innodb_force_primary_key')";

    public const string Databases = "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME";

    /// <summary>Tables of the database, to suggest one.</summary>
    public static string TableNames(string database) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)} ORDER BY TABLE_NAME LIMIT "
            + "1000";

    /// <summary>Databases that have a table of that name.</summary>
    public static string DatabasesWith(string table) =>
        $"SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_NAME = {SqlLiteral.Quote(table)} ORDER BY TABLE_SCHEMA LIMIT 3";

    /// <param name="prefix">what comes before the names of the columns that say so</param>
    /// <inheritdoc cref="Columns" path="/param"/>
    public static string Is(string database, string? table, string prefix = "") => $"{prefix}TABLE_SCHEMA = {SqlLiteral.Quote(database)}"
        + (table is null ? "" : $" AND {prefix}TABLE_NAME = {SqlLiteral.Quote(table)}");

    private static string FromColumns(string database, string? table) =>
        $"FROM information_schema.COLUMNS WHERE {Is(database, table)}";

    private static string FromSpatialReferences(string database, string table, bool isMariaDb) => isMariaDb
        ? $"FROM information_schema.GEOMETRY_COLUMNS WHERE {Is(database, table, "G_")}"
        : $"FROM information_schema.ST_GEOMETRY_COLUMNS WHERE {Is(database, table)}";

    /// <summary>Whether there are as many rows as values, and each row has one of them: the same ones, if no two rows are equal.</summary>
    private static string AreRows(string value, IReadOnlyCollection<string> values, string from) =>
        $"(SELECT COUNT(*) = {values.Count} AND SUM({value} IN ({string.Join(", ", values.Select(SqlLiteral.Quote))})) = {values.Count} "
            + $"{from})";
}

/// <summary>Questions of a session that watches a server at work.</summary>
internal static class WatchSql
{
    /// <summary>Each question is a transaction of its own, and waits for no locks.</summary>
    public const string EachByItself = "SET SESSION autocommit=1";

    /// <summary>Names and values of all status variables.</summary>
    public const string AllStatus = "SHOW GLOBAL STATUS";

    /// <summary>A row for each variable that there is: its name as the server writes it, its value.</summary>
    public static string Status(IEnumerable<string> names) =>
        $"SHOW GLOBAL STATUS WHERE Variable_name IN ({string.Join(", ", names.Select(SqlLiteral.Quote))})";

    /// <summary>A row for each source that the server replicates; <see cref="LagColumns"/> has the name of the column with its
    /// lag.</summary>
    public static string Replication(ServerIdentity server) => server.IsMariaDb ? "SHOW ALL SLAVES STATUS"
        : server.Version >= FirstToSayReplica ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS";

    /// <summary>Seconds that a replica is behind, by version; NULL: it does not replicate.</summary>
    public static IReadOnlyList<string> LagColumns { get; } = ["Seconds_Behind_Source", "Seconds_Behind_Master"];

    /// <summary>What a replica has applied, as a file of its source's log and an offset, by version.</summary>
    public static IReadOnlyList<string> AppliedFileColumns { get; } = ["Relay_Source_Log_File", "Relay_Master_Log_File"];

    /// <inheritdoc cref="AppliedFileColumns"/>
    public static IReadOnlyList<string> AppliedOffsetColumns { get; } = ["Exec_Source_Log_Pos", "Exec_Master_Log_Pos"];

    /// <summary>Name and value of a Galera node's cluster, and of its last write set; an empty value or no row: it is no such node. Needs
    /// no right.</summary>
    public static string Cluster { get; } = Status(["wsrep_cluster_state_uuid", "wsrep_last_committed"]);

    /// <summary>One row: a Galera cluster's nodes, as host:port with commas in between.</summary>
    public const string ClusterAddresses = "SHOW GLOBAL STATUS LIKE 'wsrep_incoming_addresses'";

    /// <summary>One row: the GTIDs of the binary log in one line, or empty; the domain of the server's own commits, or NULL where there are
    /// none. Needs no right.</summary>
    public static string LogPosition(ServerIdentity server) => server.IsMariaDb
        ? "SELECT @@GLOBAL.gtid_binlog_pos, @@GLOBAL.gtid_domain_id" : "SELECT REPLACE(@@GLOBAL.gtid_executed, CHAR(10), ''), NULL";

    /// <summary>One row, or none: the binary log's file and offset first. Needs the right to see them.</summary>
    public static string LogFile(ServerIdentity server) =>
        server.IsMariaDb || server.Version < FirstToSayBinary ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS";

    /// <summary>MariaDB: the last GTID of each domain that the replica has applied. Needs no right.</summary>
    public const string AppliedDomains = "SELECT @@GLOBAL.gtid_slave_pos";

    /// <summary>MySQL: a cell for each position, 1 where all GTIDs of it that are not in <paramref name="first"/> are applied. Needs no
    /// right.</summary>
    public static string HaveGtids(string first, IEnumerable<string> positions) => "SELECT " + string.Join(", ", positions.Select(
        position => $"GTID_SUBSET(GTID_SUBTRACT({SqlLiteral.Quote(position)}, {SqlLiteral.Quote(first)}), @@GLOBAL.gtid_executed)"));

    /// <summary>A row where the server is an ONLINE member of a group.</summary>
    public const string OwnMembership = "SELECT MEMBER_STATE FROM performance_schema.replication_group_members "
        + "WHERE MEMBER_ID = @@GLOBAL.server_uuid AND MEMBER_STATE = 'ONLINE'";

    /// <summary>A row for each replica that is connected: MySQL's columns are Server_Id, Host, Port; MariaDB's Server_id, Host,
    /// Port.</summary>
    public static string KnownReplicas(ServerIdentity server) =>
        server.IsMariaDb || server.Version < FirstToSayReplica ? "SHOW SLAVE HOSTS" : "SHOW REPLICAS";

    /// <summary>Host and port of the other members of a group.</summary>
    public const string OtherMembers = "SELECT MEMBER_HOST, MEMBER_PORT FROM performance_schema.replication_group_members "
        + "WHERE MEMBER_ID <> @@GLOBAL.server_uuid AND MEMBER_STATE = 'ONLINE'";

    private static readonly Version FirstToSayReplica = new(8, 0, 22), FirstToSayBinary = new(8, 2, 0);
}

/// <summary>Questions about a table's foreign keys and constraints. Column order is part of each statement's contract with its reader in
/// Server.</summary>
internal static class ConstraintSql
{
    /// <summary>First version of MariaDB with IGNORED indexes in its catalogue.</summary>
    private static readonly Version FirstToIgnore = new(10, 6, 0);

    /// <summary>Kinds of indexes that serve other questions; MariaDB looks nothing up in the hash of a long unique key. Others have names
    /// of their engines, such as MyRocks' LSMTREE.</summary>
    private const string NotLookedUp = "'FULLTEXT', 'SPATIAL', 'RTREE', 'VECTOR', 'HASH'";

    /// <summary>A row a column of an index that values can be looked up in: index, whether it is not unique, column or NULL for an
    /// expression, prefix length, YES where the server keeps it and does not look there (MySQL's INVISIBLE, MariaDB's IGNORED).</summary>
    public static string Indexes(string database, string table, ServerIdentity server) =>
        $"SELECT s.INDEX_NAME, s.NON_UNIQUE, s.COLUMN_NAME, s.SUB_PART, {IsUnused(server)} FROM information_schema.STATISTICS s "
        + $"WHERE {CatalogSql.Is(database, table, "s.")} AND s.INDEX_TYPE NOT IN ({NotLookedUp}) "
        + "ORDER BY s.INDEX_NAME <> 'PRIMARY', s.INDEX_NAME, s.SEQ_IN_INDEX";

    /// <summary>A row a foreign key that points to the table: its table's database and name, its own name, its ON DELETE, and its ON
    /// UPDATE.</summary>
    public static string Referring(string database, string table) =>
        "SELECT r.CONSTRAINT_SCHEMA, r.TABLE_NAME, r.CONSTRAINT_NAME, r.DELETE_RULE, r.UPDATE_RULE FROM "
            + "information_schema.REFERENTIAL_CONSTRAINTS r "
        + $"WHERE r.UNIQUE_CONSTRAINT_SCHEMA = {SqlLiteral.Quote(database)} AND r.REFERENCED_TABLE_NAME = {SqlLiteral.Quote(table)} "
        + "ORDER BY r.CONSTRAINT_SCHEMA, r.TABLE_NAME, r.CONSTRAINT_NAME";

    /// <summary>A row a setting that bounds what the server looks up in an index, or keeps in memory: name, value. Each server has its
    /// own.</summary>
    public const string KeyLimits =
        "SHOW VARIABLES WHERE Variable_name IN ('range_optimizer_max_mem_size', 'in_predicate_conversion_threshold', "
            + "'optimizer_max_sel_arg_weight', 'max_heap_table_size')";

    /// <summary>With NULL for the rules: MariaDB tells them only to an account with a right on the other table.</summary>
    /// <inheritdoc cref="References" />
    public static string ForeignKeys(string database, string table) => References(CatalogSql.Is(database, table, "k."), hasRules: false);

    public static string ReferencesOf(string database, string table) => References(CatalogSql.Is(database, table, "k."));

    public static string ReferencesTo(string database, string table) => References(CatalogSql.Is(database, table, "k.REFERENCED_"));

    /// <summary>From or to tables of the database.</summary>
    /// <inheritdoc cref="References"/>
    public static string ReferencesWith(string database) =>
        References($"({CatalogSql.Is(database, null, "k.")} OR {CatalogSql.Is(database, null, "k.REFERENCED_")})");

    /// <summary>A row a column of a foreign key: database, table and name of the key, column, and database, table and column that it refers
    /// to, its ON DELETE, and its ON UPDATE.</summary>
    private static string References(string condition, bool hasRules = true)
    {
        var (rules, join) = !hasRules ? ("NULL, NULL", "")
            : ("r.DELETE_RULE, r.UPDATE_RULE", "JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = "
                + "k.CONSTRAINT_SCHEMA AND r.TABLE_NAME = k.TABLE_NAME AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME ");
        return "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, "
            + $"k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, {rules} "
            + $"FROM information_schema.KEY_COLUMN_USAGE k {join}"
            + $"WHERE {condition} AND k.REFERENCED_TABLE_NAME IS NOT NULL "
            + "ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION";
    }

    /// <summary>One value: how many CHECK constraints are enforced.</summary>
    public static string CountChecks(string database, string table, bool isMariaDb) => isMariaDb
        ? "SELECT COUNT(*) FROM information_schema.CHECK_CONSTRAINTS c "
            + $"WHERE c.CONSTRAINT_SCHEMA = {SqlLiteral.Quote(database)} AND c.TABLE_NAME = {SqlLiteral.Quote(table)}"
        : $"SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS c WHERE {CatalogSql.Is(database, table, "c.")} "
            + "AND c.CONSTRAINT_TYPE = 'CHECK' AND c.ENFORCED = 'YES'";

    /// <summary>One value: how many partitions are by range or list.</summary>
    public static string CountBoundedPartitions(string database, string table) =>
        $"SELECT COUNT(*) FROM information_schema.PARTITIONS p WHERE {CatalogSql.Is(database, table, "p.")} "
            + "AND (p.PARTITION_METHOD LIKE 'RANGE%' OR p.PARTITION_METHOD LIKE 'LIST%')";

    public static string AnyRow(string database, string table) => $"SELECT 1 FROM {SqlName.Quote(database, table)} LIMIT 1";

    private static string IsUnused(ServerIdentity server) =>
        !server.IsMariaDb ? "IF(s.IS_VISIBLE = 'NO', 'YES', 'NO')"
        : server.Version >= FirstToIgnore ? "s.IGNORED"
        : "'NO'";
}

/// <summary>Questions about a table's indexes, and how they are dropped and added (MySQL manual, "ALTER TABLE Statement"), which commits
/// what is open in the session. Column order of the questions is part of their contract with the reader in Server.</summary>
internal sealed class IndexSql(string database, string table)
{
    /// <summary>Then <see cref="Definition"/> has every name in backticks.</summary>
    public const string QuoteNames = "SET SESSION sql_quote_show_create=1";

    private readonly string _name = SqlName.Quote(database, table);

    /// <summary>One row: the table's name, and the statement that would make it.</summary>
    public string Definition => $"SHOW CREATE TABLE {_name}";

    /// <summary>A row a column of an index, in its order: the index's name, the column's or NULL for an expression.</summary>
    public string Columns =>
        "SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS "
        + $"WHERE {CatalogSql.Is(database, table)} ORDER BY INDEX_NAME, SEQ_IN_INDEX";

    /// <summary>A row a column that foreign keys point to.</summary>
    public string ReferredColumns =>
        "SELECT DISTINCT REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE "
        + $"WHERE {CatalogSql.Is(database, table, "REFERENCED_")}";

    /// <summary>One row: the estimated number of rows; NULL: the server does not say.</summary>
    public string Rows =>
        $"SELECT TABLE_ROWS FROM information_schema.TABLES WHERE {CatalogSql.Is(database, table)}";

    /// <summary>One row: the estimated bytes of a row; NULL: the server does not say.</summary>
    public string RowBytes =>
        $"SELECT AVG_ROW_LENGTH FROM information_schema.TABLES WHERE {CatalogSql.Is(database, table)}";

    public string Drop(IEnumerable<string> names, string tag) => Alter(names.Select(name => $"DROP INDEX {SqlName.Quote(name)}"), tag);

    public string Add(IEnumerable<string> definitions, string tag) => Alter(definitions.Select(definition => $"ADD {definition}"), tag);

    private string Alter(IEnumerable<string> changes, string tag) => JobTag.Into($"ALTER TABLE {_name} {string.Join(", ", changes)}", tag);
}
