using BulkLoad.Core.Schema;
using static BulkLoad.Tests.Values.Cases.ValueCase;
using static BulkLoad.Tests.Values.Cases.ValueCases;

namespace BulkLoad.Tests.Values.Cases;

internal static class OtherCases
{
    private const string Times = "Dates and times";
    private const string Documents = "JSON";
    private const string Addresses = "UUID, INET4, INET6";
    private const string Geometries = "Geometries";

    public static IEnumerable<ValueGroup> All =>
    [
        new("DATE", Column(ColumnKind.Date),
            Same("2024-02-29"), Same("0001-01-01"), Same("9999-12-31"), Of("2024-01-31 00:00", "2024-01-31"),
            Of("2023-02-29", "!impossible-date"), Of("0000-00-00", "!impossible-date"),
            Of("2024-00-10", "!impossible-date"), Of("2024-01-31 10:00", "!has-time"), Of("2024-01-31T00:00:00Z", "!has-offset"),
            Of("31.12.2024", "!not-a-date"), Of("2024-1-31", "!not-a-date"),
            Of("20240131", "!not-a-date"), Of(" 2024-01-31", "!not-a-date"), Of("24-01-31", "!not-a-date"), Of("", "!not-a-date"))
        { Chapter = Times },
        new("DATETIME", Column(ColumnKind.DateTime),
            Of("2024-01-31", "2024-01-31 00:00:00"), Of("2024-01-31 10:00", "2024-01-31 10:00:00"),
            Of("2024-01-31T10:00:05", "2024-01-31 10:00:05"), Of("2024-01-31 10:00:05.000", "2024-01-31 10:00:05"),
            Of("2024-01-31T10:00:00Z", "2024-01-31 10:00:00"), Of("2024-01-31 10:00:00+02:00", "2024-01-31 08:00:00"),
            Of("2024-01-31 10:00-0530", "2024-01-31 15:30:00"), Same("0001-01-01 00:00:00"),
            Same("9999-12-31 23:59:59"), Of("2024-01-31 10:00:05.6", "!too-many-decimals"), Of("2024-01-31 24:00:00", "!impossible-date"),
            Of("2024-02-30 10:00", "!impossible-date"),
            Of("2024-01-31 10:00:60", "!impossible-date"), Of("2024-01-31 10", "!not-a-date"), Of("2024-01-31 10:00 PM", "!not-a-date"),
            Of("9999-12-31 23:59:59-05:00", "!out-of-range"))
        { Chapter = Times },
        new("DATETIME(6)", Column(ColumnKind.DateTime) with { Scale = 6 },
            Same("2024-01-31 10:00:05.123456"), Of("2024-01-31 10:00:05.1", "2024-01-31 10:00:05.100000"),
            Same("9999-12-31 23:59:59.999999"), Of("2024-01-31 10:00:05.1234567", "!too-many-decimals"))
        { Chapter = Times },
        new("DATETIME(3)", Column(ColumnKind.DateTime) with { Scale = 3 },
            Of("2024-01-31 10:00:05.123", "2024-01-31 10:00:05.123000"), Of("2024-01-31 10:00:05.120000", "2024-01-31 10:00:05.120000"),
            Of("2024-01-31 10:00:05.1234", "!too-many-decimals"))
        { Chapter = Times },
        new("TIMESTAMP", Column(ColumnKind.Timestamp),
            Same("1970-01-01 00:00:01"), Same("2038-01-19 03:14:07"), Of("2024-01-31T10:00:00+02:00", "2024-01-31 08:00:00"),
            Of("1970-01-01 00:00:00", "!out-of-range"), Of("1969-12-31 23:59:59", "!out-of-range"),
            Of("1970-01-01 00:59:59+01:00", "!out-of-range"), Of("2038-01-19 03:14:08", "!out-of-range"), Of("2039-01-01", "!out-of-range"),
            Of("2024-01-31 10:00:00.5", "!too-many-decimals"))
        { Chapter = Times },
        new("TIMESTAMP(6)", Column(ColumnKind.Timestamp) with { Scale = 6 },
            Same("2038-01-19 03:14:07.999999"), Same("1970-01-01 00:00:01.000001"), Of("1970-01-01 00:00:00.999999", "!out-of-range"))
        { Chapter = Times },
        new("TIME", Column(ColumnKind.Time),
            Of("08:30", "08:30:00"), Same("00:00:00"), Same("-08:30:01"), Same("838:59:59"), Same("-838:59:59"), Of("100:00", "100:00:00"),
            Of("8:05", "08:05:00"), Of("-00:00", "00:00:00"),
            Of("839:00:00", "!out-of-range"), Of("12", "!not-a-time"), Of("12:60", "!not-a-time"), Of("1 02:03:04", "!not-a-time"),
            Of("08:30:00.5", "!too-many-decimals"), Of("", "!not-a-time"))
        { Chapter = Times },
        new("TIME(6)", Column(ColumnKind.Time) with { Scale = 6 },
            Of("-00:00:01.5", "-00:00:01.500000"), Same("838:59:58.999999"), Of("838:59:59.5", "!out-of-range"))
        { Chapter = Times },
        new("JSON", Column(ColumnKind.Json),
            Same("{\"a\": [1, true, null, \"x\"]}"), Same("[]"), Same("\"text\""), Same("null"), Same("true"), Same(" 1 "), Same("-0"),
            Same("0.1"), Same("1.0"), Same("1e2"), Same("1E+2"),
            Same("-9223372036854775808"), Same("18446744073709551615"), Same("12345678901234567890"), Same("100000000000000000000"),
            Same("1.7976931348623157e308"), Same("5e-324"), Same("0.12345678901234568"),
            Same("{\"\": {\"\": 1}, \"é\": \"\\u00e9\", \"😀\": \"\\ud83d\\ude00\"}"), Same("\"\\u0000\\n\\/\""),
            Same("{\"b\": 1, \"a\": 2, \"B\": 3}"),
            Same(new string('[', 100) + new string(']', 100)),
            Of("{\"a\": 1, \"a\": 1}", "!duplicate-name"), Of("{\"a\": 1, \"\\u0061\": 2}", "!duplicate-name"),
            Of("[{\"x\": {\"a\": 1, \"b\": 2, \"a\": 3}}]", "!duplicate-name"),
            Of("18446744073709551616", "!inexact-number"), Of("-9223372036854775809", "!inexact-number"),
            Of("0.1234567890123456789", "!inexact-number"), Of("1e400", "!inexact-number"), Of("1e-400", "!inexact-number"),
            Of("1.7976931348623158e308", "!inexact-number"), Of(new string('[', 101) + new string(']', 101), "!too-deep"),
            Of("\"\\ud800\"", "!not-json"), Of("{\"\\udc00\": 1}", "!not-json"),
            Of("{'a': 1}", "!not-json"), Of("[1,]", "!not-json"), Of("{a: 1}", "!not-json"), Of("nul", "!not-json"), Of("NaN", "!not-json"),
            Of("01", "!not-json"), Of("[1] x", "!not-json"), Of("\"\t\"", "!not-json"),
            Of("\"\\x41\"", "!not-json"), Of("// no\n1", "!not-json"), Of("", "!not-json"), OfBytes("22FF22", "!invalid-text"))
        { Chapter = Documents, Server = "MySQL", Comparing = Comparing.Json },
        new("JSON", Column(ColumnKind.Text) with { MaxBytes = 4_294_967_295, Charset = "utf8mb4" },
            Same("{\"a\": [1, true, null, \"x\"]}"), Same("{\"a\":1,  \"a\":1.000}"), Same("123456789012345678901234567890"))
        { Chapter = Documents, Server = "MariaDB" },
        new("UUID", Column(ColumnKind.Uuid),
            Same("123e4567-e89b-12d3-a456-426655440000"), Of("123E4567-E89B-12D3-A456-426655440000",
                "123e4567-e89b-12d3-a456-426655440000"), Of("123e4567e89b12d3a456426655440000", "123e4567-e89b-12d3-a456-426655440000"),
            Same("00000000-0000-0000-0000-000000000000"), Same("ffffffff-ffff-ffff-ffff-ffffffffffff"),
            Of("{123e4567-e89b-12d3-a456-426655440000}", "!not-a-uuid"), Of("123e4567-e89b12d3-a456-426655440000", "!not-a-uuid"),
            Of("123e4567-e89b-12d3-a456-42665544000", "!not-a-uuid"), Of("123e4567-e89b-12d3-a456-42665544000g", "!not-a-uuid"),
            Of("", "!not-a-uuid"))
        { Chapter = Addresses, Server = "MariaDB" },
        new("INET4", Column(ColumnKind.Inet4),
            Same("192.0.2.1"), Same("0.0.0.0"), Same("255.255.255.255"), Of("256.0.0.1", "!not-an-address"),
            Of("01.2.3.4", "!not-an-address"), Of("1.2.3", "!not-an-address"), Of("1.2.3.4.5", "!not-an-address"),
            Of("0x1.2.3.4", "!not-an-address"), Of("+1.2.3.4", "!not-an-address"), Of("1.2.3.4 ", "!not-an-address"),
            Of("::1", "!not-an-address"), Of("16909060", "!not-an-address"), Of("", "!not-an-address"))
        { Chapter = Addresses, Server = "MariaDB" },
        new("INET6", Column(ColumnKind.Inet6),
            Same("::"), Same("::1"), Of("2001:DB8::1", "2001:db8::1"), Of("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            Same("::ffff:192.0.2.1"), Of("::FFFF:c000:201", "::ffff:192.0.2.1"), Same("::192.0.2.1"), Of("::1:2", "::0.1.0.2"),
            Same("1:2:3:4:5:6:7:8"), Same("1:2:3:4:5:6:7::"), Same("::2:3:4:5:6:7:8"), Of("1:2:3:0:5:6:7:8", "1:2:3::5:6:7:8"),
            Of("64:ff9b::1.2.3.4", "64:ff9b::102:304"), Of("1:0:0:2:0:0:0:3", "1:0:0:2::3"), Same("::abcd"),
            Of("::ffff:0:0", "::ffff:0.0.0.0"), Of("::0.0.0.1", "::1"), Of("192.0.2.1", "!not-an-address"), Of("fe80::1%eth0",
                "!not-an-address"), Of("[::1]", "!not-an-address"), Of("::1/64", "!not-an-address"), Of("1::2::3", "!not-an-address"),
            Of("1:2:3:4:5:6:7", "!not-an-address"), Of("1:2:3:4:5:6:7:8:9", "!not-an-address"), Of("1:2:3:4:5:6:7:8::", "!not-an-address"),
            Of("12345::", "!not-an-address"), Of("1:", "!not-an-address"), Of(":1", "!not-an-address"),
            Of("::01.2.3.4", "!not-an-address"), Of("1:2:3:4:5:6:7:1.2.3.4", "!not-an-address"), Of("::g", "!not-an-address"),
            Of("", "!not-an-address"))
        { Chapter = Addresses, Server = "MariaDB" },
        Geometry(
            "GEOMETRY", "GEOMETRY", 0,
            Same("POINT(1 2)"), Of(" point ( 1\t-2.50 ) ", "POINT(1 -2.50)", "POINT(1 -2.5)"), Of("POINT(+1 .5)", "POINT(1 0.5)"),
            Of("POINT(1. -.5e-2)", "POINT(1.0 -0.5e-2)", "POINT(1 -0.005)"), Same("POINT(0.1 100000)"), Same("LINESTRING(1 2,3 4.5)"),
            Same("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))"), Same("MULTIPOINT(1 2,3 4)"),
            Of("MULTIPOINT((1 2),(3 4))", "MULTIPOINT(1 2,3 4)"), Same("MULTILINESTRING((1 2,3 4),(5 6,7 8))"),
            Same("MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))"), Same("GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4))"),
            Same("GEOMETRYCOLLECTION EMPTY"),
            Of("POINT(1 2", "!not-wkt"), Of("POINT(1 2) x", "!not-wkt"), Of("POINT(1 2 3)", "!not-wkt"), Of("POINT Z(1 2 3)", "!not-wkt"),
            Of("POINT(1,2)", "!not-wkt"), Of("POINT(1-2)", "!not-wkt"), Of("POINT EMPTY", "!not-wkt"), Of("MULTIPOINT EMPTY", "!not-wkt"),
            Of("POINT(nan 1)", "!not-wkt"),
            Of("SRID=4326;POINT(1 2)", "!not-wkt"), Of("GEOMETRYCOLLECTION()", "!not-wkt"), Of("CIRCLE(1 2)", "!not-wkt"),
            Of("", "!not-wkt"), Of("POINT(1e400 2)", "!out-of-range"), Of("LINESTRING(1 2)", "!invalid-geometry"),
            Of("POLYGON((0 0,1 0,1 1))", "!invalid-geometry"), Of("POLYGON((0 0,1 0,0 0))", "!invalid-geometry"),
            Of("POLYGON((0 0,1 0,1 1,0 1))", "!invalid-geometry"),
            Of("GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POINT(1 2)))", "!nested-collection")),
        Geometry("POINT", "POINT", 0, Same("POINT(1 2)"), Of("LINESTRING(1 2,3 4)", "!wrong-geometry"),
            Of("MULTIPOINT(1 2)", "!wrong-geometry")),
        Geometry("GEOMETRYCOLLECTION", "GEOMETRYCOLLECTION", 0, Same("GEOMETRYCOLLECTION(POINT(1 2))"), Same("MULTIPOINT(1 2)"),
            Of("POINT(1 2)", "!wrong-geometry")),
        Geometry("POINT SRID 4326", "POINT", 4326, Of("POINT(50 10.5)", "POINT(50 10.5)", "4326 POINT(50 10.5)")) with
        { Server = "MySQL", Read = "CONCAT(ST_SRID(v),' ',ST_AsText(v))" },
        Geometry("POINT REF_SYSTEM_ID=4326", "POINT", 4326, Of("POINT(50 10.5)", "POINT(50 10.5)", "4326 POINT(50 10.5)")) with
        { Server = "MariaDB", Read = "CONCAT(ST_SRID(v),' ',ST_AsText(v))" },
    ];

    // MySQL writes the points of a MULTIPOINT in parentheses, MariaDB does not.
    private static ValueGroup Geometry(string ddl, string type, uint srid, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Geometry) with { GeometryType = type, Srid = srid }, cases)
        {
            Chapter = Geometries,
            Read = "IF(ST_GeometryType(v)='MULTIPOINT', REPLACE(REPLACE(REPLACE(ST_AsText(v),'((','('),'))',')'),'),(',','), ST_AsText(v))",
        };
}
