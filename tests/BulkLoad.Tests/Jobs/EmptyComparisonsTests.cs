using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Tests.Input;

namespace BulkLoad.Tests.Jobs;

public sealed class EmptyComparisonsTests
{
    [Theory]
    [InlineData("if(@n='',0,@n)", "COALESCE(NULLIF(@n,''),0)")]
    [InlineData("IF( @n = \"\" , CONCAT('a', 'b'), @N)", "COALESCE(NULLIF(@n,''),CONCAT('a', 'b'))")]
    [InlineData("if('' = @n, 0, @n)", "if('' = COALESCE(@n,''), 0, COALESCE(@n,''))")]
    [InlineData("if(@n='', 0, @n+1)", "if(COALESCE(@n,'')='', 0, COALESCE(@n,'')+1)")]
    [InlineData("CASE @n WHEN '' THEN 0 ELSE @n END", "CASE COALESCE(@n,'') WHEN '' THEN 0 ELSE COALESCE(@n,'') END")]
    [InlineData("CASE WHEN @n = '' THEN 0 ELSE 1 END", "CASE WHEN COALESCE(@n,'') = '' THEN 0 ELSE 1 END")]
    [InlineData("@n IN ('-', '')", "COALESCE(@n,'') IN ('-', '')")]
    [InlineData("@n LIKE ''", "COALESCE(@n,'') LIKE ''")]
    [InlineData("@n <=> ''", "COALESCE(@n,'') <=> ''")]
    public void Comparison_with_the_empty_string_names_another_expression(string expression, string better)
    {
        var fault = Assert.Throws<RequestException>(() => EmptyComparisons.RequireNone(Look(InputFormat.Csv), Request(expression)));
        Assert.EndsWith($" compares @n with '', and an empty field of in is NULL, which equals nothing: write {better}", fault.Message,
            StringComparison.Ordinal);
        Assert.Equal(["--set", "m=1", "--set", $"n={better}"], fault.WaysOn[0].Words);
        EmptyComparisons.RequireNone(Look(InputFormat.Csv), Request(better));
    }

    [Theory]
    [InlineData("NULLIF(@n, '')")]
    [InlineData("IF(@n IS NULL OR @n = '', 0, @n)")]
    [InlineData("IF(@n <> '', @n, 0)")]
    [InlineData("IF(@n = 'x', '', @n)")]
    [InlineData("CONCAT(@n, '')")]
    [InlineData("IF(@n = ' ', 0, @n)")]
    [InlineData("IF(b = '', 0, @n)")]
    public void Other_expressions_are_taken(string expression) =>
        EmptyComparisons.RequireNone(Look(InputFormat.Csv), Request(expression));

    [Fact]
    public void Where_an_empty_field_is_the_empty_string_nothing_is_said()
    {
        EmptyComparisons.RequireNone(Look(InputFormat.Mysql), Request("if(@n='',0,@n)"));
        var request = Request("if(@n='',0,@n)");
        EmptyComparisons.RequireNone(Look(InputFormat.Csv), request with { Values = new ValueOptions { Empty = EmptyMeaning.EmptyText } });
    }

    private static LoadRequest Request(string expression) => new()
    {
        Files = ["in"],
        Connection = new(),
        Assignments = [new ColumnAssignment("m", "1"), new ColumnAssignment("n", expression)],
    };

    private static SourceInfo Look(InputFormat format)
    {
        using var input = Inputs.Open("id\tn\n1\t2\n"u8.ToArray());
        return SourceProbe.Look(input, new SourceOptions { Format = format });
    }
}
