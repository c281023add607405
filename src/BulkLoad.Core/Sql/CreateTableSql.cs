using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>CREATE TABLE (MySQL manual, "CREATE TABLE Statement"), and how a new table is given up again. Each of them commits what is open.</summary>
internal static class CreateTableSql
{
    /// <param name="database">exists</param>
    /// <param name="table">does not</param>
    /// <param name="columns">with <see cref="TableColumn.TypeText"/> as it is to be</param>
    /// <param name="primaryKey">names of columns; empty: no key</param>
    public static string Create(string database, string table, IReadOnlyList<TableColumn> columns, IReadOnlyList<string> primaryKey)
    {
        var lines = columns
            .Select(column => $"{SqlName.Quote(column.Name)} {column.TypeText.ToUpperInvariant()} {(column.IsNullable ? "NULL" : "NOT NULL")}")
            .Concat(primaryKey.Count == 0 ? [] : [$"PRIMARY KEY ({SqlName.List(primaryKey)})"]);
        return $"CREATE TABLE {SqlName.Quote(database, table)} (\n{string.Join(",\n", lines.Select(line => $"  {line}"))}\n) DEFAULT CHARSET=utf8mb4";
    }

    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>So that another session's work on the table is waited for no longer than this.</summary>
    public const string WaitBriefly = "SET SESSION lock_wait_timeout=3";
}
