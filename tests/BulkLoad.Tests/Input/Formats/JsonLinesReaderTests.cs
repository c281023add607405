using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

public sealed class JsonLinesReaderTests
{
    private static readonly SourceOptions Jsonl = new() { Format = InputFormat.Jsonl };
    private static readonly string[] Keys = ["a", "b"];

    [Theory]
    [InlineData("{\"a\":\"x\",\"b\":null}\n{\"b\":1}\n", "\"x\"|\\N", "-|\"1\"")]
    [InlineData("{\"a\":\"x\",\"b\":\"\"}\r\n\r\n  \t\n{}", "\"x\"|\"\"", "-|-")]
    [InlineData("{ \"b\" : true , \"a\" : false }", "\"false\"|\"true\"")]
    [InlineData("{\"a\":12345678901234567890123.4500,\"b\":-0.0e-400}", "\"12345678901234567890123.4500\"|\"-0.0e-400\"")]
    [InlineData("{\"a\": [1, {\"x\": \"}\"} ] ,\"b\":{ \"y\":[]}}", "\"[1, {\"x\": \"}\"} ]\"|\"{ \"y\":[]}\"")]
    [InlineData("{\"a\":\"\\u00e4\\n\\\"\\ud83d\\ude00\",\"\\u0062\":\"\\\\N\"}", "\"ä\n\"😀\"|\"\\N\"")]
    [InlineData("\uFEFF{\"a\":\"ä😀\"}", "\"ä😀\"|-")]
    [InlineData("")]
    public void Values_are_strings_unescaped_and_everything_else_as_it_stands(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Jsonl, Keys));

    [Theory]
    [InlineData("{\"a\":1,\"a\":2}", "duplicate-name", "'a'")]
    [InlineData("{\"a\":1,\"\\u0061\":2}", "duplicate-name", "'a'")]
    [InlineData("{\"a\":1,\"c\":2}", "unknown-key", "'c' is not among the expected ones: a, b (--ignore-unknown")]
    [InlineData("{\"a\":1,}", "invalid-json", "at byte 8 of the line")]
    [InlineData("{\"a\":1} x", "invalid-json", "at byte 9 of the line")]
    [InlineData("{\"a\":1}{\"a\":1}", "invalid-json", "at byte 8 of the line")]
    [InlineData("{\"a\":", "invalid-json", "not complete on its line")]
    [InlineData("{", "invalid-json", "--format json reads")]
    [InlineData("{\"a\":[1,", "invalid-json", "not complete on its line")]
    [InlineData("{\"a\":1}}", "invalid-json", "of the line")]
    [InlineData("x", "invalid-json", "at byte 1 of the line")]
    [InlineData("[1]", "not-an-object", "whose values have no names")]
    [InlineData("null", "not-an-object", "")]
    [InlineData("{\"a\":\"\\ud800\"}", "lone-surrogate", "")]
    [InlineData("{\"\\udc00\":1}", "lone-surrogate", "")]
    public void Broken_line_is_delivered_with_its_fault_and_reading_goes_on(string line, string fault, string message)
    {
        var records = Inputs.Records($"{{}}\n\n{line}\r\n{{\"a\":1}}\n", Jsonl, Keys);
        Assert.Equal(new ReadRecord(2, 3, 4, line, records[1].Fields, fault), records[1]);
        Assert.Equal((null, "\"1\"|-", 4L), (records[2].Fault, records[2].Fields, records[2].Line));

        using var reader = Inputs.Reader(Inputs.Utf8(line), Jsonl, fieldNames: Keys);
        reader.Read();
        Assert.Contains(message, reader.Fault!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Bytes_that_are_not_UTF_8_are_a_fault() =>
        Assert.Equal("invalid-utf-8", Inputs.Records([.. "{\"a\":\""u8, 0xFF, .. "\"}"u8], Jsonl, Keys)[0].Fault);

    [Fact]
    public void Line_over_the_limit_is_a_fault_that_keeps_its_beginning_and_reading_goes_on()
    {
        var options = Jsonl with { MaxRecordBytes = 7 };
        Assert.Null(Assert.Single(Inputs.Records("{\"a\":1}\r\n", options, Keys)).Fault);
        var text = $"{{}}\n{{\"a\":12}}\r\n{{\"a\":\"{new string('x', 300_000)}\"}}\n{{\"a\":1}}";
        Assert.Equal(
            [
                new ReadRecord(1, 1, 0, "{}", "-|-", null),
                new ReadRecord(2, 2, 3, "{\"a\":12", "-|-", "record-too-large"),
                new ReadRecord(3, 3, 13, "{\"a\":\"x", "-|-", "record-too-large"),
                new ReadRecord(4, 4, 300_022, "{\"a\":1}", "\"1\"|-", null),
            ],
            Inputs.Records(text, options, Keys));
    }

    [Fact]
    public void Unknown_keys_are_passed_over_where_that_is_asked_for() =>
        Assert.Equal(
            ["\"1\"|-", "-|\"2\""],
            Inputs.Fields("{\"x\":{\"a\":[2,\"}\"]},\"a\":1,\"y\":\"\\ud800\"}\n{\"b\":2,\"\\u0078\":null}\n",
                Jsonl with { IgnoreUnknown = true }, Keys));

    [Fact]
    public void Comments_and_skipped_lines_are_no_records() =>
        Assert.Equal(4, Inputs.Records("x\ny\r\n#z\n{}\n", Jsonl with { Comment = '#', SkipLines = 2 }, Keys)[0].Line);

    [Fact]
    public void Without_keys_all_that_come_are_learnt_but_for_those_of_broken_lines()
    {
        using var reader = Inputs.Reader(
            Inputs.Utf8("{\"b\":1}\n{\"c\":1,\n{\"a\":1,\"\\u0062\":2}\n"), Jsonl, fieldNames: null);
        while (reader.Read())
        {
            Assert.Equal(reader.RecordNumber == 2 ? "invalid-json" : null, reader.Fault?.Code);
        }

        Assert.Equal(["b", "a"], reader.FieldNames);
    }

    /// <summary>In any order, and some of them taken back with the line that brought them.</summary>
    [Fact]
    public void Keys_are_found_in_whatever_order_they_come()
    {
        var keys = new JsonKeys(["k0"]);
        for (var i = 1; i < 1000; i++)
        {
            Assert.Equal(-1, keys.IndexOf(Inputs.Utf8($"k{i}")));
            Assert.Equal(i, keys.Add($"k{i}"));
        }

        for (var i = 999; i >= 0; i--)
        {
            Assert.Equal(i, keys.IndexOf(Inputs.Utf8($"k{i}")));
        }

        keys.Forget(500);
        Assert.Equal((499, -1, 0), (keys.IndexOf(Inputs.Utf8("k499")), keys.IndexOf(Inputs.Utf8("k500")), keys.IndexOf(Inputs.Utf8("k0"))));
        Assert.Equal(500, keys.Add("k700"));
        Assert.Equal(500, keys.IndexOf(Inputs.Utf8("k700")));
    }

    [Fact]
    public void A_line_of_many_keys_leaves_nothing_behind_for_the_next()
    {
        var line = $"{{{string.Join(',', Enumerable.Range(0, 5000).Select(i => $"\"k{i}\":{i}"))}}}";
        using var reader = Inputs.Reader(Inputs.Utf8($"{line}\n{{\"k4999\":\"x\"}}\n"), Jsonl, fieldNames: null);
        Assert.True(reader.Read());
        Assert.Equal((5000, FieldKind.Quoted), (reader.FieldCount, reader.GetField(0, out _)));
        Assert.True(reader.Read());
        Assert.Equal(FieldKind.Missing, reader.GetField(0, out _));
        Assert.Equal(FieldKind.JsonString, reader.GetField(4999, out var last));
        Assert.Equal("x"u8, last);
    }
}
