namespace BulkLoad.Core.Sql;

/// <summary>The settings of a session that carries rows, and how they are read back. <c>autocommit=0</c> and no BEGIN: after a deadlock the
/// transaction is gone. Statements that are under way behind a BEGIN would then commit by themselves; with autocommit off, ROLLBACK undoes
/// them.</summary>
internal static class SessionSql
{
    private const string Modes =
        "STRICT_ALL_TABLES,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";

    /// <summary>How long a session waits for a table that another one alters.</summary>
    public const int LockWaitSeconds = 60;

    private const string NoZeroDates = "NO_ZERO_DATE,NO_ZERO_IN_DATE";

    /// <summary>One value: how far consecutive ids of the session are from each other.</summary>
    public const string IdStep = "SELECT @@SESSION.auto_increment_increment";

    /// <summary>Statements in order. Settings that MySQL keeps to administrators, such as max_error_count, must not be among
    /// them.</summary>
    /// <param name="timeZone">the session's time zone as an offset; null: as the server has it</param>
    public static IReadOnlyList<string> Profile(bool isMariaDb, bool takesZeroDates, string? timeZone) =>
    [
        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
        $"SET SESSION sql_mode='{ModesOf(takesZeroDates)}', autocommit=0, unique_checks=1, foreign_key_checks=1, sql_notes=1, "
            + $"innodb_lock_wait_timeout=20, lock_wait_timeout={LockWaitSeconds}, net_read_timeout=600, net_write_timeout=600, "
            + "wait_timeout=28800, sql_safe_updates=0, sql_select_limit=DEFAULT, sql_auto_is_null=0"
            + (timeZone is null ? "" : $", time_zone={SqlLiteral.Quote(timeZone)}")
            + (isMariaDb
                ? ", check_constraint_checks=1, max_statement_time=0 /*M!100300 , idle_transaction_timeout=0, "
                    + "idle_readonly_transaction_timeout=0, idle_write_transaction_timeout=0 */"
                : ""),
    ];

    /// <summary>The rest of the profile: what open transactions lock, and what they see of each other.</summary>
    /// <param name="logsStatements">whether InnoDB would refuse READ COMMITTED (error 1665)</param>
    public static string Isolation(bool logsStatements) =>
        $"SET SESSION TRANSACTION ISOLATION LEVEL {(logsStatements ? "REPEATABLE READ" : "READ COMMITTED")}";

    public static string Use(string database) => $"USE {SqlName.Quote(database)}";

    /// <summary>Galera: a question waits until the node has applied all that the cluster had committed when it was asked.</summary>
    public const string WaitForCluster = "SET SESSION wsrep_sync_wait=1";

    /// <summary>MySQL asks the storage engine for the number of rows, instead of using an answer of up to a day ago (MySQL manual,
    /// "information_schema_stats_expiry"); servers before that setting keep no such numbers.</summary>
    public const string FreshStatistics = "SET SESSION /*!80000 information_schema_stats_expiry=0, */ sql_notes=1";

    private static string ModesOf(bool takesZeroDates) => takesZeroDates ? Modes : $"{Modes},{NoZeroDates}";

    public static string KillQuery(ulong connectionId) => $"KILL QUERY {connectionId}";

    /// <summary>A script may change it while it runs.</summary>
    public const string Mode = "SELECT @@SESSION.sql_mode";

    /// <summary>The settings that the promises depend on, as <c>name=value</c> in one row.</summary>
    public const string ReadBack =
        "SELECT @@sql_mode, @@autocommit, @@unique_checks, @@foreign_key_checks, @@sql_notes, @@character_set_client, "
            + "@@character_set_connection, @@session.time_zone";

