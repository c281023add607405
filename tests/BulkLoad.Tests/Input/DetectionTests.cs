using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input;

/// <summary>What is found out about a file of which nothing was said.</summary>
public sealed class DetectionTests
{
    [Theory]
    [InlineData("id;name\n1;a, b\n2;c\n", "id|name", "delimiter ';' (2 of the first 2 records have 2 fields with it, confidence 0.75)")]
    [InlineData("id\tname\n1\ta\n", "id|name", "delimiter tab (the first record has 2 fields with it, confidence 0.67)")]
    [InlineData("id|name|x\n1|a;b|\"c\n,d\"\n", "id|name|x", "delimiter '|' (the first record has 3 fields with it, confidence 0.67)")]
    [InlineData("id;a, b\n1;c\n2;d\n", "id|a, b", "delimiter ';' (2 of the first 2 records have 2 fields with it, confidence 0.75)")]
    [InlineData("id;name\n", "id|name", "delimiter ';' (by the header, confidence 0.50)")]
    [InlineData("\"id\";\"name\"\n\"1\";\"\"\n", "id|name", "delimiter ';' (the first record has 2 fields with it, confidence 0.67)")]
    public void Delimiter_is_found_where_commas_make_no_records(string text, string names, string guess)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal(names, string.Join('|', look.FieldNames!));
        Assert.Contains(guess, look.Guesses);
        using var reader = look.CreateReader(input, new SourceOptions());
        while (reader.Read())
        {
            Assert.Null(reader.Fault);
            Assert.Equal(look.FieldCount, reader.FieldCount);
        }
    }

    [Theory]
    [InlineData("id,name\n1,a;b\n2,c;d\n", ',', false)]
    [InlineData("id,a;b\n1,c\n2\n3,c;d\n", ',', false)]
    [InlineData("name\nx;y\n", ',', false)]
    [InlineData("name\n", ',', false)]
    [InlineData("a;b\n1\n2\n3;4;5\n", ',', false)]
    [InlineData("id;name\n1;a\n", ',', true)]
    public void Commas_stay_where_they_fit_or_nothing_else_does_or_someone_said_so(string text, char delimiter, bool isNamed)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        var look = SourceProbe.Look(input, new SourceOptions { Format = isNamed ? InputFormat.Csv : InputFormat.Auto });
        Assert.Equal(delimiter, look.Delimiter);
        Assert.DoesNotContain(look.Guesses, guess => guess.StartsWith("delimiter", StringComparison.Ordinal));
    }

    [Fact]
    public void Two_delimiters_that_fit_alike_are_an_error_that_names_them()
    {
        using var input = Inputs.Open(Inputs.Utf8("a;b|c\n1;2|3\n"));
        var error = Assert.Throws<InputException>(() => SourceProbe.Look(input, new SourceOptions()));
        Assert.Equal("in: its delimiter is ambiguous: ';' makes 2 fields, '|' makes 2 fields", error.Message);
    }

    [Theory]
    [InlineData("utf-16", "id,name\n1,Zoë 日本\n", true)]
    [InlineData("utf-16BE", "id,name\n1,Zoë 日本\n", true)]
    [InlineData("utf-8", "id,name\n1,a\0b\n", false)]
    [InlineData("utf-8", "a\0b\0c\0d\0e\0\0,\n", false)]
    [InlineData("utf-8", "", false)]
    public void Utf_16_is_known_without_a_mark(string name, string text, bool isGuessed)
    {
        var bytes = name == "utf-8" ? Inputs.Utf8(text) : Encoding.GetEncoding(name).GetBytes(text);
        using var input = Inputs.Open(bytes);
        Assert.Equal(name, input.EncodingName);
        Assert.Equal(isGuessed ? [$"encoding {name} (by NUL bytes, without a byte order mark, confidence 1.00)"] : [],
            input.Detections.Select(found => found.ToString()));
        Assert.Empty(input.Guesses);
        Assert.Equal(Inputs.Utf8(text), Inputs.ReadContent(input));
    }
}
