using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Values as they are stored: expressions that distinguish a value from every other one of its column, whatever a collation or a
/// sign hides. Pure.</summary>
internal static class ExactSql
{
    /// <summary>NULL is equal to NULL.</summary>
    public static string AreSame(string one, string other, ColumnKind kind) =>
        string.Join(" AND ", ColumnSql.Of(kind).Exact(one).Zip(ColumnSql.Of(kind).Exact(other), (left, right) => $"{left} <=> {right}"));

    /// <summary>One value: the number of a table's rows and the sum of their hashes. CHECKSUM TABLE is not enough: it is the same if a text
    /// has moved to the next column, and on MariaDB it changes each time that a table with generated columns is opened.</summary>
    /// <param name="table">quoted</param>
    /// <param name="columns">stored ones, quoted</param>
    public static string Sum(string table, IEnumerable<(string Name, ColumnKind Kind)> columns)
    {
        // A FLOAT would be shown with six digits.
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
