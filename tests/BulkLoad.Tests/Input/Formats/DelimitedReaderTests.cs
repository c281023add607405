using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

public sealed class DelimitedReaderTests
{
    private static readonly SourceOptions Csv = new() { Format = InputFormat.Csv };
    private static readonly SourceOptions Bare = Csv with { HasHeader = false };

    [Theory]
    [InlineData("a,b\n1,2\n3,4\n", "1|2", "3|4")]
    [InlineData("a,b\n1,2\n3,4", "1|2", "3|4")]
    [InlineData("a,b\r\n1,2\r\n3,4\r\n", "1|2", "3|4")]
    [InlineData("a,b\r1,2\r3,4\r", "1|2", "3|4")]
    [InlineData("a,b\n\n1,2\r\n\r\n\n3,4\n\n", "1|2", "3|4")]
    [InlineData("a,b\n,\n\"\",\" \"\n", "|", "\"\"|\" \"")]
    [InlineData("a,b\n\"x\r\ny\",\"q\"\"q\"\n\"a,b\", z \n", "\"x\r\ny\"|\"q\"q\"", "\"a,b\"| z ")]
    [InlineData("a\n1\n\n\"\"\n", "1", "", "\"\"")]
    [InlineData("\uFEFFa,b\n1,2\n", "1|2")]
    [InlineData("a,b\n")]
    [InlineData("")]
    public void Records_are_read_as_RFC_4180_writes_them(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Csv));

    [Fact]
    public void Header_is_read_as_it_stands()
    {
        using var reader = Inputs.Reader(Inputs.Utf8("\uFEFF\n id,,\"a \"\"b\"\"\",id\n1,2,3,4\n"), Csv);
        Assert.Equal([" id", "", "a \"b\"", "id"], reader.FieldNames);
    }

    [Fact]
    public void Places_count_mark_header_skipped_lines_comments_and_breaks_within_quotes()
    {
        var options = Csv with { SkipLines = 2, Comment = '#' };
        var records = Inputs.Records("\uFEFFtitle\r\n\"open\n#c\na,b\n1,\"x\n\ny\"\n\n#d\n3,4\n", options);
        Assert.Equal(
            [
                new ReadRecord(1, 5, 23, "1,\"x\n\ny\"", "1|\"x\n\ny\"", null),
                new ReadRecord(2, 10, 36, "3,4", "3|4", null),
            ],
            records);
    }

    [Theory]
    [InlineData("a,b\n1\n3,4\n", "few-fields", "1")]
    [InlineData("a,b\n1,2,\n3,4\n", "many-fields", "1,2,")]
    [InlineData("a,b\n1,x\"y\n3,4\n", "stray-quote", "1,x\"y")]
    [InlineData("a,b\n1,\"x\"y\n3,4\n", "text-after-quote", "1,\"x\"y")]
    public void Broken_record_is_delivered_with_its_fault_and_reading_goes_on(string text, string fault, string raw)
    {
        var records = Inputs.Records(text, Csv);
        Assert.Equal((fault, raw, 2L, 4L), (records[0].Fault, records[0].Raw, records[0].Line, records[0].Offset));
        Assert.Equal((null, "3|4", 3L), (records[1].Fault, records[1].Fields, records[1].Line));
    }

    [Fact]
    public void Without_a_header_the_first_record_sets_the_count_of_fields() =>
        Assert.Equal([null, null, "few-fields"], Inputs.Records("1,2\n3,4\n5\n", Bare).Select(r => r.Fault));

    [Fact]
    public void Delimiter_and_quote_can_be_others()
    {
        Assert.Equal(["1|'2'"], Inputs.Fields("a;b\n1;'2'\n", Csv with { Delimiter = ';', Quote = '\0' }));
        Assert.Equal(["1|\"2;\""], Inputs.Fields("a;b\n1;'2;'\n", Csv with { Delimiter = ';', Quote = '\'' }));
        Assert.Equal(["\"1\t\"|2,"], Inputs.Fields("a\tb\n\"1\t\"\t2,\n", Csv with { Format = InputFormat.Tsv }));
    }

    [Fact]
    public void Header_that_is_not_UTF_8_names_the_way_out()
    {
        var error = Assert.Throws<InputException>(() => Inputs.Reader([(byte)'a', 0xE4, (byte)'\n'], Csv));
        Assert.Contains("--encoding", error.Message, StringComparison.Ordinal);
    }
}
