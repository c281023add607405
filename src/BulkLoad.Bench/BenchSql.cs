namespace BulkLoad.Bench;

/// <summary>The bench's tables: how they are made, recognised and removed.</summary>
internal static class BenchSql
{
    public const string Prefix = "bulkload_bench_";

    /// <summary>Tables for transactions stay from one command to the next.</summary>
    public const string TransactionPrefix = Prefix + "oltp_";

    /// <summary>A bench may drop a table with this comment.</summary>
    public const string Comment = "made by bulkload bench, which drops it";

    /// <summary>One bench in a database at a time: 1 means that the lock was free. Its name has at most 64 characters.</summary>
    public const string Lock = $"SELECT GET_LOCK(CONCAT('{Prefix}', LEFT(SHA2(DATABASE(), 256), 32)), 0)";

    /// <summary>So figures do not depend on the server's defaults, and nobody waits long for a table.</summary>
    public static IReadOnlyList<string> SetUp { get; } =
    [
        "SET NAMES utf8mb4",
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit=1, sql_safe_updates=0, sql_select_limit=DEFAULT, "
            + "lock_wait_timeout=10",
    ];

    /// <summary>Settings that influence the figures.</summary>
    public const string Settings =
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN "
            + "('innodb_flush_log_at_trx_commit','innodb_buffer_pool_size','innodb_doublewrite','log_bin','sync_binlog',"
        + "'max_allowed_packet','innodb_autoinc_lock_mode','query_cache_type')";

    public const string LongestPacket = "SELECT @@max_allowed_packet";

    public static string Create(string table, string columns) =>
        $"CREATE TABLE {SqlName.Quote(table)} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT={SqlLiteral.Quote(Comment)}";

    public static string Copy(string table, string like) => $"CREATE TABLE {SqlName.Quote(table)} LIKE {like}";

    public static string Mark(string table) => $"ALTER TABLE {SqlName.Quote(table)} COMMENT={SqlLiteral.Quote(Comment)}";

    public static string Drop(string table) => $"DROP TABLE IF EXISTS {SqlName.Quote(table)}";

    public static string Empty(string table) => $"TRUNCATE TABLE {SqlName.Quote(table)}";

    public static string Count(string table) => $"SELECT COUNT(*) FROM {SqlName.Quote(table)}";

    public static string Fill(string table, string from) => $"INSERT INTO {SqlName.Quote(table)} SELECT * FROM {SqlName.Quote(from)}";

    public static string Find(string table) =>
        $"SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME={SqlLiteral.Quote(table)}";

    /// <summary>Tables of a bench that was killed.</summary>
    public static string FindLeft => FindAll($"{BeginsWith(Prefix)} AND NOT {BeginsWith(TransactionPrefix)} AND {HasComment}");

    public static string FindForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND {HasComment}");

    /// <summary>Tables of such a name that no bench made.</summary>
    public static string FindOthersForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND NOT {HasComment}");

    /// <summary>A session of the same account.</summary>
    public static string Kill(uint connectionId) => $"KILL {connectionId}";

    public static string Autocommit(bool isOn) => $"SET autocommit={(isOn ? 1 : 0)}";

    private static string HasComment => $"TABLE_COMMENT={SqlLiteral.Quote(Comment)}";

    private static string BeginsWith(string prefix) => $"LEFT(TABLE_NAME, {prefix.Length})={SqlLiteral.Quote(prefix)}";

    private static string FindAll(string condition) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND {condition} ORDER BY TABLE_NAME";
}
