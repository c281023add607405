using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

public sealed class RuleAllocationTests
{
    public static TheoryData<string, string> Values => new()
    {
        { "integer", "-1234567" },
        { "integer", "+007.0e0" },
        { "boolean", "true" },
        { "decimal", "-123.4500" },
        { "double", "-1.5e10" },
        { "float", "0.1" },
        { "varchar", "Grüße 😀" },
        { "latin1", "Grüße" },
        { "text", "Grüße 😀" },
        { "date", "2024-02-29" },
        { "datetime", "2024-02-29T10:11:12.5+05:30" },
        { "timestamp", "2024-02-29T10:11:12.5+05:30" },
        { "time", "-10:11:12.5" },
        { "year", "2024" },
        { "enum", "b" },
        { "set", "c,a" },
        { "bit", "200" },
        { "fixed", "1.25" },
        { "gbk", "简體" },
        { "blob", "0x00ff" },
        { "json", "{\"a\": [1, 0.5, 1e2, \"\\u00e9\"], \"b\": {\"c\": null}}" },
        { "uuid", "123E4567E89B12D3A456426655440000" },
        { "inet6", "2001:DB8::1" },
        { "geometry", "POLYGON((0 0,1 0,1 1,0 0))" },
    };

    [Theory]
    [MemberData(nameof(Values))]
    public void A_good_value_allocates_nothing(string type, string text) =>
        AssertAllocatesNothing(ColumnOf(type), text, Rules.Options(TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin")));

    [Theory]
    [InlineData("integer", "-1234567.5")]
    [InlineData("decimal", "-123.4567")]
    [InlineData("datetime", "2024-02-29T10:11:12.1234567+05:30")]
    [InlineData("datetime", "2024-00-00 10:11:12.1234567")]
    [InlineData("timestamp", "2024-02-29T10:11:12.1234567+05:30")]
    [InlineData("timestamp", "2024-02-29 10:11:12.1234567")]
    [InlineData("timestamp", "0000-00-00")]
    [InlineData("date", "0000-00-00")]
    [InlineData("time", "-10:11:12.1234567")]
    public void A_value_that_is_rounded_or_converted_allocates_nothing(string type, string text) => AssertAllocatesNothing(
        ColumnOf(type), text, new RuleOptions(ValueZone.Asked("Europe/Berlin")!, rounds: true, takesZeroDates: true));

    [Theory]
    [InlineData("date", "03.12.1984", "dd.MM.yyyy", nameof(ValueAspect.Date))]
    [InlineData("datetime", "Wed 7-Feb-2024 1:05:07.25 pm", "ddd d-MMM-yyyy h:mm:ss.FF tt", nameof(ValueAspect.DateTime))]
    [InlineData("datetime", "45292.041666666667", "excel", nameof(ValueAspect.DateTime))]
    [InlineData("timestamp", "1706695205123", "epoch-ms", nameof(ValueAspect.DateTime))]
    [InlineData("time", "0.75", "excel", nameof(ValueAspect.Time))]
    [InlineData("decimal", "1 234,5", ",", nameof(ValueAspect.DecimalPoint))]
    [InlineData("decimal", "12 %", "fraction", nameof(ValueAspect.Percent))]
    [InlineData("boolean", "ПРАВДА", "Ja,Правда", nameof(ValueAspect.True))]
    public void A_value_written_by_an_option_allocates_nothing(string type, string text, string format, string aspect)
    {
        var options = Rules.Options(TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin"));
        var notation = new NotationSet(
            [new(Enum.Parse<ValueAspect>(aspect), null, format), .. Enum.Parse<ValueAspect>(aspect) == ValueAspect.DecimalPoint
                ? [new ValueFormat(ValueAspect.Thousands, null, "space")] : (ValueFormat[])[]]).For(ColumnOf(type))!;
        AssertAllocatesNothing(ValueRules.For(ColumnOf(type), options, notation), text);
    }

    private static void AssertAllocatesNothing(TableColumn column, string text, RuleOptions options) =>
        AssertAllocatesNothing(ValueRules.For(column, options), text);

    private static void AssertAllocatesNothing(ValueRule rule, string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var block = new RowBlock(1, 1 << 16);
        AddMany(1000);
        var before = GC.GetAllocatedBytesForCurrentThread();
        AddMany(100_000);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        // Less than a byte for ten values: what the runtime itself may do once is not the rule's.
        Assert.True(allocated < 10_000, $"{allocated} bytes for 100,000 values");

        void AddMany(int count)
        {
            for (var i = 0; i < count; i++)
            {
                if (rule.Add(bytes, block) is { } fault)
                {
                    Assert.Fail(fault.Message);
                }

                block.EndRow(i, i, i, []);
                if (block.RowCount == 200)
                {
                    block.Clear();
                }
            }
        }
    }

    private static TableColumn ColumnOf(string type) => type switch
    {
        "integer" => Columns.Integer(),
        "boolean" => Columns.Integer(bytes: 1, isBoolean: true),
        "decimal" => Columns.Decimal(10, 2),
        "double" => Columns.Double(),
        "float" => Columns.Float(),
        "varchar" => Columns.Varchar(),
        "latin1" => Columns.Varchar(charset: "latin1"),
        "text" => Columns.Text(),
        "date" => Columns.Date(),
        "datetime" => Columns.DateTime(6),
        "timestamp" => Columns.Timestamp(6),
        "time" => Columns.Time(6),
        "year" => Columns.Year(),
        "bit" => Columns.Bit(),
        "fixed" => Columns.Float() with { Precision = 7, Scale = 2 },
        "gbk" => Columns.Varchar(charset: "gbk"),
        "blob" => Columns.Blob(),
        "json" => Columns.Of("j", ColumnKind.Json, "json"),
        "uuid" => Columns.Of("u", ColumnKind.Uuid, "uuid"),
        "inet6" => Columns.Of("a", ColumnKind.Inet6, "inet6"),
        "geometry" => Columns.Geometry(),
        "enum" => Columns.Enum("a", "b"),
        _ => Columns.Set("a", "b", "c"),
    };
}
