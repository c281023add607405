using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Schema;

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

internal enum ColumnFamily
{
    Other,
    Integer,
    Fraction,

    Character,

    Label,
    Bytes,

    /// <summary>A date, with a time of day or without. Zero dates belong to it.</summary>
    Date,
    Time,
}

/// <summary>A type as DATA_TYPE of the catalogue names it, in lower case.</summary>
/// <param name="MaxBytes">of a value, where no number in parentheses limits it</param>
internal sealed record DataType(string Name, int IntegerBytes = 0, long? MaxBytes = null);

internal enum LiteralStyle
{
    Text,

    /// <summary>As text; as a number where it is compared with a column, since a quoted number would not be compared as one.</summary>
    NumberInKeys,
    Number,
    Hex,
}

internal enum ValueOrder
{
    Unknown,

    Bytes,

    Signed,
    Unsigned,
}

internal enum KeyUse
{
    /// <summary>Equal values have equal texts. For characters the collation decides.</summary>
    Exact,

    /// <summary>Equal values may have different texts.</summary>
    OneWay,

    /// <summary>They cannot be compared exactly.</summary>
    None,
}

/// <summary>The form in which rows are compared after the server has stored them.</summary>
internal enum ComparedForm
{
    /// <summary>The canonical text.</summary>
    AsIs,

    /// <summary>The text with as many digits of a fraction as the column has.</summary>
    Padded,

    /// <summary>The bits of a double.</summary>
    Double,

    /// <summary>The text after its length.</summary>
    Text,
    Bytes,
    Json,
    Geometry,
}

/// <summary>What differs by the kind of column: a row a kind. Its rule is in Values, its SQL in ColumnSql.</summary>
internal sealed record ColumnBehaviour
{
    private static readonly Dictionary<ColumnKind, ColumnBehaviour> Rows = Make();

