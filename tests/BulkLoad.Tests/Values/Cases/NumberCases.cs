using BulkLoad.Core.Schema;
using static BulkLoad.Tests.Values.Cases.ValueCase;
using static BulkLoad.Tests.Values.Cases.ValueCases;

namespace BulkLoad.Tests.Values.Cases;

internal static class NumberCases
{
    private const string Integers = "Integers, BIT, booleans";
    private const string Fixed = "DECIMAL";
    private const string Floating = "FLOAT and DOUBLE";

    public static IEnumerable<ValueGroup> All =>
    [
        Integer("TINYINT", 1, false, Same("127"), Same("-128"), Of("128", "!out-of-range"), Of("-129", "!out-of-range"),
            Of("true", "!not-an-integer")),
        Integer("SMALLINT", 2, false, Same("32767"), Same("-32768"), Of("32768", "!out-of-range"), Of("-32769", "!out-of-range")),
        Integer("MEDIUMINT", 3, false, Same("8388607"), Same("-8388608"), Of("8388608", "!out-of-range"), Of("-8388609", "!out-of-range")),
        Integer(
            "INT", 4, false,
            Same("0"), Same("7"), Same("-7"), Of("+7", "7"), Of("007", "7"), Of("-0", "0"), Of("7.0", "7"), Of("7.", "7"),
            Of("1e3", "1000"),
            Of("12.5e1", "125"), Of("1200e-2", "12"), Same("2147483647"), Same("-2147483648"), Of("2147483648", "!out-of-range"),
            Of("1e99", "!out-of-range"), Of("1.5", "!not-an-integer"), Of("1e-1", "!not-an-integer"), Of("x17", "!not-an-integer"),
            Of("17x", "!not-an-integer"), Of("0x1F", "!not-an-integer"), Of(" 1", "!not-an-integer"), Of("1 ", "!not-an-integer"),
            Of("1,000", "!not-an-integer"), Of("", "!not-an-integer"), Of("-", "!not-an-integer"), Of("NULL", "!not-an-integer"),
            Of("１", "!not-an-integer")),
        Integer("BIGINT", 8, false, Same("9223372036854775807"), Same("-9223372036854775808"), Of("9223372036854775808", "!out-of-range"),
            Of("-9223372036854775809", "!out-of-range")),
        Integer("TINYINT UNSIGNED", 1, true, Same("255"), Of("-0", "0"), Of("256", "!out-of-range"), Of("-1", "!out-of-range")),
        Integer("SMALLINT UNSIGNED", 2, true, Same("65535"), Of("65536", "!out-of-range")),
        Integer("MEDIUMINT UNSIGNED", 3, true, Same("16777215"), Of("16777216", "!out-of-range")),
        Integer("INT UNSIGNED", 4, true, Same("4294967295"), Of("4294967296", "!out-of-range"), Of("-1", "!out-of-range")),
        Integer("BIGINT UNSIGNED", 8, true, Same("18446744073709551615"), Of("18446744073709551616", "!out-of-range"),
            Of("-1", "!out-of-range")),
        Integer("INT(6) ZEROFILL", 4, true, Same("7"), Of("000007", "7"), Of("-7", "!out-of-range")) with { Read = "v+0" },
        Boolean(
            "BOOLEAN", Column(ColumnKind.Integer) with { IntegerBytes = 1, IsBoolean = true },
            Same("127"), Same("-128"), Of("2", "2"), Of("128", "!out-of-range")),
        Boolean("BIT(1)", Bits(1) with { IsBoolean = true }, Of("2", "!out-of-range"), Of("-1", "!out-of-range"),
            Of("b'1'", "!not-an-integer")),
        new("BIT(8)", Bits(8),
            Same("0"), Same("5"), Same("255"), Of("1e2", "100"), Of("256", "!out-of-range"), Of("-1", "!out-of-range"),
            Of("b'101'", "!not-an-integer"),
            Of("0b101", "!not-an-integer"), Of("0xff", "!not-an-integer"), Of("true", "!not-an-integer"), Of("\u0001", "!not-an-integer"))
        { Chapter = Integers, Read = "v+0" },
        new("BIT(64)", Bits(64),
            Same("18446744073709551615"), Same("9223372036854775808"), Same("9223372036854775807"),
            Of("18446744073709551616", "!out-of-range"))
        { Chapter = Integers, Read = "v+0" },
        new("YEAR", Column(ColumnKind.Year),
            Same("1999"), Same("1901"), Same("2155"), Same("0000"), Of("1900", "!not-a-year"), Of("2156", "!not-a-year"),
            Of("99", "!not-a-year"),
            Of("+1999", "!not-a-year"), Of("1999.0", "!not-a-year"))
        { Chapter = "Dates and times" },
        Decimal(
            "DECIMAL(5,2)", 5, 2, false,
            Same("12.3"), Of("12.30", "12.3"), Of("12.300", "12.3"), Of("-0.5", "-0.5"), Of(".5", "0.5"), Of("5.", "5"),
            Of("1.5e-1", "0.15"), Of("+999.99", "999.99"),
            Of("-0.00", "0"), Of("00012", "12"), Same("-999.99"), Of("1.234", "!too-many-decimals"), Of("1e-3", "!too-many-decimals"),
            Of("1000", "!out-of-range"),
            Of("1e3", "!out-of-range"), Of("999.995", "!too-many-decimals"), Of("", "!not-a-number"), Of("x", "!not-a-number"),
            Of("1,5", "!not-a-number"),
            Of(" 1", "!not-a-number"), Of("$5", "!not-a-number"), Of("1e", "!not-a-number"), Of("nan", "!not-a-number")),
        Decimal("DECIMAL(5,2) UNSIGNED", 5, 2, true, Same("999.99"), Of("-0", "0"), Of("-0.01", "!out-of-range")),
        Decimal(
            "DECIMAL(4,0)", 4, 0, false, Same("9999"), Of("1e3", "1000"), Of("0.5", "!too-many-decimals"), Of("10000", "!out-of-range")),
        Decimal("DECIMAL(3,3)", 3, 3, false, Same("0.999"), Of("-.001", "-0.001"), Of("1", "!out-of-range")),
        Decimal("DECIMAL(65,30)", 65, 30, false, Same("12345678901234567890123456789012345.123456789012345678901234567891")),
        Decimal("DECIMAL(6,2) ZEROFILL", 6, 2, true, Of("0007.5", "7.5"), Of("-7.5", "!out-of-range")) with { Read = "v+0" },
        Double(
            "DOUBLE", Column(ColumnKind.Double),
            Same("1.5"), Same("-2e-3"), Same("0.1"), Same("1e308"), Same("1.7976931348623157e308"), Same("5e-324"), Of("1e-400",
                "!becomes-zero"), Of("-1e-400", "!becomes-zero"), Same("-0.0"), Same("+1"), Of("0e-400", "0"), Same(".5"), Same("5."),
            Same("0.1234567890123456789"), Same("9007199254740993"), Of("1e309", "!out-of-range"), Of("-1e309", "!out-of-range"),
            Of("x", "!not-a-number"),
            Of("inf", "!not-a-number"), Of("nan", "!not-a-number"), Of("1,5", "!not-a-number"), Of(" 1", "!not-a-number"),
            Of("", "!not-a-number")),
        Double("DOUBLE UNSIGNED", Column(ColumnKind.Double) with { IsUnsigned = true }, Same("1.5"), Of("-0.1", "!out-of-range")),
        Double(
            "DOUBLE(8,3)", Column(ColumnKind.Double) with { Precision = 8, Scale = 3 },
            Same("12345.678"), Same("-99999.999"), Same("-0.123"), Same("-0.057"), Same("0.1"), Same("1.50000"), Same("1e4"),
            Of("0.1234", "!too-many-decimals"), Of("1e-4", "!too-many-decimals"),
            Of("100000", "!out-of-range"), Of("-100000", "!out-of-range"), Of("x", "!not-a-number")),
        Double(
            "DOUBLE(20,4)", Column(ColumnKind.Double) with { Precision = 20, Scale = 4 },
            Same("123456789012.3456"), Same("9999999999999998"), Of("10000000000000000", "!out-of-range"),
            Of("0.00001", "!too-many-decimals")),
        Double(
            "DOUBLE(30,20)", Column(ColumnKind.Double) with { Precision = 30, Scale = 20 },
            Same("0.00000000000000000001"), Same("1234567890.5"), Of("-0.00000000000000000001", "!inexact-number")),
        Double("DOUBLE(8,3) UNSIGNED ZEROFILL", Column(ColumnKind.Double) with { Precision = 8, Scale = 3, IsUnsigned = true },
            Same("1.25"), Of("-1", "!out-of-range")),
        Single(
            "FLOAT", Column(ColumnKind.Float),
            Same("1.5"), Same("0.1"), Same("-3.4028234e38"), Same("1e-45"), Same("16777217"), Same("0.00"), Of("1e-60", "!becomes-zero"),
            Of("-0.00000000000000000000000000000000000000000000000001", "!becomes-zero"),
            Of("1.00000005960464477539062500000001", "1.0000001192092896"),
            Of("1e39", "!out-of-range"), Of("x", "!not-a-number"), Of("inf", "!not-a-number")),
        Single("FLOAT UNSIGNED", Column(ColumnKind.Float) with { IsUnsigned = true }, Same("1.5"), Of("-1.5", "!out-of-range")),
        Single(
            "FLOAT(7,2)", Column(ColumnKind.Float) with { Precision = 7, Scale = 2 },
            Same("1.25"), Same("0.1"), Same("-99999.99"), Same("12345.67"), Of("1.255", "!too-many-decimals"),
            Of("100000", "!out-of-range")),
    ];

