namespace BulkLoad.Core.Sql;

/// <summary>LOAD DATA (MySQL manual, "LOAD DATA Statement"), reading tab-separated, backslash-escaped UTF-8 lines.</summary>
internal static class LoadDataSql
{
    /// <param name="fileName">the name under which the server will ask for the stream</param>
    /// <param name="database">the table's database</param>
    /// <param name="table">the target</param>
    /// <param name="columns">target columns in the order of the fields</param>
    /// <param name="assignments">columns that an expression fills</param>
    public static string Local(
        string fileName, string database, string table, IEnumerable<string> columns, IReadOnlyList<ColumnAssignment> assignments) =>
        $"LOAD DATA LOCAL INFILE {SqlLiteral.Quote(fileName)} INTO TABLE {SqlName.Quote(database, table)} "
        + @"CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ENCLOSED BY '' ESCAPED BY '\\' LINES STARTING BY '' TERMINATED BY '\n' "
        + $"({SqlName.List(columns)})"
        + (assignments.Count == 0 ? "" : $" SET {string.Join(',', assignments.Select(assignment => $"{SqlName.Quote(assignment.Column)}=({assignment.Expression})"))}");
}
