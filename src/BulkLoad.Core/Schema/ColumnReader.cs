namespace BulkLoad.Core.Schema;

internal static class ColumnReader
{
    /// <summary>The columns of <see cref="Sql.CatalogSql.Columns"/>. The two servers write defaults differently.</summary>
    public static TableColumn Read(IReadOnlyList<string?> row, bool isMariaDb)
    {
        var typeText = row[2]!;
        var extra = row[5] ?? "";
        var isNullable = row[3] == "YES";
        var kind = KindOf(row[1]!, typeText);
        var type = ColumnBehaviour.Find(row[1]!).Type;
        var family = ColumnBehaviour.Of(kind).Family;
        var rights = (row[14] ?? "").Split(',');
        var (columnDefault, defaultText) = extra.Contains("auto_increment", StringComparison.OrdinalIgnoreCase)
            ? (ColumnDefault.AutoIncrement, null)
            : DefaultReader.Read(row[4], extra, isNullable, isMariaDb);

        var isConstant = columnDefault == ColumnDefault.Constant;
        if (isConstant
            && (ColumnBehaviour.Of(kind).HasOtherDefaultText || (IsCut(kind, typeText) && defaultText != "0") || MayBeMasked(defaultText)))
        {
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
            HasConstantDefault = isConstant,
            IsGenerated = !string.IsNullOrEmpty(row[12])
                || extra.Contains("GENERATED", StringComparison.Ordinal) && !extra.Contains("DEFAULT_GENERATED", StringComparison.Ordinal),
            Expression = !string.IsNullOrEmpty(row[12]) ? row[12] : columnDefault == ColumnDefault.Expression ? row[4] : null,
            IsInvisible = extra.Contains("INVISIBLE", StringComparison.OrdinalIgnoreCase),
            CanInsert = rights.Contains("insert", StringComparer.OrdinalIgnoreCase),
            CanUpdate = rights.Contains("update", StringComparer.OrdinalIgnoreCase),
            CanSelect = rights.Contains("select", StringComparer.OrdinalIgnoreCase),
            IntegerBytes = type.IntegerBytes,
            IsBoolean = typeText.StartsWith("tinyint(1)", StringComparison.OrdinalIgnoreCase)
                || typeText.Equals("bit(1)", StringComparison.OrdinalIgnoreCase),
            IsUnsigned = IsUnsigned(typeText),
            Precision = kind is ColumnKind.Float or ColumnKind.Double && !typeText.Contains(',') ? 0 : Number(row[8]),
            Scale = Number(row[9] ?? row[10]),
            MaxCharacters = kind is ColumnKind.Char or ColumnKind.Varchar ? Number(row[6]) : 0,
            MaxBytes = kind == ColumnKind.Text || family == ColumnFamily.Bytes ? LargeNumber(row[7]) : 0,
            VectorSize = type.Name == "vector" ? Digits(typeText) : 0,
            GeometryType = kind is ColumnKind.Geometry ? GeometryType(row[1]!) : "",
            Charset = row[11],
            Collation = row[13],
            Labels = family == ColumnFamily.Label ? TypeLabels.Read(typeText) : [],
            Digest = row[15]!,
        };
    }

    /// <summary><paramref name="dataType"/> such as <c>int</c>, <paramref name="typeText"/> such as <c>int(10) unsigned</c>.</summary>
    private static ColumnKind KindOf(string dataType, string typeText) =>
        ColumnBehaviour.Find(dataType).Kind is var kind && kind == ColumnKind.Integer && IsUnsigned(typeText)
            ? ColumnKind.UnsignedInteger
            : kind;

    /// <summary>The catalogue shows six digits of a FLOAT without (m,d).</summary>
    private static bool IsCut(ColumnKind kind, string typeText) => kind == ColumnKind.Float && !typeText.Contains(',');

    /// <summary>The catalogue is in utf8mb3, and shows characters beyond U+FFFF as question marks.</summary>
    private static bool MayBeMasked(string? defaultText) => defaultText?.Contains('?', StringComparison.Ordinal) == true;

    /// <summary>MySQL calls GEOMETRYCOLLECTION by another name.</summary>
    private static string GeometryType(string dataType) =>
        dataType.Equals("GEOMCOLLECTION", StringComparison.OrdinalIgnoreCase) ? "GEOMETRYCOLLECTION" : dataType.ToUpperInvariant();

    private static int Digits(string typeText) => Number(new string([.. typeText.Where(char.IsAsciiDigit)]));

    private static bool IsUnsigned(string typeText) => typeText.Contains("unsigned", StringComparison.OrdinalIgnoreCase);

    private static int Number(string? text) => (int)Math.Min(int.MaxValue, LargeNumber(text));

    private static long LargeNumber(string? text) =>
        ulong.TryParse(text, CultureInfo.InvariantCulture, out var number) ? (long)Math.Min(number, long.MaxValue) : 0;
}

/// <summary>Reads COLUMN_DEFAULT: MariaDB writes an SQL expression, MySQL the bare value.</summary>
internal static class DefaultReader
{
    public static (ColumnDefault Default, string? Text) Read(string? text, string extra, bool isNullable, bool isMariaDb)
    {
        if (text is null || (isMariaDb && text == "NULL"))
        {
            return (isNullable ? ColumnDefault.Null : ColumnDefault.None, null);
        }

        return isMariaDb ? ReadExpression(text) : ReadBare(text, extra);
    }

    private static (ColumnDefault Default, string? Text) ReadBare(string text, string extra) =>
        extra.Contains("DEFAULT_GENERATED", StringComparison.OrdinalIgnoreCase)
        || text.StartsWith("CURRENT_TIMESTAMP", StringComparison.OrdinalIgnoreCase)
        || text.StartsWith("b'", StringComparison.Ordinal) ? (ColumnDefault.Expression, null) : (ColumnDefault.Constant, text);

    private static (ColumnDefault Default, string? Text) ReadExpression(string text)
    {
        if (text.StartsWith('\'') && SqlTokens.Of(text).Count() == 1
            && new SqlCursor(text, 0, "", SqlDialect.MariaDb).TryText(out var constant))
        {
            return (ColumnDefault.Constant, constant);
        }

        return text.All(character => char.IsAsciiDigit(character) || character is '.' or '-')
            ? (ColumnDefault.Constant, text)
            : (ColumnDefault.Expression, null);
    }
}

/// <summary>Reads the labels in a type such as <c>enum('a','it''s','back\\slash')</c>.</summary>
internal static class TypeLabels
{
    public static IReadOnlyList<string> Read(string typeText)
    {
        var cursor = new SqlCursor(typeText, 0, "", SqlDialect.MySql);
        cursor.Word();
        return ColumnText.ReadLabels(cursor);
    }
}
