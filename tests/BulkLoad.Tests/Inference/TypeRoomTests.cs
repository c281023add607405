using BulkLoad.Core.Inference;
using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Inference;

public sealed class TypeRoomTests
{
    public static TheoryData<string, string, long> Types => new()
    {
        { "tinyint", "int", 2 },
        { "mediumint", "int", 7 },
        { "int", "int", 10 },
        { "bigint", "bigint", 19 },
        { "tinyint(1)", "tinyint(1)", 4 },
        { "decimal(6,2)", "decimal(10,4)", 7 },
        { "decimal(20,0)", "decimal(22,0)", 20 },
        { "decimal(65,2)", "decimal(65,4)", 66 },
        { "decimal(40,30)", "decimal(42,30)", 41 },
        { "datetime", "datetime", 19 },
        { "datetime(3)", "datetime(6)", 23 },
        { "time(1)", "time(6)", 10 },
        { "date", "date", 10 },
        { "varchar(5)", "varchar(16)", 5 },
        { "varchar(16)", "varchar(16)", 11 },
        { "varchar(16)", "varchar(32)", 16 },
        { "varchar(255)", "varchar(500)", 255 },
        { "varchar(16000)", "varchar(16000)", 16_000 },
        { "varchar(255)", "varchar(255)", 0 },
        { "text", "text", 17_000 },
    };

    [Theory]
    [MemberData(nameof(Types))]
    public void A_type_gets_room(string narrow, string wide, long characters)
    {
        var column = TypeRoom.Widen(new InferredColumn(Of(narrow), "why", characters));
        Assert.Equal(wide, column.Column.TypeText);
        Assert.Equal(narrow == wide ? null : narrow, column.Narrowest);
    }

    [Theory]
    [InlineData(true, "1", "2", "10")]
    [InlineData(true, "10", "2", "1")]
    [InlineData(false, "1", "2", "1")]
    [InlineData(false, "1", "1")]
    [InlineData(false, "1")]
    [InlineData(true, "-5", "18446744073709551615")]
    public void A_column_of_different_numbers_could_be_a_key(bool isUnique, params string[] values)
    {
        var evidence = new KeyEvidence();
        foreach (var value in values)
        {
            evidence.Add(Encoding.ASCII.GetBytes(value));
        }

        Assert.Equal((isUnique, values.LongLength), (evidence.IsUnique, evidence.Values));
    }

    [Fact]
    public void Of_very_many_numbers_only_those_that_rise_are_known()
    {
        var (rising, mixed) = (new KeyEvidence(), new KeyEvidence());
        for (var i = 0; i < 300_000; i++)
        {
            rising.Add(Encoding.ASCII.GetBytes($"{i}"));
            mixed.Add(Encoding.ASCII.GetBytes($"{i ^ 1}"));
        }

        Assert.True(rising.IsUnique);
        Assert.False(mixed.IsUnique);
    }

    private static TableColumn Of(string type) => type switch
    {
        "tinyint(1)" => ColumnTypes.Boolean,
        "tinyint" => ColumnTypes.Integer(0, 5),
        "mediumint" => ColumnTypes.Integer(0, 1_000_000),
        "int" => ColumnTypes.Integer(0, int.MaxValue),
        "bigint" => ColumnTypes.Integer(0, long.MaxValue),
        "date" => ColumnTypes.Date,
        "text" => ColumnTypes.LongText(17_000),
        _ when type.StartsWith("decimal", StringComparison.Ordinal) => ColumnTypes.Decimal(Number(type, 0), Number(type, 1)),
        _ when type.StartsWith("datetime", StringComparison.Ordinal) => ColumnTypes.DateTime(Number(type, 0)),
        _ when type.StartsWith("time", StringComparison.Ordinal) => ColumnTypes.Time(Number(type, 0)),
        _ => ColumnTypes.Varchar(Number(type, 0)),
    };

    private static int Number(string type, int index) => type.Split('(', ',', ')').Skip(1).ElementAtOrDefault(index) is { Length: > 0 } text
        ? int.Parse(text, CultureInfo.InvariantCulture)
        : 0;
}
