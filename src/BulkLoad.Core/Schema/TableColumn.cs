namespace BulkLoad.Core.Schema;

/// <summary>What a column holds, as far as the rules for values differ.</summary>
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

    /// <summary>BINARY(n): exactly so many bytes.</summary>
    Binary,

    /// <summary>VARBINARY and the BLOB types: at most so many bytes. VECTOR is the bytes of its numbers.</summary>
    Blob,

    /// <summary>MySQL's own type; MariaDB's is a text with a check.</summary>
    Json,
    Uuid,
    Inet4,
    Inet6,
    Geometry,

    /// <summary>A type without a rule: refused as a target.</summary>
    Unsupported,
}

/// <summary>What a column gets where the input has no value for it.</summary>
internal enum ColumnDefault
{
    /// <summary>NOT NULL without a default: the input must have a value.</summary>
    None,

    Null,

    /// <summary>A constant, in <see cref="TableColumn.DefaultText"/>.</summary>
    Constant,

    Expression,

    /// <summary>The next id.</summary>
    AutoIncrement,
}

/// <summary>A column of the target table, as information_schema.COLUMNS describes it.</summary>
internal sealed record TableColumn
{
    public required string Name { get; init; }

    /// <summary>As the server writes it, such as <c>decimal(10,2) unsigned</c>.</summary>
    public required string TypeText { get; init; }

    public required ColumnKind Kind { get; init; }

    public required bool IsNullable { get; init; }

    public required ColumnDefault Default { get; init; }

    /// <summary>The constant default's value, as it would be written into a file.</summary>
    public string? DefaultText { get; init; }

    public bool IsGenerated { get; init; }

    /// <summary>What the server works out for a generated column, or for one whose default is an expression; null: a value of its
    /// own.</summary>
    public string? Expression { get; init; }

    /// <summary>No column of the table but a field of the input that an expression of <c>--set</c> reads: text, named with its
    /// <c>@</c>.</summary>
    public bool IsField { get; init; }

    /// <summary>Invisible columns are targets only by name.</summary>
    public bool IsInvisible { get; init; }

    public bool CanInsert { get; init; } = true;

    public bool CanUpdate { get; init; } = true;

    public bool CanSelect { get; init; } = true;

    /// <summary>Bytes of an integer's storage: 1, 2, 3, 4 or 8.</summary>
    public int IntegerBytes { get; init; }

    /// <summary>TINYINT(1) and BIT(1): takes the true/false words beside its numbers.</summary>
    public bool IsBoolean { get; init; }

    /// <summary>UNSIGNED, for the kinds that carry fractions.</summary>
    public bool IsUnsigned { get; init; }

    /// <summary>Digits in all of DECIMAL and of FLOAT(m,d) and DOUBLE(m,d), 0 for those without (m,d); bits of BIT.</summary>
    public int Precision { get; init; }

    /// <summary>Digits behind the point, where there is a <see cref="Precision"/>; fractional digits of seconds for times.</summary>
    public int Scale { get; init; }

    /// <summary>Character types: most characters; 0 where only <see cref="MaxBytes"/> bounds them.</summary>
    public long MaxCharacters { get; init; }

    /// <summary>Character types: most bytes in the column's own character set. Binary types: most bytes.</summary>
    public long MaxBytes { get; init; }

    /// <summary>Character types: the column's character set.</summary>
    public string? Charset { get; init; }

    /// <summary>By which values are compared, where they are text; null: they are not.</summary>
    public string? Collation { get; init; }

    /// <summary>ENUM and SET: the labels in order.</summary>
    public IReadOnlyList<string> Labels { get; init; } = [];

    /// <summary>VECTOR: how many numbers it has at most; 0: another type.</summary>
    public int VectorSize { get; init; }

    /// <summary>Spatial types: the type's name, such as <c>POINT</c>; <c>GEOMETRY</c> takes them all.</summary>
    public string GeometryType { get; init; } = "";

    /// <summary>Spatial types: the spatial reference system in which values are written; 0 for the plane.</summary>
    public uint Srid { get; init; }

    /// <summary>Of all that the catalogue says of it but rights and <see cref="Srid"/>; empty where nothing was asked.</summary>
    public string Digest { get; init; } = "";

    /// <summary>Whether its values are bytes, not text.</summary>
    public bool IsBinary => Kind is ColumnKind.Binary or ColumnKind.Blob;

    /// <summary>Whole, decimal or binary numbers; not BIT and YEAR.</summary>
    public bool IsNumber =>
        Kind is ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Decimal or ColumnKind.Float or ColumnKind.Double;

    public bool IsCharacter => Kind is ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text;
}
