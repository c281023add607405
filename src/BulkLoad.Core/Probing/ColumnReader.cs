using System.Globalization;
using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Probing;

/// <summary>A row of information_schema.COLUMNS as a column.</summary>
internal static class ColumnReader
{
    /// <param name="row">columns as in <see cref="Sql.CatalogSql.Columns"/></param>
    /// <param name="isMariaDb">the two servers write defaults differently</param>
    public static TableColumn Read(IReadOnlyList<string?> row, bool isMariaDb)
    {
        var typeText = row[2]!;
        var extra = row[5] ?? "";
        var isNullable = row[3] == "YES";
        var kind = KindOf(row[1]!, typeText);
        var (columnDefault, defaultText) = extra.Contains("auto_increment", StringComparison.OrdinalIgnoreCase)
            ? (ColumnDefault.AutoIncrement, null)
            : DefaultReader.Read(row[4], extra, isNullable, isMariaDb);
        if (kind == ColumnKind.Timestamp && columnDefault == ColumnDefault.Constant)
        {
            // The catalogue writes the moment in this session's time zone on MariaDB, and in that of CREATE TABLE on MySQL.
            (columnDefault, defaultText) = (ColumnDefault.Expression, null);
        }

        return new TableColumn
        {
            Name = row[0]!,
            TypeText = typeText,
            Kind = kind,
            IsNullable = isNullable,
            Default = columnDefault,
            DefaultText = defaultText,
            IsGenerated = !string.IsNullOrEmpty(row[13]) || extra.Contains("GENERATED", StringComparison.Ordinal) && !extra.Contains("DEFAULT_GENERATED", StringComparison.Ordinal),
            IsInvisible = extra.Contains("INVISIBLE", StringComparison.OrdinalIgnoreCase),
            CanInsert = (row[12] ?? "").Split(',').Contains("insert", StringComparer.OrdinalIgnoreCase),
            IntegerBytes = IntegerBytes(row[1]!),
            IsBoolean = typeText.StartsWith("tinyint(1)", StringComparison.OrdinalIgnoreCase),
            IsUnsigned = IsUnsigned(typeText),
            Precision = Number(row[8]),
            Scale = kind is ColumnKind.Decimal ? Number(row[9]) : Number(row[10]),
            MaxCharacters = kind is ColumnKind.Char or ColumnKind.Varchar ? Number(row[6]) : 0,
            MaxBytes = kind is ColumnKind.Text ? LargeNumber(row[7]) : 0,
            Charset = row[11],
            Labels = kind is ColumnKind.Enum or ColumnKind.Set ? TypeLabels.Read(typeText) : [],
        };
    }

    private static ColumnKind KindOf(string dataType, string typeText) => dataType.ToUpperInvariant() switch
    {
        "TINYINT" or "SMALLINT" or "MEDIUMINT" or "INT" or "BIGINT" =>
            IsUnsigned(typeText) ? ColumnKind.UnsignedInteger : ColumnKind.Integer,
        "DECIMAL" => ColumnKind.Decimal,

        // FLOAT(m,d) and DOUBLE(m,d) round to d digits, which their rule does not know.
        "FLOAT" => typeText.Contains(',') ? ColumnKind.Unsupported : ColumnKind.Float,
        "DOUBLE" => typeText.Contains(',') ? ColumnKind.Unsupported : ColumnKind.Double,
        "CHAR" => ColumnKind.Char,
        "VARCHAR" => ColumnKind.Varchar,
        "TINYTEXT" or "TEXT" or "MEDIUMTEXT" or "LONGTEXT" => ColumnKind.Text,
        "DATE" => ColumnKind.Date,
        "DATETIME" => ColumnKind.DateTime,
        "TIMESTAMP" => ColumnKind.Timestamp,
        "TIME" => ColumnKind.Time,
        "YEAR" => ColumnKind.Year,
        "ENUM" => ColumnKind.Enum,
        "SET" => ColumnKind.Set,
        _ => ColumnKind.Unsupported,
    };

    private static bool IsUnsigned(string typeText) => typeText.Contains("unsigned", StringComparison.OrdinalIgnoreCase);

    private static int IntegerBytes(string dataType) => dataType.ToUpperInvariant() switch
    {
        "TINYINT" => 1,
        "SMALLINT" => 2,
        "MEDIUMINT" => 3,
        "INT" => 4,
        "BIGINT" => 8,
        _ => 0,
    };

    private static int Number(string? text) => (int)Math.Min(int.MaxValue, LargeNumber(text));

    private static long LargeNumber(string? text) =>
        ulong.TryParse(text, CultureInfo.InvariantCulture, out var number) ? (long)Math.Min(number, long.MaxValue) : 0;
}
