using System.Buffers;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Common;

/// <summary>Which fields an expression of <c>--set</c> reads, and what stands for them in a statement.</summary>
public sealed class SetFieldsTests
{
    [Theory]
    [InlineData("@g", "g")]
    [InlineData("str_to_date(@g,'%d.%m.%Y')", "g")]
    [InlineData("@a+@B+@a", "a B a")]
    [InlineData("concat(@first.name,@x$_1,@日)", "first.name x$_1 日")]
    [InlineData("@`my``name`+@'it''s'+@\"q\"", "my`name it's q")]
    [InlineData("'@a' + \"@b\" + `@c` + '\\'@d'", "")]
    [InlineData("@@time_zone", "")]
    [InlineData("concat(@@session.time_zone, @a)", "a")]
    [InlineData("1 # @a", "")]
    [InlineData("1 -- @a\n+@b", "b")]
    [InlineData("1 /* @a */ + @b", "b")]
    [InlineData("1--@a", "a")]
    [InlineData("1.5e3@a", "a")]
    public void A_name_behind_an_at_sign_is_a_field(string text, string names) => Assert.Equal(names, string.Join(' ', SetFields.In(text)));

    [Theory]
    [InlineData("@n:=1", "n")]
    [InlineData("@a + (@`n` := @n + 1)", "n")]
    [InlineData("'@n:=1'", null)]
    [InlineData("@n = 1", null)]
    public void A_variable_that_gets_a_value_is_found(string text, string? name) => Assert.Equal(name, SetFields.FindAssigned(text));

    [Theory]
    [InlineData("a + b.c + `d``e`", "a b c d`e")]
    [InlineData("concat(a, 'b', \"c\", upper (d))", "a d")]
    [InlineData("f(1) + `g`(2) + now()", "")]
    [InlineData("@a + @@b + 0x1F + 1e5", "")]
    [InlineData("case when a then 1 end", "case when a then end")]
    [InlineData("naïve", "naïve")]
    public void Names_are_told_from_calls_texts_numbers_and_variables(string text, string names) =>
        Assert.Equal(names, string.Join(' ', SqlTokens.NamesIn(text)));

    [Fact]
    public void Each_field_is_cast_to_text_wherever_it_comes_from()
    {
        var set = SetText.Of([new ColumnAssignment("b", "@g + '@g'"), new ColumnAssignment("c", "concat(@H, @G)")], Row,
            assignment => $"{assignment.Column}=(", ")", ",");
        Assert.Equal("b=(CAST(? AS CHAR) + '@g'),c=(concat(CAST(? AS CHAR), CAST(? AS CHAR)))", set.Prepared());
        Assert.Equal("b=(CAST(<2> AS CHAR) + '@g'),c=(concat(CAST(<1> AS CHAR), CAST(<2> AS CHAR)))", set.With(place => $"<{place}>"));
        Assert.Equal([2, 1, 2], set.Places);
        Assert.Equal(2, set.MaxReads);
        var block = new RowBlock(3, 4);
        block.AddValue("1"u8);
        block.AddNull();
        block.AddValue("it's"u8);
        block.EndRow(1, 1, 0, []);
        var output = new ArrayBufferWriter<byte>();
        set.Write(output, block, 0);
        Assert.Equal(@"b=(CAST('it\'s' AS CHAR) + '@g'),c=(concat(CAST(NULL AS CHAR), CAST('it\'s' AS CHAR)))",
            Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Fact]
    public void A_load_reads_fields_into_variables_of_its_own()
    {
        ColumnAssignment[] assignments = [new("b", "@v1 + @g")];
        Assert.EndsWith(
            "(`a`,@v2,@v3) SET `b`=(CAST(@v3 AS CHAR) + CAST(@v2 AS CHAR))",
            LoadDataSql.Local("f", Columns.Table(), [Columns.Varchar("a"), Field("@g"), Field("@v1")], assignments),
            StringComparison.Ordinal);
    }

    private static IReadOnlyList<TableColumn> Row { get; } = [Columns.Integer("a"), Field("@h"), Field("@g")];

    private static TableColumn Field(string name) => Columns.Varchar(name) with { IsField = true };
}
