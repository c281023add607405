namespace BulkLoad.Core.Sql;

/// <summary>Conditions of joins. Pure.</summary>
internal static class JoinSql
{
    /// <summary>Whether columns of one table are equal to those of another, place by place.</summary>
    /// <param name="one">a table's alias</param>
    /// <param name="other">the other table's</param>
    public static string On(string one, IEnumerable<string> columns, string other, IEnumerable<string> others) =>
        string.Join(" AND ", columns.Zip(others, (column, to) => $"{one}.{SqlName.Quote(column)} = {other}.{SqlName.Quote(to)}"));
}
