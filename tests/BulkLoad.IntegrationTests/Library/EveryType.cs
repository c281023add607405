using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace BulkLoad.IntegrationTests.Library;

internal enum Colour : byte
{
    Red = 1,
    Green = 2,
}

/// <summary>A member of every type that the generator knows, each of which can be NULL.</summary>
[BulkRow(Naming = BulkNaming.SnakeCase)]
internal sealed partial class EveryType
{
    public const string Table = """
        CREATE TABLE every_type (id INT PRIMARY KEY, a_bool TINYINT(1), a_byte TINYINT UNSIGNED, a_short SMALLINT, an_int INT,
        a_long BIGINT, a_ulong BIGINT UNSIGNED, an_int128 DECIMAL(39,0), a_big DECIMAL(65,0), a_float FLOAT, a_double DOUBLE,
        a_decimal DECIMAL(20,10), a_char CHAR(1),
        a_string TEXT, a_uri VARCHAR(40), a_guid CHAR(36), a_binary_guid BINARY(16), bytes VARBINARY(40), memory BLOB,
        a_date DATE, a_time_only TIME(6), a_time_span TIME(6), a_date_time DATETIME(6), an_utc_time TIMESTAMP(6), an_offset DATETIME(6),
        an_element JSON, a_node JSON, a_colour TINYINT, a_colour_name ENUM('Red', 'Green'), a_money DECIMAL(10,2)) CHARACTER SET utf8mb4
        """;

    /// <summary>Numbers and times as text, bytes as digits.</summary>
    public const string Query = """
        SELECT id, a_bool, a_byte, a_short, an_int, a_long, a_ulong, an_int128, a_big, a_float, a_double, a_decimal, a_char, a_string,
        a_uri, a_guid, HEX(a_binary_guid), HEX(bytes), HEX(memory), a_date, a_time_only, a_time_span, a_date_time,
        UNIX_TIMESTAMP(an_utc_time), UNIX_TIMESTAMP(an_offset), JSON_EXTRACT(an_element, '$.a'), JSON_EXTRACT(a_node, '$[1]'), a_colour,
        a_colour_name, a_money FROM every_type ORDER BY id
        """;

    public static readonly string?[] FullRow =
    [
        "1", "1", "255", "-32768", "-2147483648", "9223372036854775807", "18446744073709551615",
        "-170141183460469231731687303715884105728", "1" + new string('0', 64), "1.5", "0.1", "-12345.6789000000", "é", "Zoë\n🚀\0",
        "https://example.org/a%20b", "123e4567-e89b-12d3-a456-426655440000", "123E4567E89B12D3A456426655440000", "00FF0A", "27",
        "2024-02-29", "23:59:59.999999", "-838:59:59.000000", "2024-02-29 12:00:00.000001", "1709208000.500000", "1709208000.000000", "1",
        "\"b\"", "2", "Green", "12.34",
    ];

    public static readonly EveryType Full = new()
    {
        Id = 1,
        ABool = true,
        AByte = 255,
        AShort = short.MinValue,
        AnInt = int.MinValue,
        ALong = long.MaxValue,
        AUlong = ulong.MaxValue,
        AnInt128 = Int128.MinValue,
        ABig = BigInteger.Pow(10, 64),
        AFloat = 1.5f,
        ADouble = 0.1,
        ADecimal = -12345.6789m,
        AChar = 'é',
        AString = "Zoë\n🚀\0",
        AUri = new Uri("https://example.org/a%20b"),
        AGuid = new Guid("123e4567-e89b-12d3-a456-426655440000"),
        ABinaryGuid = new Guid("123e4567-e89b-12d3-a456-426655440000"),
        Bytes = [0, 0xFF, 0x0A],
        Memory = "'"u8.ToArray(),
        ADate = new DateOnly(2024, 2, 29),
        ATimeOnly = new TimeOnly(23, 59, 59).Add(TimeSpan.FromMicroseconds(999_999)),
        ATimeSpan = -new TimeSpan(838, 59, 59),
        ADateTime = new DateTime(2024, 2, 29, 12, 0, 0).AddMicroseconds(1),
        AnUtcTime = new DateTime(2024, 2, 29, 12, 0, 0, 500, DateTimeKind.Utc),
        AnOffset = new DateTimeOffset(2024, 2, 29, 14, 0, 0, TimeSpan.FromHours(2)),
        AnElement = JsonDocument.Parse("""{"a": 1}""").RootElement,
        ANode = JsonNode.Parse("""[1, "b"]"""),
        AColour = Colour.Green,
        AColourName = Colour.Green,
        AMoney = 1234,
    };

    public int Id { get; init; }

    public bool? ABool { get; init; }

    public byte? AByte { get; init; }

    public short? AShort { get; init; }

    public int? AnInt { get; init; }

    public long? ALong { get; init; }

    public ulong? AUlong { get; init; }

    public Int128? AnInt128 { get; init; }

    public BigInteger? ABig { get; init; }

    public float? AFloat { get; init; }

    public double? ADouble { get; init; }

    public decimal? ADecimal { get; init; }

    public char? AChar { get; init; }

    public string? AString { get; init; }

    public Uri? AUri { get; init; }

    public Guid? AGuid { get; init; }

    [BulkColumn(Form = BulkForm.Uuid)]
    public Guid? ABinaryGuid { get; init; }

    public byte[]? Bytes { get; init; }

    public ReadOnlyMemory<byte>? Memory { get; init; }

    public DateOnly? ADate { get; init; }

    public TimeOnly? ATimeOnly { get; init; }

    public TimeSpan? ATimeSpan { get; init; }

    public DateTime? ADateTime { get; init; }

    public DateTime? AnUtcTime { get; init; }

    public DateTimeOffset? AnOffset { get; init; }

    public JsonElement AnElement { get; init; }

    public JsonNode? ANode { get; init; }

    public Colour? AColour { get; init; }

    [BulkColumn(EnumName = true)]
    public Colour? AColourName { get; init; }

    [BulkColumn(Converter = typeof(Cents))]
    public long? AMoney { get; init; }

    [BulkIgnore]
    public object Other => this;
}

internal sealed class Cents : IBulkConverter<long?, decimal?>
{
    public static decimal? Convert(long? value) => value / 100m;
}
