namespace BulkLoad.Core.Schema;

/// <summary>The types of columns, as far as anything differs for them.</summary>
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

/// <summary>Kinds that are alike in many places.</summary>
internal enum ColumnFamily
{
    Other,
    Integer,
    Fraction,

    /// <summary>Text with a character set.</summary>
    Character,

    /// <summary>ENUM and SET.</summary>
    Label,
    Bytes,

    /// <summary>A date, with a time of day or without. Zero dates belong to it.</summary>
    Date,

    Time,
}

/// <summary>A type as DATA_TYPE of the catalogue names it, in lower case.</summary>
/// <param name="MaxBytes">of a value, where no number in parentheses says it</param>
internal sealed record DataType(string Name, int IntegerBytes = 0, long? MaxBytes = null)
{
    public static implicit operator DataType(string name) => new(name);
}

/// <summary>What is different for each kind of column: a row a kind. Its rule is in Values, its SQL in ColumnSql.</summary>
internal sealed record ColumnBehaviour
{
    private static readonly Dictionary<ColumnKind, ColumnBehaviour> Rows = Make();

    private static readonly Dictionary<string, (ColumnKind Kind, DataType Type)> ByType = Rows
        .SelectMany(row => row.Value.Types.Select(type => (row.Key, Type: type)))
        .ToDictionary(row => row.Type.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>Without those that are unsigned.</summary>
    public IReadOnlyList<DataType> Types { get; init; } = [];

    public ColumnFamily Family { get; init; }

    /// <summary>The names of all types that are known.</summary>
    public static IReadOnlyList<string> TypeNames { get; } = [.. ByType.Keys];

    public static ColumnBehaviour Of(ColumnKind kind) => Rows[kind];

    /// <summary>Signed, if it is an integer.</summary>
    public static (ColumnKind Kind, DataType Type) Find(string dataType) =>
        ByType.TryGetValue(dataType, out var found) ? found : (ColumnKind.Unsupported, dataType);

    private static Dictionary<ColumnKind, ColumnBehaviour> Make()
    {
        var integer = new ColumnBehaviour { Family = ColumnFamily.Integer };
        return new Dictionary<ColumnKind, ColumnBehaviour>
        {
            [ColumnKind.Integer] = integer with
            {
                Types = [new("tinyint", 1), new("smallint", 2), new("mediumint", 3), new("int", 4), new("bigint", 8)],
            },
            [ColumnKind.UnsignedInteger] = integer,
            [ColumnKind.Decimal] = new() { Types = ["decimal"], Family = ColumnFamily.Fraction },
            [ColumnKind.Float] = new() { Types = ["float"], Family = ColumnFamily.Fraction },
            [ColumnKind.Double] = new() { Types = ["double"], Family = ColumnFamily.Fraction },
            [ColumnKind.Char] = new() { Types = ["char"], Family = ColumnFamily.Character },
            [ColumnKind.Varchar] = new() { Types = ["varchar"], Family = ColumnFamily.Character },
            [ColumnKind.Text] = new()
            {
                Types =
                [
                    new("tinytext", MaxBytes: byte.MaxValue), new("text", MaxBytes: ushort.MaxValue),
                    new("mediumtext", MaxBytes: (1 << 24) - 1), new("longtext", MaxBytes: uint.MaxValue),
                ],
                Family = ColumnFamily.Character,
            },
            [ColumnKind.Date] = new() { Types = ["date"], Family = ColumnFamily.Date },
            [ColumnKind.DateTime] = new() { Types = ["datetime"], Family = ColumnFamily.Date },
            [ColumnKind.Timestamp] = new() { Types = ["timestamp"], Family = ColumnFamily.Date },
            [ColumnKind.Time] = new() { Types = ["time"], Family = ColumnFamily.Time },
            [ColumnKind.Year] = new() { Types = ["year"] },
            [ColumnKind.Enum] = new() { Types = ["enum"], Family = ColumnFamily.Label },
            [ColumnKind.Set] = new() { Types = ["set"], Family = ColumnFamily.Label },
            [ColumnKind.Bit] = new() { Types = ["bit"] },
            [ColumnKind.Binary] = new() { Types = ["binary"], Family = ColumnFamily.Bytes },
            [ColumnKind.Blob] = new()
            {
                Types =
                [
                    "varbinary", "vector", new("tinyblob", MaxBytes: byte.MaxValue), new("blob", MaxBytes: ushort.MaxValue),
                    new("mediumblob", MaxBytes: (1 << 24) - 1), new("longblob", MaxBytes: uint.MaxValue),
                ],
                Family = ColumnFamily.Bytes,
            },
            [ColumnKind.Json] = new() { Types = ["json"] },
            [ColumnKind.Uuid] = new() { Types = ["uuid"] },
            [ColumnKind.Inet4] = new() { Types = ["inet4"] },
            [ColumnKind.Inet6] = new() { Types = ["inet6"] },
            [ColumnKind.Geometry] = new()
            {
                Types =
                [
                    "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection",
                    "geomcollection",
                ],
            },
            [ColumnKind.Unsupported] = new(),
        };
    }
}
