using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

public sealed class JsonArrayReaderTests
{
    private static readonly SourceOptions Json = new() { Format = InputFormat.Json };
    private static readonly string[] Keys = ["a", "b"];

    [Theory]
    [InlineData("[]")]
    [InlineData(" \r\n[\n]\n ")]
    [InlineData("")]
    [InlineData("[{\"a\":\"x\",\"b\":null},{\"b\":1}]", "\"x\"|\\N", "-|\"1\"")]
    [InlineData(
        "[\n  {\n    \"a\": [1, {\"x\": \"}]\"}],\n    \"b\": \"\\\"}\"\n  }\n,\n{}\n]\n",
        "\"[1, {\"x\": \"}]\"}]\"|\"\"}\"", "-|-")]
    [InlineData("\uFEFF[{\"a\":\"ä\\\\\"}]", "\"ä\\\"|-")]
    [InlineData("{\"a\":1}\n{\n\"a\":2}{\"a\":3}", "\"1\"|-", "\"2\"|-", "\"3\"|-")]
    public void Objects_are_read_however_they_are_spread(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Json, Keys));

    [Fact]
    public void Records_have_their_own_text_line_and_offset()
    {
        var records = Inputs.Records("[\n {\"a\":\n1},\n\n{\"a\":2}, {\"a\":3}\n]", Json, Keys);
        Assert.Equal(
            [
                new ReadRecord(1, 2, 3, "{\"a\":\n1}", "\"1\"|-", null),
                new ReadRecord(2, 5, 14, "{\"a\":2}", "\"2\"|-", null),
                new ReadRecord(3, 5, 23, "{\"a\":3}", "\"3\"|-", null),
            ],
            records);
    }

    [Theory]
    [InlineData("{\"a\":1,\"a\":2}", "duplicate-name", "'a'")]
    [InlineData("{\"c\":2}", "unknown-key", "'c' is not among")]
    [InlineData("{\"a\":1,}", "invalid-json", "at byte 8 of the object")]
    [InlineData("{\n\"a\":1,\n}", "invalid-json", "at byte 1 of line 4:")]
    [InlineData("{\"a\":tru}", "invalid-json", "of the object")]
    [InlineData("[1]", "not-an-object", "each element of the array must be one")]
    [InlineData("null", "not-an-object", "")]
    [InlineData("-1.5e3", "not-an-object", "")]
    [InlineData("\"{\\\"\"", "not-an-object", "")]
    [InlineData("x", "invalid-json", "")]
    [InlineData("{\"a\":\"\\ud800\"}", "lone-surrogate", "")]
    public void Broken_object_is_delivered_with_its_fault_and_reading_continues(string element, string fault, string message)
    {
        var records = Inputs.Records($"[{{}},\n{element} ,{{\"a\":1}}]", Json, Keys);
        Assert.Equal((2L, 5L, element, fault), (records[1].Line, records[1].Offset, records[1].Raw, records[1].Fault));
        Assert.Equal((null, "\"1\"|-", 3), (records[2].Fault, records[2].Fields, records.Count));

        using var reader = Inputs.Reader(Inputs.Utf8($"[{{}},\n{element}]"), Json, fieldNames: Keys);
        reader.Read();
        reader.Read();
        Assert.Contains(message, reader.Fault!.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[", 0, "in:1: the array that begins in line 1 does not end: ']' is missing after the array's beginning")]
    [InlineData("\n[{}\n\n", 1, "in:4: the array that begins in line 2 does not end: ']' is missing after record 1, of line 2")]
    [InlineData("[{},", 1, "in:1: the array that begins in line 1 does not end")]
    [InlineData("[{}\n{}]", 1, "in:2: '{' follows record 1, of line 1: a comma or ']' is missing")]
    [InlineData("[{}}]", 1, "in:1: '}' follows record 1")]
    [InlineData("[{},\n]", 1, "in:2: ']' is where an object should be, after record 1, of line 1")]
    [InlineData("[,{}]", 0, "in:1: ',' is where an object should be, after the array's beginning")]
    [InlineData("[{},,{}]", 1, "in:1: ',' is where an object should be")]
    [InlineData("[{}]\n{}", 1, "in:2: '{' follows the array's end: an input is one array")]
    [InlineData("[{}]\n\nx", 1, "in:3: 'x' follows the array's end")]
    [InlineData("[{},\n{\"a\":1", 1, "in:2: the object that begins here does not end: a quote or brace is not closed")]
    [InlineData("[{},\n{\"a\":\"}\n]", 1, "in:2: the object that begins here does not end")]
    [InlineData("[{},\"x", 1, "in:1: the object that begins here does not end")]
    public void Broken_array_is_an_error_with_its_line(string text, int good, string message)
    {
        foreach (var limit in new[] { 16 << 20, 5 })
        {
            foreach (var pieceSize in Inputs.PieceSizes)
            {
                using var reader = Inputs.Reader(Inputs.Utf8(text), Json with { MaxRecordBytes = limit }, pieceSize, Keys);
                for (var i = 0; i < good; i++)
                {
                    Assert.True(reader.Read());
                    Assert.Null(reader.Fault);
                }

                Assert.StartsWith(message, Assert.Throws<InputException>(() => reader.Read()).Message, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public void Object_over_the_limit_is_a_fault_that_keeps_its_beginning_and_reading_continues()
    {
        var options = Json with { MaxRecordBytes = 7 };
        var text = $"[{{\"a\":1}},\n{{\"a\":\"{new string('x', 300_000)}\\\"}}\n\"}},{{\"a\":12}}, {{\"a\":2}},12345678]";
        Assert.Equal(
            [
                new ReadRecord(1, 1, 1, "{\"a\":1}", "\"1\"|-", null),
                new ReadRecord(2, 2, 10, "{\"a\":\"x", "-|-", "record-too-large"),
                new ReadRecord(3, 3, 300_023, "{\"a\":12", "-|-", "record-too-large"),
                new ReadRecord(4, 3, 300_033, "{\"a\":2}", "\"2\"|-", null),
                new ReadRecord(5, 3, 300_041, "1234567", "-|-", "record-too-large"),
            ],
            Inputs.Records(text, options, Keys));
    }

    [Fact]
    public void Comments_are_refused() =>
        Assert.Throws<RequestException>(() => Inputs.Reader(Inputs.Utf8("[]"), Json with { Comment = '#' }));
}
