using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Values as they are stored: what tells a value from every other one of its column, whatever a collation or a sign hides.
/// Pure.</summary>
internal static class ExactSql
{
    /// <summary>Whether two values of a column, NULL among them, are the same.</summary>
    public static string AreSame(string one, string other, ColumnKind kind) =>
        string.Join(" AND ", ColumnSql.Of(kind).Exact(one).Zip(ColumnSql.Of(kind).Exact(other), (left, right) => $"{left} <=> {right}"));

    /// <summary>One value: count of a table's rows and the sum of their hashes. CHECKSUM TABLE does not do: it is the same where a text has
    /// moved to the next column, and on MariaDB another one each time that a table with generated columns is opened.</summary>
    /// <param name="table">quoted</param>
    /// <param name="columns">those that are stored, quoted</param>
    public static string Sum(string table, IEnumerable<(string Name, ColumnKind Kind)> columns)
    {
        // Of a FLOAT six digits would be shown.
        var forms = columns.SelectMany(column => column.Kind == ColumnKind.Float
            ? ColumnSql.Of(column.Kind).Exact(column.Name).Prepend($"CAST({column.Name} AS DOUBLE)")
            : ColumnSql.Of(column.Kind).Exact(column.Name));
        var text = $"CONCAT_WS(x'00', {string.Join(", ", forms.Select(form => $"IFNULL({form}, x'01')"))})";
        return $"SELECT CONCAT(COUNT(*), ':', IFNULL(SUM(CAST(CONV(LEFT(SHA2({text}, 256), 16), 16, 10) AS UNSIGNED)), 0)) FROM {table}";
    }
}

internal static class JoinSql
{
    /// <summary>Whether columns of one table are equal to those of another, place by place.</summary>
    public static string On(string one, IEnumerable<string> columns, string other, IEnumerable<string> others) =>
        string.Join(" AND ", columns.Zip(others, (column, to) => $"{one}.{SqlName.Quote(column)} = {other}.{SqlName.Quote(to)}"));
}
