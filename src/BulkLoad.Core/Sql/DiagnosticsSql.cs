namespace BulkLoad.Core.Sql;

/// <summary>What a server can tell of the statement before.</summary>
internal static class DiagnosticsSql
{
    /// <summary>MariaDB: keeps the 1-based row of the first error or warning (MariaDB documentation, "GET DIAGNOSTICS", ROW_NUMBER since 10.7).</summary>
    public const string KeepRowNumber = "GET DIAGNOSTICS CONDITION 1 @bulkload_row = ROW_NUMBER";

    public const string RowNumber = "SELECT @bulkload_row";

    /// <summary>MySQL: rows that the session has asked storage engines to write so far (MySQL manual, "Server Status Variables").</summary>
    public const string WrittenRows = "SELECT VARIABLE_VALUE FROM performance_schema.session_status WHERE VARIABLE_NAME = 'Handler_write'";
}
