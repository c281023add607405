using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>The expressions that differ by the kind of column: a row a kind. A function gets a quoted name first, or another expression of
/// the value.</summary>
internal sealed record ColumnSql
{
    private static readonly Dictionary<ColumnKind, ColumnSql> Rows = Make();

    /// <summary>A placeholder or literal as a value of the column.</summary>
    public Func<string, TableColumn, string> Into { get; init; } = (value, _) => value;

    /// <summary>Text as a value of the column; null: the text itself.</summary>
    public Func<string, TableColumn, string>? FromText { get; init; }

    /// <summary>The type of a list's values in a comparison; otherwise no index serves.</summary>
    public string? ListType { get; init; }

    /// <summary>The beginning of a list, which gives its values the column's type; null: the column itself.</summary>
    public Func<string, string>? ListHead { get; init; }

    /// <summary>Expressions that together are equal for two values only if the values are identical.</summary>
    public Func<string, string[]> Exact { get; init; } = name => [name];

    /// <summary>Whether the first of those may have any bytes in it, a comma too.</summary>
    public bool HasAnyBytes { get; init; }

    /// <summary>The beginning of a value for people: so many characters, or hexadecimal digits.</summary>
    public Func<string, int, string> Shown { get; init; } = (name, most) => $"LEFT(CONVERT({name} USING utf8mb4),{most})";

    /// <summary>For <see cref="CompareSql"/>, which hashes it, or adds the length.</summary>
    public Func<string, TableColumn, string> Compared { get; init; } = (name, _) => $"CAST({name} AS CHAR)";

    /// <summary>As an import reads it.</summary>
    public Func<string, TableColumn, string> Exported { get; init; } = (name, _) => name;

    /// <summary>Whether a file cannot contain a value as the table has it, and why; null: it can.</summary>
    public (Func<string, TableColumn, string> Condition, string Reason)? Unwritable { get; init; }

    /// <summary>As a literal; null: no literal is always the same value.</summary>
    public Func<string, string>? Literal { get; init; }

    public static ColumnSql Of(ColumnKind kind) => Rows[kind];

    public static string Placeholder(TableColumn column) => Of(column.Kind).Into("?", column);

    private static Dictionary<ColumnKind, ColumnSql> Make()
    {
        var plain = new ColumnSql();
        var quoted = new ColumnSql { Literal = value => $"CONCAT('''', {value}, '''')" };
        var number = new ColumnSql { Literal = value => $"CAST({value} AS CHAR)" };
        var inexact = new ColumnSql
        {
            // The angle of a negative zero is that of a negative number.
            Exact = name => [name, $"ATAN2({name}, -1)"],

            // The only way to a number's bits; a zero is added for the one that is negative.
            Compared = (name, _) => $"HEX(SUBSTR(ST_AsBinary(POINT({name}+0e0,0)),6,8))",
        };
        var text = new ColumnSql
        {
            Exact = name => [$"CAST({name} AS BINARY)"],
            HasAnyBytes = true,
            Compared = (name, _) => $"CONVERT({name} USING utf8mb4)",
        };
        var limitedText = text with { Literal = value => $"CONCAT('_utf8mb4 x''', HEX(CONVERT({value} USING utf8mb4)), '''')" };
        var label = text with
        {
            // By the label's place: '' is a label, and also what an ENUM stores for a refused value.
            Exact = name => [$"CAST({name} AS UNSIGNED)"],
            HasAnyBytes = false,
            ListHead = name => $"CONVERT({name} USING utf8mb4)",
        };
        var bytes = text with
        {
            FromText = (value, _) => $"UNHEX({value})",
            Shown = (name, most) => $"HEX(LEFT(CAST({name} AS BINARY),{most / 2}))",
            Compared = (name, _) => name,
            Literal = value => $"CONCAT('x''', HEX({value}), '''')",
        };
        var geometry = (string value, TableColumn column) => $"ST_GeomFromText({value},{column.Srid})";
        return new Dictionary<ColumnKind, ColumnSql>
        {
            [ColumnKind.Integer] = number with { Compared = (name, _) => $"CAST({name} AS SIGNED)" },
            [ColumnKind.UnsignedInteger] = number with { Compared = (name, _) => $"CAST({name} AS UNSIGNED)" },
            [ColumnKind.Decimal] =
                number with { Compared = (name, column) => $"CAST({name} AS DECIMAL({column.Precision},{column.Scale}))" },

            // Without this, six digits would be shown; a product keeps the sign of zero.
            [ColumnKind.Float] = inexact with { Exported = (name, column) => column.Precision == 0 ? $"{name}*1e0" : name },
            [ColumnKind.Double] = inexact,
            [ColumnKind.Char] = limitedText,
            [ColumnKind.Varchar] = limitedText,
            [ColumnKind.Text] = text,
            [ColumnKind.Date] = quoted with { ListType = "DATE" },
            [ColumnKind.DateTime] = quoted with { ListType = "DATETIME(6)" },
            [ColumnKind.Timestamp] = plain with
            {
                ListType = "DATETIME(6)",

                // In a zone whose clocks are set back, two moments have one local time.
                Exact = name => [$"UNIX_TIMESTAMP({name})"],
            },
            [ColumnKind.Time] = quoted with { ListType = "TIME(6)" },
            [ColumnKind.Year] = number,
            [ColumnKind.Enum] = label with
            {
                Unwritable = ((name, _) => $"{name}+0 = 0", "no label of the type, but what the server stores for a wrong one"),
            },
            [ColumnKind.Set] = label,
            [ColumnKind.Bit] = plain with
            {
                HasAnyBytes = true,
                FromText = (value, _) => $"CAST({value} AS UNSIGNED)",

                // No number is equal to one in a list that begins with a BIT.
                ListHead = _ => "CAST(0 AS UNSIGNED)",
                Shown = (name, _) => $"CAST({name} AS UNSIGNED)",
                Compared = (name, _) => $"CAST({name} AS UNSIGNED)",
                Exported = (name, _) => $"{name}+0",
            },
            [ColumnKind.Binary] = bytes,
            [ColumnKind.Blob] = bytes,
            [ColumnKind.Json] = text with
            {
                // 1.5 may be a DOUBLE or a DECIMAL, and "2026-01-01" a text or a DATE. Inside a document only the size tells: that of a
                // new document, since a stored one may have gaps. Nothing is inserted where a value is, and no level is added.
                Exact = name => [$"CAST({name} AS BINARY)", $"JSON_TYPE({name})", $"JSON_STORAGE_SIZE(JSON_INSERT({name}, '$', 0))"],
            },
            [ColumnKind.Uuid] = quoted,
            [ColumnKind.Inet4] = quoted,
            [ColumnKind.Inet6] = quoted,
            [ColumnKind.Geometry] = new()
            {
                Into = geometry,
                FromText = geometry,
                Exact = name => [$"HEX({name})"],
                HasAnyBytes = true,
                Shown = (name, most) => $"LEFT(ST_AsText({name}),{most})",
                Compared = (name, _) => $"ST_AsBinary({name})",
                Exported = (name, _) => $"ST_AsText({name})",
                Unwritable = (
                    (name, column) => $"(ST_SRID({name}) <> {column.Srid} OR "
                        + $"(ST_AsBinary(ST_GeomFromText(ST_AsText({name}),ST_SRID({name}))) = ST_AsBinary({name})) IS NOT TRUE)",
                    "another spatial reference system than the column's, or coordinates that its text does not have in full"),
            },
            [ColumnKind.Unsupported] = new() { Exact = name => [$"HEX({name})"], HasAnyBytes = true, Shown = bytes.Shown },
        };
    }
}
