using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Values as they are stored: expressions that distinguish a value from every other one of its column, whatever a collation or a
/// sign hides. Pure.</summary>
internal static class ExactSql
{
    /// <summary>MariaDB's UUID() is no text, and what it is compared with would be no text, too.</summary>
    private const string Unique = "CONCAT(UUID(), '')";

    /// <summary>NULL is equal to NULL.</summary>
    public static string AreSame(string one, string other, ColumnKind kind) =>
        string.Join(" AND ", ColumnSql.Of(kind).Exact(one).Zip(ColumnSql.Of(kind).Exact(other), (left, right) => $"{left} <=> {right}"));

    /// <summary>One value: the number of a table's rows and the sum of their hashes. CHECKSUM TABLE is not enough: it is the same if a text
    /// has moved to the next column, and on MariaDB it changes each time that a table with generated columns is opened.</summary>
    public static string Sum(TableFacts table)
    {
        var stored = table.Columns.Where(column => !column.IsGenerated);
        var text = $"CONCAT_WS(',', {string.Join(", ", stored.SelectMany(Forms))})";
        return $"SELECT CONCAT(COUNT(*), ':', IFNULL(SUM(CAST(CONV(LEFT(SHA2({text}, 256), 16), 16, 10) AS UNSIGNED)), 0)) FROM "
            + table.QuotedName;
    }

    /// <summary>Texts that tell, with a comma between, where each value ends, and which is NULL. A long value is hashed, since a row's text
    /// may not be longer than max_allowed_packet; nobody can hash what is longer than that, so its sum is another one each time.</summary>
    private static IEnumerable<string> Forms(TableColumn column)
    {
        var sql = ColumnSql.Of(column.Kind);
        var name = SqlName.Quote(column.Name);
        var exact = sql.Exact(name);

        // A FLOAT would be shown with six digits.
        var others = column.Kind == ColumnKind.Float ? exact.Skip(1).Prepend($"CAST({name} AS DOUBLE)") : exact.Skip(1);
        var first = !sql.HasAnyBytes ? OrNull(exact[0])
            : CompareSql.IsHashed(column) ? $"IF({name} IS NULL, '{CompareSql.NullForm}', IFNULL(SHA2({exact[0]}, 256), {Unique}))"
            : OrNull($"CONCAT(LENGTH({exact[0]}), ':', {exact[0]})");
        return others.Select(OrNull).Prepend(first);

        static string OrNull(string form) => $"IFNULL({form}, '{CompareSql.NullForm}')";
    }
}

internal static class JoinSql
{
    /// <summary>Whether columns of one table are equal to those of another, place by place.</summary>
    public static string On(string one, IEnumerable<string> columns, string other, IEnumerable<string> others) =>
        string.Join(" AND ", columns.Zip(others, (column, to) => $"{one}.{SqlName.Quote(column)} = {other}.{SqlName.Quote(to)}"));
}
