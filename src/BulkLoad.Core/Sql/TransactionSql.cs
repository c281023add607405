namespace BulkLoad.Core.Sql;

/// <summary>
/// Transactions of a session with autocommit off. There is no BEGIN: behind a lost transaction it would let the next
/// statements commit by themselves.
/// </summary>
internal static class TransactionSql
{
    public const string Commit = "COMMIT";

    public const string RollBack = "ROLLBACK";

    /// <summary>Before a batch whose statement does not undo itself; replaces the one before.</summary>
    public const string MarkBatch = "SAVEPOINT bulkload_batch";

    public const string UndoBatch = "ROLLBACK TO SAVEPOINT bulkload_batch";

    /// <summary>What the server has to say of the last statement; the list is capped by max_error_count.</summary>
    public const string FirstWarnings = "SHOW WARNINGS LIMIT 3";
}
