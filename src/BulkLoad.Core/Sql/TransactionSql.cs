namespace BulkLoad.Core.Sql;

/// <summary>
/// Transactions of a session with autocommit off. There is no BEGIN: behind a lost transaction it would let the next
/// statements commit by themselves.
/// </summary>
internal static class TransactionSql
{
    public const string Commit = "COMMIT";

    public const string RollBack = "ROLLBACK";

    private static readonly byte[][] Marks = [Encoding.ASCII.GetBytes(Savepoint(0)), Encoding.ASCII.GetBytes(Savepoint(1))];

    /// <summary>
    /// Before a batch; replaces the one of the same turn. There are two of them, since one batch may have to be undone when the next
    /// one's savepoint has been set.
    /// </summary>
    /// <param name="turn">0 or 1</param>
    public static string Savepoint(int turn) => turn == 0 ? "SAVEPOINT bulkload_batch_1" : "SAVEPOINT bulkload_batch_2";

    /// <summary><see cref="Savepoint"/> as it goes into a pipeline.</summary>
    /// <param name="turn">0 or 1</param>
    public static ReadOnlySpan<byte> SavepointBytes(int turn) => Marks[turn];

    /// <summary>Undoes a batch, and what came after it.</summary>
    /// <param name="turn">0 or 1</param>
    public static string RollbackToSavepoint(int turn) =>
        turn == 0 ? "ROLLBACK TO SAVEPOINT bulkload_batch_1" : "ROLLBACK TO SAVEPOINT bulkload_batch_2";

    /// <summary>What the server has to say of the last statement; the list is capped by max_error_count.</summary>
    public const string FirstWarnings = "SHOW WARNINGS LIMIT 3";
}

/// <summary>What a server can tell of the statement before.</summary>
internal static class DiagnosticsSql
{
    /// <summary>MariaDB: keeps the 1-based row of the first error or warning (MariaDB documentation, "GET DIAGNOSTICS", ROW_NUMBER since
    /// 10.7).</summary>
    public const string KeepRowNumber = "GET DIAGNOSTICS CONDITION 1 @bulkload_row = ROW_NUMBER";

    public const string RowNumber = "SELECT @bulkload_row";

    /// <summary>MySQL: rows that the session has asked storage engines to write so far (MySQL manual, "Server Status Variables").</summary>
    public const string WrittenRows = "SELECT VARIABLE_VALUE FROM performance_schema.session_status WHERE VARIABLE_NAME = 'Handler_write'";
}