    private static readonly Dictionary<string, (ColumnKind Kind, DataType Type)> ByType = Rows
        .SelectMany(row => row.Value.Types.Select(type => (row.Key, Type: type)))
        .ToDictionary(row => row.Type.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>Without those that are unsigned.</summary>
    public IReadOnlyList<DataType> Types { get; init; } = [];

    public ColumnFamily Family { get; init; }

    public ParameterType Parameter { get; init; } = ParameterType.Text;

    public LiteralStyle Literal { get; init; }

    public ValueOrder Order { get; init; }

    public KeyUse KeyUse { get; init; }

    /// <summary>A value for statements that are shown.</summary>
    public string Sample { get; init; } = "a";

    /// <summary>Whether a comparison of a row in parentheses treats the value as a single comparison does.</summary>
    public bool StandsInRow { get; init; }

    public ComparedForm Compared { get; init; }

    /// <summary>Whether CSV needs no quotes around a value.</summary>
    public bool IsUnquoted { get; init; }

    /// <summary>Whether the catalogue writes a constant default differently from files.</summary>
    public bool HasOtherDefaultText { get; init; }

    /// <summary>Limit of a value's bytes in a table in memory, where each value has the room of the longest; null: it cannot be in
    /// one.</summary>
    public Func<TableColumn, long?> MemoryBytes { get; init; } = _ => 16;

    /// <summary>Limit of a value's bytes in a row or key (MySQL manual, "Data Type Storage Requirements").</summary>
    public Func<TableColumn, int> RowBytes { get; init; } = _ => PointerBytes;

    /// <summary>Bytes in a row for a value that is stored outside of it.</summary>
    public const int PointerBytes = 12;

    public static IReadOnlyList<string> TypeNames { get; } = [.. ByType.Keys];

    public static ColumnBehaviour Of(ColumnKind kind) => Rows[kind];

    /// <summary>Signed, if it is an integer.</summary>
    public static (ColumnKind Kind, DataType Type) Find(string dataType) =>
        ByType.TryGetValue(dataType, out var found) ? found : (ColumnKind.Unsupported, new DataType(dataType));

    private static Dictionary<ColumnKind, ColumnBehaviour> Make()
    {
        var number = new ColumnBehaviour { Literal = LiteralStyle.NumberInKeys, Sample = "1", IsUnquoted = true };
        var integer = number with { Family = ColumnFamily.Integer, StandsInRow = true, RowBytes = column => column.IntegerBytes };
        var fraction = number with
        {
            Family = ColumnFamily.Fraction,
            Parameter = ParameterType.Double,
            Compared = ComparedForm.Double,
            RowBytes = _ => sizeof(double),
        };
        var character = new ColumnBehaviour
        {
            Family = ColumnFamily.Character,
            StandsInRow = true,
            Compared = ComparedForm.Text,
            MemoryBytes = ByLength,
        };
        var bytes = new ColumnBehaviour
        {
            Family = ColumnFamily.Bytes,
            Parameter = ParameterType.Bytes,
            Literal = LiteralStyle.Hex,
            Order = ValueOrder.Bytes,
            StandsInRow = true,
            Compared = ComparedForm.Bytes,
            HasOtherDefaultText = true,
            MemoryBytes = ByLength,
        };
        var label = new ColumnBehaviour { Family = ColumnFamily.Label, Compared = ComparedForm.Text };
        var date = new ColumnBehaviour { Family = ColumnFamily.Date, Order = ValueOrder.Bytes, StandsInRow = true, IsUnquoted = true };
        var moment = date with
        {
            Parameter = ParameterType.DateTime,
            Sample = "2026-01-01 00:00:00",
            Compared = ComparedForm.Padded,
            RowBytes = column => 5 + ((column.Scale + 1) / 2),
        };
        var document = new ColumnBehaviour { KeyUse = KeyUse.None, HasOtherDefaultText = true, MemoryBytes = _ => null };
        return new Dictionary<ColumnKind, ColumnBehaviour>
        {
            [ColumnKind.Integer] = integer with
            {
                Types = [new("tinyint", 1), new("smallint", 2), new("mediumint", 3), new("int", 4), new("bigint", 8)],
                Parameter = ParameterType.Int64,
                Order = ValueOrder.Signed,
            },
            [ColumnKind.UnsignedInteger] = integer with { Parameter = ParameterType.UInt64, Order = ValueOrder.Unsigned },
            [ColumnKind.Decimal] = fraction with
            {
                Types = [new("decimal")],
                Parameter = ParameterType.Decimal,
                StandsInRow = true,
                Compared = ComparedForm.Padded,
                MemoryBytes = column => column.Precision,
                RowBytes = column => DecimalBytes(column.Precision - column.Scale) + DecimalBytes(column.Scale),
            },
            [ColumnKind.Float] = fraction with { Types = [new("float")], Literal = LiteralStyle.Text, KeyUse = KeyUse.None },
            [ColumnKind.Double] = fraction with { Types = [new("double")], KeyUse = KeyUse.OneWay },
            [ColumnKind.Char] = character with { Types = [new("char")] },
            [ColumnKind.Varchar] = character with { Types = [new("varchar")], RowBytes = column => ((int)column.MaxCharacters * 4) + 2 },
            [ColumnKind.Text] = character with { Types = [.. Sizes("text")], MemoryBytes = _ => null },
            [ColumnKind.Date] =
                date with { Types = [new("date")], Parameter = ParameterType.Date, Sample = "2026-01-01", RowBytes = _ => 3 },
            [ColumnKind.DateTime] = moment with { Types = [new("datetime")] },

            // The default is in the session's time zone on MariaDB, and in that of CREATE TABLE on MySQL.
            [ColumnKind.Timestamp] = moment with { Types = [new("timestamp")], HasOtherDefaultText = true },

            // As text: MySQL 9.7 refuses a binary one of 838 hours with a fraction (error 1690).
            [ColumnKind.Time] = new()
            {
                Types = [new("time")],
                Family = ColumnFamily.Time,
                Sample = "00:00:00",
                Compared = ComparedForm.Padded,
                IsUnquoted = true,
                RowBytes = column => 3 + ((column.Scale + 1) / 2),
            },
            [ColumnKind.Year] = number with { Types = [new("year")], Order = ValueOrder.Bytes },
            [ColumnKind.Enum] = label with { Types = [new("enum")] },
            [ColumnKind.Set] = label with { Types = [new("set")] },
            [ColumnKind.Bit] = number with
            {
                Types = [new("bit")],
                Parameter = ParameterType.UInt64,
                Literal = LiteralStyle.Number,
                Order = ValueOrder.Unsigned,
                HasOtherDefaultText = true,
            },
            [ColumnKind.Binary] = bytes with { Types = [new("binary")] },
            [ColumnKind.Blob] = bytes with
            {
                Types = [.. Sizes("blob"), new("varbinary"), new("vector")],
                MemoryBytes = column =>
                    column.TypeText.StartsWith("varbinary", StringComparison.OrdinalIgnoreCase) ? ByLength(column) : null,
            },

            // As text: as bytes MySQL refuses it (error 3144).
            [ColumnKind.Json] = document with { Types = [new("json")], Compared = ComparedForm.Json },
            [ColumnKind.Uuid] = new() { Types = [new("uuid")], Sample = "00000000-0000-0000-0000-000000000001" },
            [ColumnKind.Inet4] = new() { Types = [new("inet4")], Sample = "192.0.2.1" },
            [ColumnKind.Inet6] = new() { Types = [new("inet6")], Sample = "2001:db8::1" },
            [ColumnKind.Geometry] = document with
            {
                Types =
                [
                    new("geometry"), new("point"), new("linestring"), new("polygon"), new("multipoint"), new("multilinestring"),
                    new("multipolygon"), new("geometrycollection"), new("geomcollection"),
                ],
                Compared = ComparedForm.Geometry,
            },
            [ColumnKind.Unsupported] = new() { KeyUse = KeyUse.None },
        };
    }

    private static IEnumerable<DataType> Sizes(string type) =>
    [
        new($"tiny{type}", MaxBytes: byte.MaxValue), new(type, MaxBytes: ushort.MaxValue),
        new($"medium{type}", MaxBytes: (1 << 24) - 1), new($"long{type}", MaxBytes: uint.MaxValue),
    ];

    /// <summary>The most bytes and their count. A character has up to four.</summary>
    private static long? ByLength(TableColumn column) => Math.Max(column.MaxBytes, 4L * column.MaxCharacters) + sizeof(int);

    /// <summary>Nine digits take four bytes, the rest one to four.</summary>
    private static int DecimalBytes(int digits) => (digits / 9 * 4) + ((digits % 9 + 1) / 2);
}
