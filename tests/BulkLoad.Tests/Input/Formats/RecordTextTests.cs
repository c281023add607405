using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

public sealed class RecordTextTests
{
    [Theory]
    [InlineData("""{"a":1,"b":"x","c":"say \"no\""}""", "\"1\",\"x\",\"say \"\"no\"\"\",")]
    [InlineData("""{"d":"","b":null,"a":"2,5"}""", "\"2,5\",,,\"\"")]
    public void Fields_are_written_as_csv_and_a_null_is_empty(string record, string expected)
    {
        var options = new SourceOptions { Format = InputFormat.Jsonl };
        using var reader = Inputs.Reader(Inputs.Utf8(record), options, fieldNames: ["a", "b", "c", "d"]);
        Assert.True(reader.Read());
        Assert.Equal(expected, Encoding.UTF8.GetString(new RecordText().Of(reader)));
    }

    [Fact]
    public void A_header_has_its_names() => Assert.Equal("id,\"a,b\"\n", Encoding.UTF8.GetString(RecordText.Header(["id", "a,b"])));
}
