using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

public sealed class ScanningReaderTests
{
    private static readonly SourceOptions Mysql = new() { Format = InputFormat.Mysql };
    private static readonly SourceOptions Escaped = new() { Format = InputFormat.Csv, Escape = '\\', HasHeader = false };

    [Theory]
    [InlineData("1\ta\n2\tb\n", "1|a", "2|b")]
    [InlineData("1\ta\n2\tb", "1|a", "2|b")]
    [InlineData("1\t\n\n2\t\r\n", "1|\"\"", "2|\r")]
    [InlineData("\\N\t\\\\N\n", "\\N|\"\\N\"")]
    [InlineData("a\\Nb\tN\n", "\"aNb\"|N")]
    [InlineData("a\\\tb\tc\\\nd\n", "\"a\tb\"|\"c\nd\"")]
    [InlineData("\\0\\b\\n\\r\\t\\Z\\\\\\x\t\n", "\"\0\b\n\r\t\u001a\\x\"|\"\"")]
    [InlineData("\"a\"\tb\"c\n", "\"a\"|b\"c")]
    [InlineData("NULL\n", "NULL")]
    [InlineData("")]
    public void Mysql_format_is_read_as_LOAD_DATA_reads_it(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Mysql));

    [Theory]
    [InlineData("\"1\",\"a,b\"\n", "\"1\"|\"a,b\"")]
    [InlineData("\"a\nb\",\"c\\\"d\"\n", "\"a\nb\"|\"c\"d\"")]
    [InlineData("\"The \"BIG\" boss\",\"The \"\"BIG\"\" boss\"\n", "\"The \"BIG\" boss\"|\"The \"BIG\" boss\"")]
    [InlineData("The \"BIG\" boss,\"\"\n", "The \"BIG\" boss|\"\"")]
    [InlineData("NULL,\"NULL\"\n", "\\N|\"NULL\"")]
    [InlineData("\\N,\"\\N\"\n", "\\N|\"N\"")]
    public void Enclosed_fields_are_read_as_LOAD_DATA_reads_them(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Mysql with { Quote = '"', Delimiter = ',' }));

    [Theory]
    [InlineData("a,\n\"a\",\"\"\n", "a|", "\"a\"|\"\"")]
    [InlineData("\\N,\\\\N\n", "\\N|\"\\N\"")]
    [InlineData("a\\,b,\"c\\\"d\"\"\"\r\nx,y\rz,\n", "\"a,b\"|\"c\"d\"\"", "x|y", "z|")]
    [InlineData("a\\\r\nb,c\\\r\n", "\"a\r\nb\"|\"c\r\n\"")]
    public void Csv_with_an_escape_keeps_bare_and_quoted_fields_apart(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Escaped));

    [Theory]
    [InlineData("\r\n", "a,b\nc\rd\r\n\"x\"\"\r\ny\",\r\n", "a|b\nc\rd", "\"x\"\r\ny\"|")]
    [InlineData("\n", "a,b\r\n\"c\",\n", "a|b\r", "\"c\"|")]
    [InlineData("|~|", "a,b|c|~|\"d\",|~e|~|", "a|b|c", "\"d\"||~e")]
    public void Line_end_can_be_any_text(string newline, string text, params string[] expected) =>
        Assert.Equal(
            expected,
            Inputs.Fields(text, new SourceOptions { Format = InputFormat.Csv, Newline = newline, HasHeader = false }));

    /// <summary>However the bytes come: a delimiter is only where all of its characters are.</summary>
    [Theory]
    [InlineData("||", "a||b|c\n\"d||e\"||\"f\"\"g\"\n|||\n||\n", "a|b|c", "\"d||e\"|\"f\"g\"", "||", "|")]
    [InlineData(", ", "a, b,c\n\"d, e\", \n1,2, 3\n", "a|b,c", "\"d, e\"|", "1,2|3")]
    [InlineData("<=>", "a<=>b<=\n<<=>=>", "a|b<=", "<|=>")]
    public void A_delimiter_can_have_several_characters(string delimiter, string text, params string[] expected)
    {
        var options =
            new SourceOptions { Format = InputFormat.Csv, Delimiter = delimiter[0], DelimiterTail = delimiter[1..], HasHeader = false };
        Assert.Equal(expected, Inputs.Fields(text, options));
        Assert.Equal(expected.Length, Inputs.Records(text, options).Count(record => record.Fault is null));
    }

    [Theory]
    [InlineData("a||b\n1|2|x\n", "few-fields")]
    [InlineData("a||b\n1||\"x||y\n", "unclosed-quote")]
    [InlineData("a||b\n1||\"x\"|\n", "text-after-quote")]
    public void Faults_are_those_of_any_delimiter(string text, string fault)
    {
        Assert.Equal([fault], Inputs.Records(text, new SourceOptions { Format = InputFormat.Csv, Delimiter = '|', DelimiterTail = "|" })
            .Select(record => record.Fault));
    }

    [Theory]
    [InlineData("|\"")]
    [InlineData("|\n")]
    [InlineData("|\r")]
    public void A_delimiter_cannot_hold_a_character_that_means_something_else(string delimiter) =>
        Assert.Throws<RequestException>(() => Inputs.Records(
            "a\n", new SourceOptions { Format = InputFormat.Csv, Delimiter = delimiter[0], DelimiterTail = delimiter[1..] }));

    [Fact]
    public void Places_count_comments_and_line_ends_within_fields()
    {
        var options = Escaped with { HasHeader = null, Comment = '#', SkipLines = 1 };
        var records = Inputs.Records("\uFEFFtitle\n#c\r\na,b\n1,\"x\r\ny\"\n\n#d\n3,4\\\n\n5,6", options);
        Assert.Equal(
            [
                new ReadRecord(1, 4, 17, "1,\"x\r\ny\"", "1|\"x\r\ny\"", null),
                new ReadRecord(2, 8, 30, "3,4\\\n", "3|\"4\n\"", null),
                new ReadRecord(3, 10, 36, "5,6", "5|6", null),
            ],
            records);
    }

    [Theory]
    [InlineData("a,b\n1\n3,4", "few-fields", "1")]
    [InlineData("a,b\n1,2,\n3,4\n", "many-fields", "1,2,")]
    [InlineData("a,b\n1,x\"y\n3,4\n", "stray-quote", "1,x\"y")]
    [InlineData("a,b\n1,\"x\"y\n3,4\n", "text-after-quote", "1,\"x\"y")]
    public void Broken_record_is_delivered_with_its_fault_and_reading_goes_on(string text, string fault, string raw)
    {
        var records = Inputs.Records(text, Escaped with { HasHeader = true });
        Assert.Equal((fault, raw, 2L, 4L), (records[0].Fault, records[0].Raw, records[0].Line, records[0].Offset));
        Assert.Equal((null, "3|4", 3L), (records[1].Fault, records[1].Fields, records[1].Line));
    }

    [Theory]
    [InlineData("a,b\n1,\"x\n", "unclosed-quote")]
    [InlineData("a,b\n1,\"x\\", "unclosed-quote")]
    [InlineData("a,b\n1,x\\", "unclosed-escape")]
    public void Input_that_ends_within_quotes_or_an_escape_is_a_fault(string text, string fault) =>
        Assert.Equal(fault, Inputs.Records(text, Escaped)[1].Fault);

    [Fact]
    public void With_one_column_an_empty_line_is_a_record() =>
        Assert.Equal(["1", "\"\"", "\\N"], Inputs.Fields("1\n\n\\N\n", Mysql));

    [Fact]
    public void Header_is_read_where_it_is_asked_for()
    {
        using var reader = Inputs.Reader(Inputs.Utf8("i\\td\tname\n1\t2\n"), Mysql with { HasHeader = true });
        Assert.Equal(["i\td", "name"], reader.FieldNames);
    }
}
