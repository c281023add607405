namespace BulkLoad.Core.Sql;

/// <summary>What a diagnosis asks, and the statements that it advises. None of the questions changes anything: some name a table that does
/// not exist, others are prepared and not run.</summary>
internal static class DoctorSql
{
    public const string TemporaryTables = "CREATE TEMPORARY TABLES";

    /// <summary>One row: the account whose rights count, the time in UTC.</summary>
    public const string Account = "SELECT CURRENT_USER(), UTC_TIMESTAMP(6)";

    /// <summary>Two rows, a name and a value each: TLS version and cipher of the session, empty without TLS.</summary>
    public const string Tls = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')";

    public static string Variables(IEnumerable<string> names) =>
        $"SHOW GLOBAL VARIABLES WHERE Variable_name IN ({string.Join(", ", names.Select(SqlLiteral.Quote))})";

    /// <summary>One row: the tables of a database that the account may see, and those of them that have a column that it may insert
    /// into.</summary>
    public static string InsertableTables(string database) =>
        "SELECT COUNT(DISTINCT TABLE_NAME), COUNT(DISTINCT IF(PRIVILEGES LIKE '%insert%', TABLE_NAME, NULL)) FROM "
            + $"information_schema.COLUMNS WHERE TABLE_SCHEMA = {SqlLiteral.Quote(database)}";

    /// <summary>To be prepared: is refused where the account lacks the right, before anybody looks for the table.</summary>
    /// <param name="columns">of the table; MariaDB counts them before it looks at rights</param>
    public static string Insert(string database, string table, int columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} VALUES ({string.Join(", ", Enumerable.Repeat("DEFAULT", columns))})";

    public static string Select(string database, string table) => $"SELECT * FROM {SqlName.Quote(database, table)}";

    public static string Update(string database, string table) => $"UPDATE {SqlName.Quote(database, table)} SET bulkload_none = 1";

    public static string Delete(string database, string table) => $"DELETE FROM {SqlName.Quote(database, table)}";

    /// <summary>To be run: has the same column twice, which every server refuses once it knows that the account may make tables.</summary>
    public static string Create(string database, string table, bool isTemporary) =>
        $"CREATE {(isTemporary ? "TEMPORARY " : "")}TABLE {SqlName.Quote(database, table)} (a INT, a INT)";

    /// <summary>To be run: drops an index that the table does not have.</summary>
    public static string Alter(string database, string table) => $"ALTER TABLE {SqlName.Quote(database, table)} DROP INDEX bulkload_none";

    /// <summary>To be run: the table does not exist.</summary>
    public static string Drop(string database, string table) => $"DROP TABLE {SqlName.Quote(database, table)}";

    /// <summary>What an administrator types to change a setting until the server is started again.</summary>
    public static string SetGlobal(string name, string value) => $"SET GLOBAL {name}={value}";
}
