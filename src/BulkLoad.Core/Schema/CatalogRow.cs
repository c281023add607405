namespace BulkLoad.Core.Schema;

/// <summary>Makes the catalogue's row for a column in a schema's text. Pure.</summary>
internal static class CatalogRow
{
    /// <summary>MySQL manual, "The VECTOR Type".</summary>
    private const int DefaultVectorSize = 2048;

    private const string DefaultCharset = "utf8mb4";

    private const string AllRights = "select,insert,update,references";

    /// <summary>Default collations other than <c>*_general_ci</c>. MySQL has another one for utf8mb4.</summary>
    private static readonly Dictionary<string, string> DefaultCollations = new(StringComparer.Ordinal)
    {
        ["latin1"] = "latin1_swedish_ci",
        ["latin5"] = "latin5_turkish_ci",
        ["swe7"] = "swe7_swedish_ci",
        ["dec8"] = "dec8_swedish_ci",
        ["hp8"] = "hp8_english_ci",
        ["gb2312"] = "gb2312_chinese_ci",
        ["gbk"] = "gbk_chinese_ci",
        ["big5"] = "big5_chinese_ci",
        ["gb18030"] = "gb18030_chinese_ci",
        ["sjis"] = "sjis_japanese_ci",
        ["ujis"] = "ujis_japanese_ci",
        ["cp932"] = "cp932_japanese_ci",
        ["eucjpms"] = "eucjpms_japanese_ci",
        ["euckr"] = "euckr_korean_ci",
        ["tis620"] = "tis620_thai_ci",
        ["binary"] = "binary",
    };

    public static TableColumn ToColumn(SchemaColumn column, SchemaTable table, SqlDialect dialect) =>
        ColumnReader.Read(RowOf(column, table, dialect), isMariaDb: false) with { Srid = column.Srid };

    public static string CharsetName(string name) =>
        name.Equals("utf8", StringComparison.OrdinalIgnoreCase) ? "utf8mb3" : name.ToLowerInvariant();

    public static string CollationName(string name) =>
        name.StartsWith("utf8_", StringComparison.OrdinalIgnoreCase) ? $"utf8mb3_{name[5..].ToLowerInvariant()}" : name.ToLowerInvariant();

    /// <summary>A type that both servers understand, such as <c>DECIMAL(12,4)</c>. Labels stay as they are written.</summary>
    public static string StatementType(SchemaColumn column)
    {
        var text = TypeText(column, isMariaDb: false);
        var end = text.IndexOf('\'', StringComparison.Ordinal) is >= 0 and var quote ? quote : text.Length;
        return column.Type == "geometrycollection" ? "GEOMETRYCOLLECTION" : $"{text[..end].ToUpperInvariant()}{text[end..]}";
    }

    /// <summary>A row as in <see cref="Sql.CatalogSql.Columns"/>, with defaults in MySQL's form.</summary>
    private static string?[] RowOf(SchemaColumn column, SchemaTable table, SqlDialect dialect)
    {
        var isMariaDb = dialect == SqlDialect.MariaDb;
        column = isMariaDb && column.Type == "json"
            ? column with { Type = "longtext", Charset = DefaultCharset, Collation = "utf8mb4_bin" }
            : column;
        var (charset, collation) = CharsetOf(column, table, isMariaDb);
        column = charset == "binary" ? AsBinary(column) : column;
        var isText = ColumnBehaviour.Of(ColumnBehaviour.Find(column.Type).Kind).Family is ColumnFamily.Character or ColumnFamily.Label;
        (charset, collation) = isText ? (charset, collation) : (null, null);
        var width = charset is null ? 1 : MaxBytesOf(charset);
        var first = column.Numbers.Count > 0 ? column.Numbers[0] : (int?)null;
        var second = column.Numbers.Count > 1 ? column.Numbers[1] : (int?)null;
        var type = column.Type;
        var text = TypeText(column, isMariaDb);
        long? bytes = type switch
        {
            "char" or "varchar" => (first ?? 1) * (long)width,
            "binary" or "varbinary" => first ?? 1,
            "vector" => (first ?? DefaultVectorSize) * sizeof(float),
            _ => ColumnBehaviour.Find(type).Type.MaxBytes,
        };
        var precision = type switch
        {
            "decimal" => $"{first ?? 10}",
            "float" or "double" when second is not null => $"{first}",
            "bit" => $"{first ?? 1}",
            _ => null,
        };
        string?[] extra =
        [
            column.IsAutoIncrement ? "auto_increment" : null,
            column.IsDefaultExpression && column.Generated is null ? "DEFAULT_GENERATED" : null,
            column.IsInvisible ? "INVISIBLE" : null,
        ];
        return
        [
            column.Name,
            type == "geometrycollection" && !isMariaDb ? "geomcollection" : type,
            text,
            column.IsNullable ? "YES" : "NO",
            column.Generated is null ? column.Default : null,
            string.Join(' ', extra.OfType<string>()),
            type is "char" or "varchar" or "binary" or "varbinary" ? $"{first ?? 1}" : bytes?.ToString(CultureInfo.InvariantCulture),
            bytes?.ToString(CultureInfo.InvariantCulture),
            precision,
            type switch { "decimal" => $"{second ?? 0}", "float" or "double" when second is not null => $"{second}", _ => null },
            type is "datetime" or "timestamp" or "time" ? $"{first ?? 0}" : null,
            charset,
            column.Generated ?? "",
            collation,
            AllRights,
            "",
        ];
    }

