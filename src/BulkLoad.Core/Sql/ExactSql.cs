using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Values as they are stored: what tells a value from every other one of its column, whatever a collation or a sign hides.
/// Pure.</summary>
internal static class ExactSql
{
    /// <summary>Expressions that together are the same for two values only if nobody can tell these apart.</summary>
    public static string[] Forms(string name, ColumnKind kind) => kind switch
    {
        // The angle of a negative zero is that of a negative number.
        ColumnKind.Float or ColumnKind.Double => [name, $"ATAN2({name}, -1)"],
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text or ColumnKind.Binary or ColumnKind.Blob or ColumnKind.Json =>
            [$"CAST({name} AS BINARY)"],

        // By the label's place: '' is a label, and what an ENUM holds that was refused.
        ColumnKind.Enum or ColumnKind.Set => [$"CAST({name} AS UNSIGNED)"],
        ColumnKind.Geometry or ColumnKind.Unsupported => [$"HEX({name})"],
        _ => [name],
    };

    /// <summary>Whether two values of a column, NULL among them, are the same.</summary>
    public static string AreSame(string one, string other, ColumnKind kind) =>
        string.Join(" AND ", Forms(one, kind).Zip(Forms(other, kind), (left, right) => $"{left} <=> {right}"));

    /// <summary>One value: count of a table's rows and the sum of their hashes. CHECKSUM TABLE does not do: it is the same where a text has
    /// moved to the next column, and on MariaDB another one each time that a table with generated columns is opened.</summary>
    /// <param name="table">quoted</param>
    /// <param name="columns">those that are stored, quoted</param>
    public static string Sum(string table, IEnumerable<(string Name, ColumnKind Kind)> columns)
    {
        // Of a FLOAT six digits would be shown.
        var forms = columns.SelectMany(
            column => column.Kind == ColumnKind.Float ? Forms(column.Name, column.Kind).Prepend($"CAST({column.Name} AS DOUBLE)")
            : Forms(column.Name, column.Kind));
        var text = $"CONCAT_WS(x'00', {string.Join(", ", forms.Select(form => $"IFNULL({form}, x'01')"))})";
        return $"SELECT CONCAT(COUNT(*), ':', IFNULL(SUM(CAST(CONV(LEFT(SHA2({text}, 256), 16), 16, 10) AS UNSIGNED)), 0)) FROM {table}";
    }

    /// <param name="most">characters, or hexadecimal digits</param>
    public static string Shown(string name, ColumnKind kind, int most) => kind switch
    {
        ColumnKind.Binary or ColumnKind.Blob or ColumnKind.Unsupported => $"HEX(LEFT(CAST({name} AS BINARY),{most / 2}))",
        ColumnKind.Geometry => $"LEFT(ST_AsText({name}),{most})",
        ColumnKind.Bit => $"CAST({name} AS UNSIGNED)",
        _ => $"LEFT(CONVERT({name} USING utf8mb4),{most})",
    };
}

internal static class JoinSql
{
    /// <summary>Whether columns of one table are equal to those of another, place by place.</summary>
    public static string On(string one, IEnumerable<string> columns, string other, IEnumerable<string> others) =>
        string.Join(" AND ", columns.Zip(others, (column, to) => $"{one}.{SqlName.Quote(column)} = {other}.{SqlName.Quote(to)}"));
}
