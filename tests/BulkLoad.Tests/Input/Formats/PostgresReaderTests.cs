using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>The text form of PostgreSQL's COPY.</summary>
public sealed class PostgresReaderTests
{
    private static readonly SourceOptions Postgres = new() { Format = InputFormat.Postgres };

    [Theory]
    [InlineData("1\t\\N\t\n", "1|\\N|\"\"")]
    [InlineData("\\b\\f\\n\\r\\t\\v\tx\n", "\"\b\f\n\r\t\v\"|x")]
    [InlineData("\\101\\60\\0601\t\\x41\\x4\\x4G\\xg\n", "\"A001\"|\"A\u0004\u0004Gxg\"")]
    [InlineData("\\\\x00ff\t\\\\\\\\\n", "\"\\x00ff\"|\"\\\\\"")]
    [InlineData("\\e\\.\\N\t\\Z\n", "\"e.N\"|\"Z\"")]
    [InlineData("\\xC3\\xa4\t\\303\\244\n", "\"ä\"|\"ä\"")]
    [InlineData("a \"b\" c\tNULL\n", "a \"b\" c|NULL")]
    [InlineData("a\\\nb\tc\\\r\nd\n", "\"a\nb\"|\"c\r\nd\"")]
    [InlineData("1\t2\r\n3\t4\r\n", "1|2", "3|4")]
    [InlineData("1\n\n2\n", "1", "\"\"", "2")]
    [InlineData("1\t2\n\\.\n", "1|2")]
    [InlineData("1\t2\r\n\\.\r\n \r\n\t\n", "1|2")]
    [InlineData("\\.")]
    [InlineData("")]
    public void Fields_are_what_copy_takes_them_for(string text, params string[] expected) =>
        Assert.Equal(expected, Inputs.Fields(text, Postgres));

    [Fact]
    public void Lines_and_offsets_count_escaped_line_ends()
    {
        var records = Inputs.Records("a\\\nb\nc\n", Postgres);
        Assert.Equal((1L, 0L, 3L, 5L), (records[0].Line, records[0].Offset, records[1].Line, records[1].Offset));
    }

    [Theory]
    [InlineData("1\n\\.\n2\n", 3)]
    [InlineData("1\n\\.\n\n\r\n  2", 5)]
    public void Text_behind_the_end_of_the_data_is_an_error(string text, int line)
    {
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            using var reader = Inputs.Reader(Inputs.Utf8(text), Postgres, pieceSize);
            Assert.True(reader.Read());
            var fault = Assert.Throws<InputException>(() => reader.Read());
            Assert.StartsWith($@"in:{line}: text follows the line \. that ends the data", fault.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData('"', null)]
    [InlineData(null, '\0')]
    public void Quotes_and_other_escapes_are_refused(char? quote, char? escape) =>
        Assert.Throws<RequestException>(() => Dialect.Of(Postgres with { Quote = quote, Escape = escape }, InputFormat.Postgres));
}
