using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>The list within an object, which <c>--json-path</c> names.</summary>
public sealed class JsonListTests
{
    private static SourceOptions At(string path) => new() { Format = InputFormat.Json, JsonPath = path };

    [Theory]
    [InlineData("{\"people\":[{\"id\":1},{\"id\":2}]}", "people")]
    [InlineData("{\"a\":[{\"id\":9},[1,\"]\"]],\"b\":{\"people\":[]},\"people\":[{\"id\":1},{\"id\":2}],\"n\":{\"x\":[1]}}\n", "people")]
    [InlineData(" { \"data\" : { \"n\" : 1.5 , \"items\" : [ {\"id\":1} ,\n {\"id\":2} ] , \"z\":null } , \"ok\" : true } ", "data.items")]
    [InlineData("{\"people\":[{\"id\":1}],\"next\":2}\n{\"people\":[],\"next\":3}\n{\"people\":[{\"id\":2}]}", "people")]
    [InlineData("{\"\\u0070eople\":[{\"id\":1},{\"id\":2}]}", "people")]
    public void Its_objects_are_the_records(string text, string path) =>
        Assert.Equal(["1", "2"], Inputs.Fields(text, At(path)).Select(field => field.Trim('"')));

    [Theory]
    [InlineData("{\"people\":[{\"id\":1}]}", "persons", "the object has no key 'persons'")]
    [InlineData("{\"people\":{\"id\":1}}", "people", "it is no list")]
    [InlineData("[{\"id\":1}]", "people", "'[' is where an object with the key 'people' should be")]
    [InlineData("{\"people\":[{\"id\":1}]", "people", "the input ends within an object")]
    [InlineData("{\"people\":[{\"id\":1}", "people", "']' is missing")]
    [InlineData("{\"people\":[{\"id\":1}]} x", "people", "follows the array's end")]
    [InlineData("{\"people\":[{\"id\":1}] \"a\":1}", "people", "is where ',' should be")]
    public void What_is_no_such_list_is_refused_with_its_place(string text, string path, string expected) =>
        Assert.Contains(expected, Assert.Throws<InputException>(() => Inputs.Records(text, At(path))).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("{\"id\":1,\"x\":NaN}", "NaN is no JSON value, which would be null")]
    [InlineData("{\"x\":-Infinity}", "-Infinity is no JSON value")]
    [InlineData("{'id':1}", "apostrophes")]
    [InlineData("{\"id\":1,}", "nothing follows the last comma before '}'")]
    [InlineData("{\"id\":1 \"x\":2}", "a comma is missing")]
    [InlineData("{id:1}", "begins a key without quotes")]
    [InlineData("{\"id\":True}", "True is no JSON value, which would be true")]
    public void Bad_json_is_explained_in_plain_words(string text, string expected)
    {
        using var reader = Inputs.Reader(Inputs.Utf8(text), new SourceOptions { Format = InputFormat.Jsonl });
        Assert.True(reader.Read());
        Assert.Contains(expected, reader.Fault!.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("reader options", reader.Fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_list_of_values_says_what_makes_an_object_of_it()
    {
        using var reader = Inputs.Reader(Inputs.Utf8("[1,\"a\"]\n"), new SourceOptions { Format = InputFormat.Jsonl });
        Assert.True(reader.Read());
        Assert.Contains("jq -c", reader.Fault!.Message, StringComparison.Ordinal);
    }
}