    /// <summary>Settings that differ from the profile, for people; empty: none.</summary>
    public static IReadOnlyList<string> Differences(IReadOnlyList<string?> row, bool takesZeroDates, string? timeZone)
    {
        var differences = new List<string>();
        var modes = (row[0] ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries).ToHashSet(StringComparer.OrdinalIgnoreCase);
        differences.AddRange(
            ModesOf(takesZeroDates).Split(',').Where(mode => !modes.Contains(mode)).Select(mode => $"sql_mode lacks {mode}"));
        differences.AddRange(modes.Where(mode => mode.ToUpperInvariant() is "NO_BACKSLASH_ESCAPES" or "ANSI_QUOTES"
            or "EMPTY_STRING_IS_NULL").Select(mode => $"sql_mode has {mode}"));
        differences.AddRange(modes.Where(mode => takesZeroDates && NoZeroDates.Split(',').Contains(mode.ToUpperInvariant()))
            .Select(mode => $"sql_mode has {mode}"));
        Compare(row[1], "0", "autocommit");
        Compare(row[2], "1", "unique_checks");
        Compare(row[3], "1", "foreign_key_checks");
        Compare(row[4], "1", "sql_notes");
        Compare(row[5], "utf8mb4", "character_set_client");
        Compare(row[6], "utf8mb4", "character_set_connection");
        if (timeZone is not null)
        {
            Compare(row[7], timeZone, "time_zone");
        }

        return differences;

        void Compare(string? value, string expected, string name)
        {
            if (value != expected)
            {
                differences.Add($"{name} is {value}, not {expected}");
            }
        }
    }
}

/// <summary>Transactions of a session with autocommit off. There is no BEGIN: behind a lost transaction it would let the next statements
/// commit by themselves.</summary>
internal static class TransactionSql
{
    public const string Commit = "COMMIT";

    public const string RollBack = "ROLLBACK";

    private static readonly byte[][] Marks = [Encoding.ASCII.GetBytes(Savepoint(0)), Encoding.ASCII.GetBytes(Savepoint(1))];

    /// <summary>Set before a batch; replaces the one of the same turn. There are two, since a batch may have to be undone after the next
    /// one's savepoint has been set.</summary>
    public static string Savepoint(int turn) => turn == 0 ? "SAVEPOINT bulkload_batch_1" : "SAVEPOINT bulkload_batch_2";

    public static ReadOnlySpan<byte> SavepointBytes(int turn) => Marks[turn];

    public static string RollbackToSavepoint(int turn) =>
        turn == 0 ? "ROLLBACK TO SAVEPOINT bulkload_batch_1" : "ROLLBACK TO SAVEPOINT bulkload_batch_2";

    /// <summary>Warnings of the last statement; max_error_count limits the list.</summary>
    public const string FirstWarnings = "SHOW WARNINGS LIMIT 3";
}

internal static class DiagnosticsSql
{
    /// <summary>MariaDB: keeps the 1-based row of the first error or warning (MariaDB documentation, "GET DIAGNOSTICS", ROW_NUMBER since
    /// 10.7).</summary>
    public const string KeepRowNumber = "GET DIAGNOSTICS CONDITION 1 @bulkload_row = ROW_NUMBER";

    public const string RowNumber = "SELECT @bulkload_row";

    /// <summary>MySQL: rows that the session has asked storage engines to write so far (MySQL manual, "Server Status Variables").</summary>
    public const string WrittenRows = "SELECT VARIABLE_VALUE FROM performance_schema.session_status WHERE VARIABLE_NAME = 'Handler_write'";
}

/// <summary>The comment that shows an administrator in the process list whose a statement is (MySQL manual, "Comments"). It is behind the
/// first word, since the list shows the beginning of a statement, and begins with a blank, since a server runs the content of
/// <c>/*!</c>.</summary>
internal static class JobTag
{
    private const int MaxCharacters = 64;

    /// <param name="job">its name in the ledger; whatever could end the comment becomes a question mark</param>
    public static string Of(string job) =>
        $"/* bulkload job {string.Concat(job.Take(MaxCharacters).Select(sign => IsPlain(sign) ? sign : '?'))} */";

    private static bool IsPlain(char sign) => char.IsAsciiLetterOrDigit(sign) || sign is '-' or '_' or '.' or ':';

    public static string Into(string statement, string tag) =>
        tag.Length == 0 ? statement : statement.Insert(statement.IndexOf(' ', StringComparison.Ordinal), $" {tag}");
}
