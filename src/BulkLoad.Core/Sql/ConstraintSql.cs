using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Sql;

/// <summary>Questions about a table's foreign keys and constraints. Column order is part of each statement's contract with its reader in
/// Probing.</summary>
internal static class ConstraintSql
{
    /// <summary>MariaDB that has IGNORED indexes, and tells of them.</summary>
    private static readonly Version FirstToIgnore = new(10, 6, 0);

    /// <summary>
    /// A row a column of an index that values can be looked up in: index, whether it is not unique, column or NULL for an expression,
    /// prefix length, YES where the server keeps it and does not look there (MySQL's INVISIBLE, MariaDB's IGNORED).
    /// </summary>
    public static string Indexes(string database, string table, ServerIdentity server) =>
        $"SELECT s.INDEX_NAME, s.NON_UNIQUE, s.COLUMN_NAME, s.SUB_PART, {IsUnused(server)} FROM information_schema.STATISTICS s "
        + $"WHERE {Of("s", database, table)} AND s.INDEX_TYPE = 'BTREE' "
        + "ORDER BY s.INDEX_NAME <> 'PRIMARY', s.INDEX_NAME, s.SEQ_IN_INDEX";

    /// <summary>A row a foreign key that points to the table: its table's database and name, its own name, what becomes of its rows when
    /// theirs goes, and when it changes.</summary>
    public static string Referring(string database, string table) =>
        "SELECT r.CONSTRAINT_SCHEMA, r.TABLE_NAME, r.CONSTRAINT_NAME, r.DELETE_RULE, r.UPDATE_RULE FROM "
            + "information_schema.REFERENTIAL_CONSTRAINTS r "
        + $"WHERE r.UNIQUE_CONSTRAINT_SCHEMA = {SqlLiteral.Quote(database)} AND r.REFERENCED_TABLE_NAME = {SqlLiteral.Quote(table)} "
        + "ORDER BY r.CONSTRAINT_SCHEMA, r.TABLE_NAME, r.CONSTRAINT_NAME";

    /// <summary>A row a setting that bounds what the server looks up in an index, or keeps in memory: name, value. Each server has its
    /// own.</summary>
    public const string KeyLimits =
        "SHOW VARIABLES WHERE Variable_name IN ('range_optimizer_max_mem_size', 'in_predicate_conversion_threshold', "
            + "'optimizer_max_sel_arg_weight', "
        + "'max_heap_table_size')";

    /// <summary>A row a column of a foreign key: key, column.</summary>
    public static string ForeignKeys(string database, string table) =>
        "SELECT k.CONSTRAINT_NAME, k.COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE k "
        + $"WHERE {Of("k", database, table)} AND k.REFERENCED_TABLE_NAME IS NOT NULL ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION";

    /// <summary>Foreign keys that the table has.</summary>
    /// <inheritdoc cref="References"/>
    public static string ReferencesOf(string database, string table) => References(Of("k", database, table));

    /// <summary>Foreign keys that point to the table.</summary>
    /// <inheritdoc cref="References"/>
    public static string ReferencesTo(string database, string table) => References(
        $"k.REFERENCED_TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND k.REFERENCED_TABLE_NAME = {SqlLiteral.Quote(table)}");

    /// <summary>
    /// A row a column of a foreign key: database, table and name of the key, column, and database, table and column that it refers to, what
    /// becomes of its row when theirs goes, and when it changes.
    /// </summary>
    /// <param name="condition">of KEY_COLUMN_USAGE as <c>k</c></param>
    public static string References(string condition) =>
        "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, "
        + "k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE "
        + "FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r "
        + "ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.TABLE_NAME = k.TABLE_NAME AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME "
        + $"WHERE {condition} AND k.REFERENCED_TABLE_NAME IS NOT NULL "
        + "ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION";

    /// <summary>One value: how many CHECK constraints are enforced.</summary>
    public static string CountChecks(string database, string table, bool isMariaDb) => isMariaDb
        ? "SELECT COUNT(*) FROM information_schema.CHECK_CONSTRAINTS c "
            + $"WHERE c.CONSTRAINT_SCHEMA = {SqlLiteral.Quote(database)} AND c.TABLE_NAME = {SqlLiteral.Quote(table)}"
        : $"SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS c WHERE {Of("c", database, table)} AND c.CONSTRAINT_TYPE = "
            + "'CHECK' AND c.ENFORCED = 'YES'";

    /// <summary>One value: how many partitions are by range or list.</summary>
    public static string CountBoundedPartitions(string database, string table) =>
        $"SELECT COUNT(*) FROM information_schema.PARTITIONS p WHERE {Of("p", database, table)} AND (p.PARTITION_METHOD LIKE 'RANGE%' OR "
            + "p.PARTITION_METHOD LIKE 'LIST%')";

    /// <summary>One row where the table has any.</summary>
    public static string AnyRow(string database, string table) => $"SELECT 1 FROM {SqlName.Quote(database, table)} LIMIT 1";

    private static string IsUnused(ServerIdentity server) =>
        !server.IsMariaDb ? "IF(s.IS_VISIBLE = 'NO', 'YES', 'NO')"
        : server.Version >= FirstToIgnore ? "s.IGNORED"
        : "'NO'";

    private static string Of(string alias, string database, string table) =>
        $"{alias}.TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND {alias}.TABLE_NAME = {SqlLiteral.Quote(table)}";
}