    private static ValueGroup Integer(string ddl, int bytes, bool isUnsigned, params ValueCase[] cases) =>
        new(ddl, Column(isUnsigned ? ColumnKind.UnsignedInteger : ColumnKind.Integer) with { IntegerBytes = bytes },
            cases)
        { Chapter = Integers };

    private static TableColumn Bits(int bits) => Column(ColumnKind.Bit) with { Precision = bits };

    private static ValueGroup Boolean(string ddl, TableColumn column, params ValueCase[] cases) => new(
        ddl, column,
        [
            Of("true", "1"), Of("T", "1"), Of("Yes", "1"), Of("y", "1"), Of("ON", "1"), Of("1", "1"), Of("false", "0"), Of("f", "0"),
            Of("no", "0"), Of("N", "0"),
            Of("off", "0"), Of("0", "0"), Of("maybe", "!not-an-integer"), Of("truee", "!not-an-integer"),
            Of("", "!not-an-integer"), .. cases,
        ])
    { Chapter = Integers, Read = "v+0" };

    private static ValueGroup Decimal(string ddl, int precision, int scale, bool isUnsigned, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Decimal) with { Precision = precision, Scale = scale, IsUnsigned = isUnsigned },
            cases)
        { Chapter = Fixed };

    // With (m,d) a double is what its column shows; without, all of its bits count.
    private static ValueGroup Double(string ddl, TableColumn column, params ValueCase[] cases) =>
        new(ddl, column, cases)
        { Chapter = Floating, Read = column.Precision > 0 ? "CAST(v AS CHAR)" : "CAST(v AS DOUBLE)", Comparing = Comparing.Double };

    private static ValueGroup Single(string ddl, TableColumn column, params ValueCase[] cases) =>
        new(ddl, column, cases) { Chapter = Floating, Read = "CAST(v AS DOUBLE)", Comparing = Comparing.Single };
}