    /// <summary>Without either in the text, the server's defaults.</summary>
    private static (string? Charset, string? Collation) CharsetOf(SchemaColumn column, SchemaTable table, bool isMariaDb)
    {
        var (charset, collation) = (column.Charset, column.Collation);
        if (charset is null && collation is null)
        {
            (charset, collation) = (table.Charset ?? CharsetIn(table.Collation) ?? DefaultCharset, table.Collation);
        }

        charset ??= CharsetIn(collation) ?? table.Charset ?? CharsetIn(table.Collation) ?? DefaultCharset;

        // The collations uca1400_* are the same for all character sets of Unicode.
        collation = collation is not null && collation.StartsWith("uca1400_", StringComparison.Ordinal)
            ? $"{charset}_{collation}"
            : collation;
        return column.IsBinaryCollated ? (charset, charset == "binary" ? "binary" : $"{charset}_bin")
            : (charset, collation
                ?? (charset == DefaultCharset && !isMariaDb
                ? "utf8mb4_0900_ai_ci"
                : DefaultCollations.GetValueOrDefault(charset, $"{charset}_general_ci")));
    }

    /// <summary>Null: the collation is of several sets.</summary>
    private static string? CharsetIn(string? collation) => collation switch
    {
        null => null,
        _ when collation.StartsWith("uca1400_", StringComparison.Ordinal) => null,
        _ when collation.Split('_')[0] is "utf8" => "utf8mb3",
        _ => collation.Split('_')[0],
    };

    private static int MaxBytesOf(string charset) => charset switch
    {
        "utf8mb4" or "utf16" or "utf16le" or "utf32" or "gb18030" => 4,
        "utf8mb3" or "ujis" or "eucjpms" => 3,
        "ucs2" or "gbk" or "big5" or "gb2312" or "sjis" or "cp932" or "euckr" => 2,
        _ => 1,
    };

    /// <summary>A character type whose set is <c>binary</c> is a binary type.</summary>
    private static SchemaColumn AsBinary(SchemaColumn column) => column with
    {
        Type = column.Type.Replace("char", "binary", StringComparison.Ordinal).Replace("text", "blob", StringComparison.Ordinal),
    };

    private static string TypeText(SchemaColumn column, bool isMariaDb)
    {
        var (type, numbers) = (column.Type, column.Numbers);
        var inside = type switch
        {
            "enum" or "set" => string.Join(',', column.Labels.Select(label => $"'{Escape(label)}'")),
            "decimal" => $"{(numbers.Count > 0 ? numbers[0] : 10)},{(numbers.Count > 1 ? numbers[1] : 0)}",
            "float" or "double" => numbers.Count > 1 ? $"{numbers[0]},{numbers[1]}" : "",
            "char" or "binary" or "bit" => $"{(numbers.Count > 0 ? numbers[0] : 1)}",
            "datetime" or "timestamp" or "time" => numbers.Count > 0 && numbers[0] > 0 ? $"{numbers[0]}" : "",
            "year" => isMariaDb ? "4" : "",
            "tinyint" or "smallint" or "mediumint" or "int" or "bigint" => Width(column, isMariaDb),
            "vector" => $"{(numbers.Count > 0 ? numbers[0] : DefaultVectorSize)}",
            "varchar" or "varbinary" => string.Join(',', numbers),
            _ => "",
        };
        var called = type == "geometrycollection" && !isMariaDb ? "geomcollection" : type;
        return called + (inside.Length > 0 ? $"({inside})" : "") + (column.IsUnsigned ? " unsigned" : "")
            + (column.IsZerofill ? " zerofill" : "") + (column.IsCompressed ? " /*M!100301 COMPRESSED*/" : "");
    }

    /// <summary>MySQL shows only the width of TINYINT(1) and of ZEROFILL.</summary>
    private static string Width(SchemaColumn column, bool isMariaDb)
    {
        var written = column.Numbers.Count > 0 ? column.Numbers[0] : (int?)null;
        if (!isMariaDb && !column.IsZerofill)
        {
            return column is { Type: "tinyint", IsUnsigned: false } && written == 1 ? "1" : "";
        }

        var usual = column.Type switch { "tinyint" => 4, "smallint" => 6, "mediumint" => 9, "int" => 11, _ => 20 };
        return $"{written ?? (column is { IsUnsigned: true, Type: not "bigint" } ? usual - 1 : usual)}";
    }

    private static string Escape(string label) =>
        label.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)
        .Replace("\0", "\\0", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal)
            .Replace("\r", "\\r", StringComparison.Ordinal);
}
