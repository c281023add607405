using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>Values within values, which <c>--map</c> names.</summary>
public sealed class JsonPathTests
{
    [Theory]
    [InlineData("a.b", "a b")]
    [InlineData("tags[0]", "tags 0")]
    [InlineData("a[0][12].b.c", "a 0 12 b c")]
    [InlineData("a", null)]
    [InlineData("", null)]
    [InlineData(".a", null)]
    [InlineData("a.", null)]
    [InlineData("a..b", null)]
    [InlineData("[0]", null)]
    [InlineData("a[x]", null)]
    [InlineData("a[-1]", null)]
    [InlineData("a[0", null)]
    [InlineData("a[0]b", null)]
    [InlineData("a[99999999999]", null)]
    public void Path_is_keys_and_places(string text, string? steps) => Assert.Equal(
        steps, JsonPath.Find(text) is { } path ? string.Join(' ', path.Steps.Select(step => step.Name ?? $"{step.Place}")) : null);

    [Theory]
    [InlineData("{\"a\":{\"b\":1,\"c\":\"x\\n\"}}", "\"1\"|\"x\n\"|-|\"{\"b\":1,\"c\":\"x\\n\"}\"")]
    [InlineData("{\"a\":{\"b\":null}}", "\\N|-|-|\"{\"b\":null}\"")]
    [InlineData("{\"a\":null}", "-|-|-|\\N")]
    [InlineData("{\"a\":{\"z\":{\"b\":5}}}", "-|-|-|\"{\"z\":{\"b\":5}}\"")]
    [InlineData("{\"a\":[1,2]}", "-|-|-|\"[1,2]\"")]
    [InlineData("{\"t\":[{\"n\":\"no\"},{\"n\":\"yes\",\"m\":[1]},{\"n\":2}]}", "-|-|\"yes\"|-")]
    [InlineData("{\"t\":[{\"n\":\"no\"}]}", "-|-|-|-")]
    [InlineData("{\"t\":[[\"n\"],{}]}", "-|-|-|-")]
    [InlineData("{\"t\":{\"1\":{\"n\":1}}}", "-|-|-|-")]
    [InlineData("{\"a.b\":\"exact\",\"a\":{\"b\":1}}", "\"exact\"|-|-|\"{\"b\":1}\"")]
    [InlineData("{\"a\":{\"b\":1},\"a.b\":\"exact\"}", "\"exact\"|-|-|\"{\"b\":1}\"")]
    [InlineData("{\"\\u0061\":{\"\\u0062\":\"\\u0063\"}}", "\"c\"|-|-|\"{\"\\u0062\":\"\\u0063\"}\"")]
    public void Value_is_found_where_the_path_leads(string line, string expected)
    {
        using var reader = Lines($"{{}}\n{line}\n", ["a.b", "a.c", "t[1].n", "a"]);
        reader.Read();
        Assert.Equal("-|-|-|-", ReadRecord.Of(reader).Fields);
        reader.Read();
        Assert.Null(reader.Fault);
        Assert.Equal(expected, ReadRecord.Of(reader).Fields);
    }

    [Theory]
    [InlineData("{\"a\":{\"b\":1,\"b\":2}}", "the key 'a.b' appears twice")]
    [InlineData("{\"a\":{\"b\":1},\"a\":{\"c\":2}}", "the key 'a' appears twice")]
    [InlineData("{\"a.b\":1,\"a.b\":2}", "the key 'a.b' appears twice")]
    public void Key_that_is_there_twice_on_the_way_is_a_fault(string line, string message)
    {
        using var reader = Lines($"{line}\n{{\"a\":{{\"b\":7}}}}\n", ["a.b", "a.c", "a"]);
        reader.Read();
        Assert.Equal(("duplicate-name", message), (reader.Fault!.Code, reader.Fault.Message));
        reader.Read();
        Assert.Equal((null, "\"7\"|-|\"{\"b\":7}\""), (reader.Fault, ReadRecord.Of(reader).Fields));
    }

    [Fact]
    public void Path_that_never_came_is_known()
    {
        using var reader = Lines("{\"a\":{\"b\":1}}\n{\"a\":{\"c\":{}}}", ["a.b", "a.c", "a.d", "a"]);
        while (reader.Read())
        {
            Assert.Null(reader.Fault);
        }

        Assert.Equal([true, true, false, true], Enumerable.Range(0, 4).Select(reader.HasCome));
    }

    [Fact]
    public void Keys_that_are_learned_have_paths_among_them_once_those_come()
    {
        var dialect = Dialect.Of(new SourceOptions(), InputFormat.Jsonl);
        const string Text = "{\"x\":1}\n{\"a\":{\"b\":1},\"a\":2}\n{\"a\":{\"b\":3},\"y\":4}\n{\"a.b\":5}\n";
        using var reader = new JsonLinesReader(
            new MemoryStream(Inputs.Utf8(Text)), new ReaderStart("in"), dialect, new JsonFieldNames(null, [JsonPath.Find("a.b")!]));
        reader.Read();
        Assert.Equal(["x"], reader.FieldNames);
        reader.Read();
        Assert.Equal("duplicate-name", reader.Fault?.Code);
        Assert.Equal(["x"], reader.FieldNames);
        reader.Read();
        Assert.Equal(["x", "a", "a.b", "y"], reader.FieldNames);
        Assert.Equal("-|\"{\"b\":3}\"|\"3\"|\"4\"", ReadRecord.Of(reader).Fields);
        reader.Read();
        Assert.Equal("-|-|\"5\"|-", ReadRecord.Of(reader).Fields);
    }

    [Fact]
    public void Records_cost_no_memory_each()
    {
        const string Two = "{\"a\":{\"b\":\"x\\ny\",\"z\":[1]},\"t\":[1,{\"n\":2}]}\n{\"a\":{\"c\":true}}\n";
        using var reader = Lines(string.Concat(Enumerable.Repeat(Two, 10_000)), ["a.b", "a.c", "t[1].n", "a", "t"]);
        for (var i = 0; i < 1_000; i++)
        {
            reader.Read();
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        while (reader.Read())
        {
            Assert.True(reader.Fault is null);
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 50_000);
    }

    private static JsonLinesReader Lines(string text, string[] keys) => new(
        new MemoryStream(Inputs.Utf8(text)), new ReaderStart("in"), Dialect.Of(new SourceOptions(), InputFormat.Jsonl),
        new JsonFieldNames(keys, [.. keys.Select(JsonPath.Find).OfType<JsonPath>()]));
}
