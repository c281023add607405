using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;
using static BulkLoad.Tests.Values.Cases.ValueCase;
using static BulkLoad.Tests.Values.Cases.ValueCases;

namespace BulkLoad.Tests.Values.Cases;

/// <summary>Values that are written as options say.</summary>
internal static class FormatCases
{
    private const string Dates = "Dates and times by a pattern";
    private const string Serials = "Dates and times as a number";
    private const string Numbers = "Numbers as people write them";
    private const string Words = "Words for true and false";
    private const string Uuids = "UUID as 16 bytes";
    private const string Vectors = "VECTOR";

    private static readonly TableColumn Date = Column(ColumnKind.Date);
    private static readonly TableColumn DateTime = Column(ColumnKind.DateTime);
    private static readonly TableColumn Decimal = Column(ColumnKind.Decimal) with { Precision = 12, Scale = 3 };
    private static readonly TableColumn Integer = Column(ColumnKind.Integer) with { IntegerBytes = 4 };

    public static IEnumerable<ValueGroup> All =>
    [
        new("DATE", Date,
            Of("03.12.1984", "1984-12-03"), Of("29.02.2024", "2024-02-29"), Of("3.12.1984", "!not-a-date"), Of("03.12.84", "!not-a-date"),
            Of("1984-12-03", "!not-a-date"), Of("30.02.2024", "!impossible-date"),
            Of("03.13.1984", "!impossible-date"), Of("0312.1984", "!not-a-date"), Of("03.12.1984 ", "!not-a-date"),
            Of("00.00.0000", "!impossible-date"), Of("", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "dd.MM.yyyy")] },
        new("DATE", Date,
            Of("3/7/24", "2024-03-07"), Of("12/31/99", "1999-12-31"), Of("1/1/69", "2069-01-01"), Of("01/01/70", "1970-01-01"),
            Of("31/12/99", "!impossible-date"), Of("1/1/1999", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "M/d/yy")] },
        new("DATE", Date,
            Of("Sunday, 7 JULY 2024", "2024-07-07"), Of("monday, 1 January 2024", "2024-01-01"), Of("Monday, 7 July 2024", "!not-a-date"),
            Of("Sunday, 7 Jul 2024", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "dddd, d MMMM yyyy")] },
        new("DATE", Date,
            Of("3 févr. 2024", "2024-02-03"), Of("3 FÉVR 2024", "2024-02-03"), Of("3 mars 2024", "2024-03-03"),
            Of("3 Dez. 2024", "2024-12-03"), Of("12 ago 2024", "2024-08-12"), Of("12 ott. 2024", "2024-10-12"),
            Of("1 mrt. 2024", "2024-03-01"), Of("1 März 2024", "2024-03-01"), Of("1 février 2024", "!not-a-date"),
            Of("1 lut 2024", "!not-a-date"), Of("1 mar.. 2024", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "d MMM yyyy")] },
        new("DATE", Date,
            Of("samedi 3 février 2024", "2024-02-03"), Of("Sonntag 3 März 2024", "2024-03-03"), Of("lunedì 1 GENNAIO 2024", "2024-01-01"),
            Of("dinsdag 2 januari 2024", "2024-01-02"), Of("Montag 3 März 2024", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "dddd d MMMM yyyy")] },
        new("DATE", Date, Of("20240131", "2024-01-31"), Of("2024-01-31", "!not-a-date"),
            Of("202401311", "!not-a-date")) { Chapter = Dates, Formats = [new(ValueAspect.Date, null, "yyyyMMdd")] },
        new("DATETIME", DateTime,
            Of("7/4/2024 12:05 AM", "2024-07-04 00:05:00"), Of("7/4/2024 12:05 pm", "2024-07-04 12:05:00"),
            Of("07/04/2024 1:05 PM", "2024-07-04 13:05:00"), Of("7/4/2024 13:05 PM", "!not-a-date"),
            Of("7/4/2024 0:05 AM", "!not-a-date"), Of("7/4/2024 1:65 AM", "!impossible-date"), Of("7/4/2024", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.DateTime, null, "M/d/yyyy h:mm tt")] },
        new("DATETIME", DateTime, Of("03.12.1984", "1984-12-03 00:00:00"),
            Of("03.12.1984 10:00", "!not-a-date")) { Chapter = Dates, Formats = [new(ValueAspect.DateTime, null, "dd.MM.yyyy")] },
        new("DATETIME(6)", DateTime with { Scale = 6 },
            Of("31-Jan-2024 um 10:00:05", "2024-01-31 10:00:05"), Of("31-jan-2024 um 10:00:05,25", "2024-01-31 10:00:05.250000"),
            Of("31-Jan-2024 um 10:00:05,", "!not-a-date"),
            Of("31-Jän-2024 um 10:00:05", "2024-01-31 10:00:05"), Of("31-Jam-2024 um 10:00:05", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.DateTime, null, "dd-MMM-yyyy 'um' HH:mm:ss,FFFFFF")] },
        new("TIMESTAMP", Column(ColumnKind.Timestamp),
            Of("31.01.2024T10:00:05+02:00", "2024-01-31 08:00:05"), Of("31.01.2024T10:00:05Z", "2024-01-31 10:00:05"),
            Of("31.01.2024T10:00:05-0530", "2024-01-31 15:30:05"), Of("31.01.2024T10:00:05", "!not-a-date"))
        { Chapter = Dates, Formats = [new(ValueAspect.DateTime, null, "dd.MM.yyyyTHH:mm:sszzz")] },
        new("TIME", Column(ColumnKind.Time),
            Of("2:05 PM", "14:05:00"), Of("12:00 AM", "00:00:00"), Of("14:05", "!not-a-time"), Of("2:65 PM", "!not-a-time"))
        { Chapter = Dates, Formats = [new(ValueAspect.Time, null, "h:mm tt")] },
        new("TIME", Column(ColumnKind.Time),
            Of("8.30", "08:30:00"), Of("120.30", "120:30:00"), Of("-1.30", "-01:30:00"), Of("838.59", "838:59:00"),
            Of("839.00", "!out-of-range"), Of("1200.30", "!not-a-time"), Of("--1.30", "!not-a-time"), Of("1.60", "!not-a-time"))
        { Chapter = Dates, Formats = [new(ValueAspect.Time, null, "H.mm")] },
        new("TIME", Column(ColumnKind.Time), Of("08h30", "08:30:00"), Of("120h30", "120:30:00"), Of("-08h30", "-08:30:00"),
            Of("8h30", "!not-a-time"), Of("0830", "!not-a-time"))
        { Chapter = Dates, Formats = [new(ValueAspect.Time, null, "HH'h'mm")] },

        new("DATE", Date,
            Of("45292", "2024-01-01"), Of("1", "1900-01-01"), Of("59", "1900-02-28"), Of("61", "1900-03-01"), Of("2958465", "9999-12-31"),
            Of("45292.0", "2024-01-01"), Of("60", "!not-a-date"), Of("0", "!not-a-date"),
            Of("2958466", "!not-a-date"), Of("-1", "!not-a-date"), Of("2024-01-01", "!not-a-date"), Of("45292.5", "!has-time"))
        { Chapter = Serials, Formats = [new(ValueAspect.Date, null, "excel")] },
        new("DATETIME(3)", DateTime with { Scale = 3 },
            Of("45292.5", "2024-01-01 12:00:00"), Of("45292.0416666666667", "2024-01-01 01:00:00"),
            Of("45292.999999999999", "2024-01-02 00:00:00"), Of("45292.00000001", "2024-01-01 00:00:00.001000"),
            Of("45292,5", "!not-a-date"))
        { Chapter = Serials, Formats = [new(ValueAspect.DateTime, null, "excel")] },
        new("DATETIME", DateTime, Of("45292,25", "2024-01-01 06:00:00"), Of("45292.25", "!not-a-date"))
        { Chapter = Serials, Formats = [new(ValueAspect.DateTime, null, "excel"), new(ValueAspect.DecimalPoint, null, ",")] },
        new("TIME", Column(ColumnKind.Time), Of("0.75", "18:00:00"), Of("1.5", "36:00:00"), Of("-0.25", "-06:00:00"),
            Of("35", "!out-of-range"), Of("18:00", "!not-a-time"))
        { Chapter = Serials, Formats = [new(ValueAspect.Time, null, "excel")] },
        new("DATETIME(6)", DateTime with { Scale = 6 },
            Of("0", "1970-01-01 00:00:00"), Of("1706695205", "2024-01-31 10:00:05"), Of("1706695205.123456", "2024-01-31 10:00:05.123456"),
            Of("-1", "1969-12-31 23:59:59"), Of("-0.25", "1969-12-31 23:59:59.750000"),
            Of("1706695205.1234567", "!too-many-decimals"), Of("999999999999999", "!not-a-date"), Of("1e9", "!not-a-date"))
        { Chapter = Serials, Formats = [new(ValueAspect.DateTime, null, "epoch")] },
        new("DATETIME(3)", DateTime with { Scale = 3 },
            Of("1706695205123", "2024-01-31 10:00:05.123000"), Of("1706695205000", "2024-01-31 10:00:05"),
            Of("-1", "1969-12-31 23:59:59.999000"), Of("1706695205.5", "!not-a-date"))
        { Chapter = Serials, Formats = [new(ValueAspect.DateTime, null, "epoch-ms")] },
        new("DATE", Date, Of("1706659200", "2024-01-31"),
            Of("1706695205", "!has-time")) { Chapter = Serials, Formats = [new(ValueAspect.Date, null, "epoch")] },

        new("DECIMAL(12,3)", Decimal,
            Of("1.234.567,5", "1234567.5"), Of("1234567,5", "1234567.5"), Of("-1.234,50", "-1234.5"), Of("\u22121,5", "-1.5"),
            Of("1.000-", "-1000"), Of("(12,5)", "-12.5"), Of(",5", "0.5"), Of("1,5e3", "1500"), Of("+7", "7"),
            Of("1.5", "!not-a-number"), Of("12.34", "!not-a-number"), Of("1234.567", "!not-a-number"), Of(".123", "!not-a-number"),
            Of("1.234.56,7", "!not-a-number"), Of("1,234,5", "!not-a-number"),
            Of("1 234", "!not-a-number"), Of("12 €", "!not-a-number"), Of("--1", "!not-a-number"), Of("-", "!not-a-number"),
            Of("1,2345", "!too-many-decimals"), Of("", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, ".")] },
        new("DECIMAL(12,3)", Decimal, Of("1,5", "1.5"), Of("1.5", "!not-a-number"),
            Of("1.234,5", "!not-a-number")) { Chapter = Numbers, Formats = [new(ValueAspect.DecimalPoint, null, ",")] },
        new("DECIMAL(12,3)", Decimal, Of("12,34,567.5", "1234567.5"), Of("1,234,567", "1234567"), Of("12,345,67", "!not-a-number"),
            Of("1,23", "!not-a-number"), Of("1,2345", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.Thousands, null, ",")] },
        new("DECIMAL(12,3)", Decimal, Of("1 234,5", "1234.5"), Of("1\u00A0234,5", "1234.5"), Of("1\u202F234\u202F567", "1234567"),
            Of(" 1 234", "!not-a-number"), Of("1  234", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, "space")] },
        new("DECIMAL(12,3)", Decimal, Of("1'234.50", "1234.5"),
            Of("1\u2019234.50", "1234.5")) { Chapter = Numbers, Formats = [new(ValueAspect.Thousands, null, "'")] },
        new("DECIMAL(12,3)", Decimal,
            Of("€ 12.50", "12.5"), Of("12.50 €", "12.5"), Of("-€12.50", "-12.5"), Of("€-12.50", "-12.5"), Of("12.50\u00A0EUR", "12.5"),
            Of("($ 5)", "!not-a-number"), Of("(€ 5)", "-5"), Of("€ 5 €", "!not-a-number"), Of("€", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.Currency, null, "€,EUR")] },
        new("DECIMAL(12,3)", Decimal, Of("12.5 %", "0.125"), Of("-3%", "-0.03"), Of("%50", "0.5"), Of("0.1", "0.1"),
            Of("1.55%", "!too-many-decimals"), Of("5 % %", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.Percent, null, "fraction")] },
        new("DECIMAL(12,3)", Decimal, Of("12.5 %", "0.125"), Of("12.5", "!not-a-number"),
            Of("1", "!not-a-number")) { Chapter = Numbers, Formats = [new(ValueAspect.Percent, "v", "fraction")] },
        new("DECIMAL(12,3)", Decimal, Of("12.5 %", "12.5"),
            Of("12.5", "12.5")) { Chapter = Numbers, Formats = [new(ValueAspect.Percent, null, "number")] },
        new("INT", Integer, Of("1.234", "1234"), Of("1.234,0", "1234"), Of("-7", "-7"), Of("1.234,5", "!not-an-integer"),
            Of("9.999.999.999", "!out-of-range"), Of("1.23", "!not-a-number"))
        { Chapter = Numbers, Formats = [new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, ".")] },
        new("DOUBLE", Column(ColumnKind.Double), Of("1.234,5", "1234.5"), Of("-1,5e-10", "-1.5e-10"), Of("1e400", "!out-of-range"))
        {
            Chapter = Numbers,
            Formats = [new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, ".")],
            Comparing = Comparing.Double
        },

        new("TINYINT(1)", Integer with { IntegerBytes = 1, IsBoolean = true },
            Of("WAHR", "1"), Of("wahr", "1"), Of("Falsch", "0"), Of("ИСТИНА", "1"), Of("истина", "1"), Of("Истина", "1"), Of("true", "1"),
            Of("no", "0"), Of("1", "1"), Of("vrai", "!not-an-integer"))
        { Chapter = Words, Formats = [new(ValueAspect.True, null, "WAHR,ИСТИНА"), new(ValueAspect.False, null, "FALSCH")] },
        new("INT", Integer, Of("J", "1"), Of("n", "0"), Of("7", "7"), Of("true", "!not-an-integer"))
        { Chapter = Words, Formats = [new(ValueAspect.True, "v", "J"), new(ValueAspect.False, "v", "N")] },

        new("BINARY(16)", Column(ColumnKind.Binary) with { MaxBytes = 16 },
            Of("123e4567-e89b-12d3-a456-426655440000", "123E4567E89B12D3A456426655440000"),
            Of("123E4567E89B12D3A456426655440000", "123E4567E89B12D3A456426655440000"),
            Of("{123e4567-e89b-12d3-a456-426655440000}", "!not-a-uuid"), Of("123e4567-e89b-12d3-a456-42665544000", "!not-a-uuid"),
            Of("", "!not-a-uuid"))
        { Chapter = Uuids, Form = BinaryForm.Uuid, Read = "HEX(v)" },
        new("VECTOR(3)", Column(ColumnKind.Blob) with { VectorSize = 3, MaxBytes = 12 },
            Of("[1, 2, 3]", "0000803F0000004000004040"), Of("[-0.5]", "000000BF"), Of("[ 1e0,2.5 ]", "0000803F00002040"),
            Of("AACAPwAAAEA=", "0000803F00000040"), Of("[1,2,3,4]", "!too-long"), Of("[]", "!not-a-vector"),
            Of("[1,]", "!not-a-vector"), Of("[1 2]", "!not-a-vector"), Of("[NaN]", "!not-a-vector"), Of("[1e39]", "!out-of-range"),
            Of("[0.1,1e-50]", "!becomes-zero"), Of("[-0.0]", "00000080"), Of("AADAfw==", "!out-of-range"), Of("AACA", "!not-a-vector"),
            Of("1,2", "!not-a-vector"),
            Of("", "!not-a-vector"))
        { Chapter = Vectors, Server = "MySQL", Read = "HEX(v)" },
    ];
}
