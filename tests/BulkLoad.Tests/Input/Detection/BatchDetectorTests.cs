using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input.Detection;

public sealed class BatchDetectorTests
{
    [Theory]
    [InlineData("id\tname\n1\ta\\tb\n", 2, "\\t")]
    [InlineData("id\tname\n1\tx\n2\tline\\nbreak\n", 3, "\\n")]
    [InlineData("1\tC:\\\\new\n2\tNULL\n", 1, "\\\\")]
    [InlineData("1\ta\\0\n", 1, "\\0")]
    [InlineData("id\tdoc\n1\t{\"a\": \"x\\\\ny\"}\n", 2, "\\\\")]
    public void What_mysql_writes_in_batch_mode_is_asked_about(string text, int line, string sign)
    {
        var fault = Assert.Throws<InputException>(() => Look(text, new SourceOptions()));
        Assert.StartsWith($"in:{line}: has {sign} between tabs, as mysql -B writes ", fault.Message, StringComparison.Ordinal);
        Assert.Equal(
            ["--format mysql --header --null-value NULL", "--format mysql --null-value NULL", "--format tsv"],
            fault.WaysOn.Select(way => string.Join(' ', way.Words)));
        foreach (var options in new[] { new SourceOptions { Format = InputFormat.Mysql }, new SourceOptions { Format = InputFormat.Tsv } })
        {
            Assert.NotNull(Look(text, options));
        }
    }

    [Fact]
    public void It_is_known_before_bytes_of_blobs_are_taken_for_another_encoding()
    {
        using var input = Inputs.Open([.. "1\ta\\0"u8, 0xFF, 0xFE, (byte)'\n']);
        var fault = Assert.Throws<InputException>(() => SourceProbe.Look(input, new SourceOptions()));
        Assert.Contains("has \\0 between tabs", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("id\tname\n1\tC:\\data\n2\tC:\\new\n")]
    [InlineData("id\tname\n1\t\"a\\tb\"\n")]
    [InlineData("id\tname\n1\ta\\tb\n2\n")]
    [InlineData("id\tdoc\n1\t{\"a\": \"x\\ny\"}\n")]
    [InlineData("id,name\n1,a\\tb\n")]
    [InlineData("id\tname\n1\tab\\\n")]
    [InlineData("id\tname\n1\tab\n")]
    public void Other_text_is_not(string text) => Assert.NotNull(Look(text, new SourceOptions()));

    private static SourceInfo Look(string text, SourceOptions options)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        return SourceProbe.Look(input, options);
    }
}
