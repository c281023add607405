namespace BulkLoad.Bench;

/// <summary>The bench's own tables: how they are made, known again and taken away.</summary>
internal static class BenchSql
{
    /// <summary>What all of its tables' names begin with.</summary>
    public const string Prefix = "bulkload_bench_";

    /// <summary>What the names of tables for transactions begin with, which stay from one command to the next.</summary>
    public const string TransactionPrefix = Prefix + "oltp_";

    /// <summary>The comment of a table that a bench may drop.</summary>
    public const string Comment = "made by bulkload bench, which drops it";

    /// <summary>One bench in a database at a time; 1 where it got its turn. A lock's name has 64 characters at most.</summary>
    public const string Lock = $"SELECT GET_LOCK(CONCAT('{Prefix}', LEFT(SHA2(DATABASE(), 256), 32)), 0)";

    /// <summary>
    /// What every session starts with, so that figures do not depend on the server's defaults, and none waits for a table for long.
    /// </summary>
    public static IReadOnlyList<string> SetUp { get; } =
    [
        "SET NAMES utf8mb4",
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit=1, sql_safe_updates=0, sql_select_limit=DEFAULT, "
            + "lock_wait_timeout=10",
    ];

    /// <summary>Name and value of settings that figures depend on.</summary>
    public const string Settings =
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN "
            + "('innodb_flush_log_at_trx_commit','innodb_buffer_pool_size','innodb_doublewrite','log_bin','sync_binlog',"
        + "'max_allowed_packet','innodb_autoinc_lock_mode','query_cache_type')";

    public const string LongestPacket = "SELECT @@max_allowed_packet";

    /// <param name="table">without its database</param>
    public static string Create(string table, string columns) =>
        $"CREATE TABLE {SqlName.Quote(table)} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT={SqlLiteral.Quote(Comment)}";

    /// <param name="table">without its database</param>
    public static string Copy(string table, string like) => $"CREATE TABLE {SqlName.Quote(table)} LIKE {like}";

    public static string Mark(string table) => $"ALTER TABLE {SqlName.Quote(table)} COMMENT={SqlLiteral.Quote(Comment)}";

    public static string Drop(string table) => $"DROP TABLE IF EXISTS {SqlName.Quote(table)}";

    public static string Empty(string table) => $"TRUNCATE TABLE {SqlName.Quote(table)}";

    public static string Count(string table) => $"SELECT COUNT(*) FROM {SqlName.Quote(table)}";

    /// <summary>Fills a table from another with the same columns.</summary>
    public static string Fill(string table, string from) => $"INSERT INTO {SqlName.Quote(table)} SELECT * FROM {SqlName.Quote(from)}";

    /// <summary>The comment of the table, if there is one.</summary>
    public static string Find(string table) =>
        $"SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME={SqlLiteral.Quote(table)}";

    /// <summary>Names of tables that a bench made and that should be gone.</summary>
    public static string FindLeft => FindAll($"{BeginsWith(Prefix)} AND NOT {BeginsWith(TransactionPrefix)} AND {HasComment}");

    public static string FindForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND {HasComment}");

    /// <summary>Names of tables that are called so, and that no bench made.</summary>
    public static string FindOthersForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND NOT {HasComment}");

    /// <summary>Ends a session of the same account.</summary>
    public static string Kill(uint connectionId) => $"KILL {connectionId}";

    public static string Autocommit(bool isOn) => $"SET autocommit={(isOn ? 1 : 0)}";

    private static string HasComment => $"TABLE_COMMENT={SqlLiteral.Quote(Comment)}";

    private static string BeginsWith(string prefix) => $"LEFT(TABLE_NAME, {prefix.Length})={SqlLiteral.Quote(prefix)}";

    private static string FindAll(string condition) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND {condition} ORDER BY TABLE_NAME";
}
