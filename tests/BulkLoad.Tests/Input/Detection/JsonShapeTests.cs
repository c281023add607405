using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input.Detection;

public sealed class JsonShapeTests
{
    private static JsonShape? Shape(string text, SourceOptions? options = null)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        return SourceProbe.Look(input, options ?? new SourceOptions()).JsonShape;
    }

    [Theory]
    [InlineData("{\"people\": [{\"id\": 1}, {\"id\": 2}]}\n", "people")]
    [InlineData("{\"page\":1,\"total\":3,\"results\":[{\"id\":1,\"tags\":[{\"x\":1}]},{\"id\":2}]}", "results")]
    [InlineData("{\"data\":{\"items\":[{\"id\":1}]},\"ok\":true}", "data.items")]
    [InlineData("{\n \"meta\": {\"n\": 1},\n \"rows\": [\n  {\"a\": 1}\n ]\n}\n", "rows")]
    public void An_envelope_names_its_list(string text, string path) =>
        Assert.Equal(["--json-path", path], Shape(text)!.WaysOn[0].Words);

    [Theory]
    [InlineData("{\"a\":{\"0\":1,\"1\":2},\"b\":{\"0\":\"x\",\"1\":\"y\"}}")]
    [InlineData("{\"a\":[1,2],\"b\":[\"x\",\"y\"]}")]
    [InlineData("{\"columns\":[\"a\"],\"index\":[0],\"data\":[[1]]}")]
    public void A_table_by_columns_is_no_record(string text) => Assert.True(Shape(text)!.IsByColumns);

    [Theory]
    [InlineData("{\"id\":1,\"name\":\"Ann\"}\n")]
    [InlineData("{\"id\":1,\"tags\":[1,2]}\n")]
    [InlineData("{\"a\":[{\"x\":1}]}\n{\"a\":[{\"x\":2}]}\n")]
    [InlineData("[{\"a\":[{\"x\":1}]}]")]
    [InlineData("{\"address\":{\"city\":\"Rome\",\"zip\":\"1\"}}\n")]
    [InlineData("{}")]
    [InlineData("{\"\\ud800\":[{\"a\":1}]}\n{\"a\":1}\n")]
    public void Records_are_records(string text) => Assert.Null(Shape(text));

    [Fact]
    public void What_the_user_says_is_not_asked_about() =>
        Assert.Null(Shape("{\"people\": [{\"id\": 1}]}", new SourceOptions { Format = InputFormat.Json }));
}
