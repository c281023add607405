namespace BulkLoad.Core.Schema;

/// <summary>The types of columns, as far as the rules for values differ.</summary>
internal enum ColumnKind
{
    Integer,
    UnsignedInteger,
    Decimal,
    Float,
    Double,
    Char,
    Varchar,
    Text,
    Date,
    DateTime,
    Timestamp,
    Time,
    Year,
    Enum,
    Set,
    Bit,

    /// <summary>BINARY(n): exactly n bytes.</summary>
    Binary,

    /// <summary>VARBINARY and the BLOB types: at most so many bytes. VECTOR: the bytes of its numbers.</summary>
    Blob,

    /// <summary>MySQL's type. MariaDB's is a text with a check.</summary>
    Json,
    Uuid,
    Inet4,
    Inet6,
    Geometry,

    /// <summary>A type without a rule; it cannot be a target.</summary>
    Unsupported,
}

/// <summary>What a column gets if the input has no value for it.</summary>
internal enum ColumnDefault
{
    /// <summary>NOT NULL without a default: the input must have a value.</summary>
    None,

    Null,

    Constant,

    Expression,

    AutoIncrement,
}

/// <summary>A column of the target table, as in information_schema.COLUMNS.</summary>
internal sealed record TableColumn
{
    public required string Name { get; init; }

    /// <summary>As the server writes it, such as <c>decimal(10,2) unsigned</c>.</summary>
    public required string TypeText { get; init; }

    public required ColumnKind Kind { get; init; }

    public required bool IsNullable { get; init; }

    public required ColumnDefault Default { get; init; }

    /// <summary>The constant, as a file would have it.</summary>
    public string? DefaultText { get; init; }

    public bool IsGenerated { get; init; }

    /// <summary>Of a generated column, or of a default.</summary>
    public string? Expression { get; init; }

    /// <summary>Not a column, but a field of the input that <c>--set</c> reads: text, named with its <c>@</c>.</summary>
    public bool IsField { get; init; }

    /// <summary>An invisible column is a target only by name.</summary>
    public bool IsInvisible { get; init; }

    public bool CanInsert { get; init; } = true;

    public bool CanUpdate { get; init; } = true;

    public bool CanSelect { get; init; } = true;

    /// <summary>1, 2, 3, 4 or 8.</summary>
    public int IntegerBytes { get; init; }

    /// <summary>TINYINT(1) and BIT(1) also take words for true and false.</summary>
    public bool IsBoolean { get; init; }

    /// <summary>For kinds with fractions.</summary>
    public bool IsUnsigned { get; init; }

    /// <summary>All digits of DECIMAL, FLOAT(m,d) and DOUBLE(m,d), 0 without (m,d); bits of BIT.</summary>
    public int Precision { get; init; }

    /// <summary>Digits behind the point if there is a <see cref="Precision"/>; fractional digits of seconds.</summary>
    public int Scale { get; init; }

    /// <summary>0: only <see cref="MaxBytes"/> is the limit.</summary>
    public long MaxCharacters { get; init; }

    /// <summary>Bytes in the column's own character set.</summary>
    public long MaxBytes { get; init; }

    public string? Charset { get; init; }

    /// <summary>Null: it is no text.</summary>
    public string? Collation { get; init; }

    /// <summary>ENUM and SET, in order.</summary>
    public IReadOnlyList<string> Labels { get; init; } = [];

    /// <summary>Most numbers of a VECTOR; 0: another type.</summary>
    public int VectorSize { get; init; }

    /// <summary>Such as <c>POINT</c>. <c>GEOMETRY</c> takes them all.</summary>
    public string GeometryType { get; init; } = "";

    /// <summary>The spatial reference system; 0 for the plane.</summary>
    public uint Srid { get; init; }

    /// <summary>Of all in the catalogue but rights and <see cref="Srid"/>. Empty: nothing was asked.</summary>
    public string Digest { get; init; } = "";

    public bool IsBinary => Kind is ColumnKind.Binary or ColumnKind.Blob;

    /// <summary>Not BIT and YEAR.</summary>
    public bool IsNumber =>
        Kind is ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Decimal or ColumnKind.Float or ColumnKind.Double;

    public bool IsCharacter => Kind is ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text;
}
