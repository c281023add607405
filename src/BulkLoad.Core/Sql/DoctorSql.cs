namespace BulkLoad.Core.Sql;

/// <summary>Questions of a diagnosis, and the statements that it advises. No question changes anything: some name a table that does not
/// exist, others are prepared and not run.</summary>
internal static class DoctorSql
{
    public const string TemporaryTables = "CREATE TEMPORARY TABLES";

    /// <summary>One row: the account whose rights count, the time in UTC.</summary>
    public const string Account = "SELECT CURRENT_USER(), UTC_TIMESTAMP(6)";

    /// <summary>Two rows, a name and a value each: TLS version and cipher of the session, empty without TLS.</summary>
    public const string Tls = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')";

    public static string Variables(IEnumerable<string> names) =>
        $"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({string.Join(", ", names.Select(SqlLiteral.Quote))})";

    /// <summary>One row: the number of a database's tables that the account sees, and of those with a column that it may insert
    /// into.</summary>
    public static string InsertableTables(string database) =>
        "SELECT COUNT(DISTINCT TABLE_NAME), COUNT(DISTINCT IF(PRIVILEGES LIKE '%insert%', TABLE_NAME, NULL)) FROM "
            + $"information_schema.COLUMNS WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)}";

    /// <summary>To be prepared: refused if the account lacks the right, before the server looks for the table.</summary>
    /// <param name="columns">number of the table's columns; MariaDB counts them before it checks rights</param>
    public static string Insert(string database, string table, int columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} VALUES ({string.Join(", ", Enumerable.Repeat("DEFAULT", columns))})";

    public static string Select(string database, string table) => $"SELECT * FROM {SqlName.Quote(database, table)}";

    public static string Update(string database, string table) => $"UPDATE {SqlName.Quote(database, table)} SET bulkload_none = 1";

    public static string Delete(string database, string table) => $"DELETE FROM {SqlName.Quote(database, table)}";

    /// <summary>To be run: has the same column twice, which every server refuses after it has checked the right to make tables.</summary>
    public static string Create(string database, string table, bool isTemporary) =>
        $"CREATE {(isTemporary ? "TEMPORARY " : "")}TABLE {SqlName.Quote(database, table)} (a INT, a INT)";

    /// <summary>To be run: drops an index that the table does not have.</summary>
    public static string Alter(string database, string table) => $"ALTER TABLE {SqlName.Quote(database, table)} DROP INDEX bulkload_none";

    /// <summary>To be run: the table does not exist.</summary>
    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>Lasts until the server is restarted.</summary>
    public static string SetGlobal(string name, string value) => $"SET GLOBAL {name}={value}";
}
