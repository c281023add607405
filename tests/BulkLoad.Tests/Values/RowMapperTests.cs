using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Input;

namespace BulkLoad.Tests.Values;

/// <summary>The NULL semantics of one field, and what a fault says.</summary>
public sealed class RowMapperTests
{
    private const string Null = "NULL";
    private const string Default = "DEFAULT";

    private static readonly ValueZone NoZone = new("here", null);

    private static readonly TableColumn NullableText = Columns.Varchar();
    private static readonly TableColumn RequiredText = Columns.Varchar().Required();
    private static readonly TableColumn NullableInteger = Columns.Integer();
    private static readonly TableColumn RequiredInteger = Columns.Integer().Required();

    private static TableColumn ColumnOf(string column) => column switch
    {
        "text" => NullableText,
        "text not null" => RequiredText,
        "integer" => NullableInteger,
        "integer not null" => RequiredInteger,
        "id" => Columns.Id(),
        "enum not null" => Columns.Enum("a", "").Required(),
        "constant" => Columns.Integer() with { Default = ColumnDefault.Constant, DefaultText = "7" },
        "constant not null" => RequiredInteger with { Default = ColumnDefault.Constant, DefaultText = "7" },
        "integer of an engine without NULL" => NullableInteger with { LosesNull = true },
        "expression" => RequiredText with { Default = ColumnDefault.Expression },
        _ => throw new ArgumentException(column),
    };

    [Theory]
    [InlineData("text", "", Null)]
    [InlineData("text", "\\N", Null)]
    [InlineData("text", "\"\"", "")]
    [InlineData("text", "\"\\N\"", "\\N")]
    [InlineData("text", "NULL", "NULL-TEXT")]
    [InlineData("text", "\"null\"", "null")]
    [InlineData("text not null", "", "")]
    [InlineData("text not null", "\"\"", "")]
    [InlineData("text not null", "\\N", "!null-not-allowed column 's': is NULL, and the column is NOT NULL")]
    [InlineData("integer", "", Null)]
    [InlineData("integer", "\\N", Null)]
    [InlineData("integer", "\"\"", "!not-an-integer column 'n': '' is not an integer")]
    [InlineData(
        "integer not null", "", "!null-not-allowed column 'n': is empty, and the column is NOT NULL (an unquoted empty field is NULL)")]
    [InlineData("integer not null", "\\N", "!null-not-allowed column 'n': is NULL, and the column is NOT NULL")]
    [InlineData("integer", "x17", "!not-an-integer column 'n': 'x17' is not an integer")]
    [InlineData("id", "", Null)]
    [InlineData("id", "\\N", Null)]
    [InlineData("id", "0", "0")]
    [InlineData("id", "\"\"", "!not-an-integer column 'id': '' is not an integer")]
    [InlineData(
        "enum not null", "", "!null-not-allowed column 'e': is empty, and the column is NOT NULL (an unquoted empty field is NULL)")]
    [InlineData("enum not null", "\"\"", "")]
    [InlineData("constant", "", Null)]
    [InlineData(
        "constant not null", "", "!null-not-allowed column 'n': is empty, and the column is NOT NULL (an unquoted empty field is NULL)")]
    [InlineData("expression", "", "")]
    [InlineData("integer of an engine without NULL", "7", "7")]
    [InlineData("integer of an engine without NULL", "",
        "!null-not-allowed column 'n': is NULL, and the table's engine would store another value in its place")]
    public void A_csv_field_without_quotes_can_be_null(string column, string field, string expected) =>
        Assert.Equal(expected, Map(ColumnOf(column), $"x,c\n1,{field}\n", InputFormat.Csv));

    [Theory]
    [InlineData("text", "{\"c\":null}", Null)]
    [InlineData("text", "{\"c\":\"\"}", "")]
    [InlineData("text", "{\"c\":\"null\"}", "null")]
    [InlineData("text", "{\"c\":\"\\\\N\"}", "\\N")]
    [InlineData("text", "{\"c\":[1, {\"a\":2}]}", "[1, {\"a\":2}]")]
    [InlineData("text", "{\"c\":1.50}", "1.50")]
    [InlineData("text", "{\"c\":true}", "true")]
    [InlineData("text", "{}", Null)]
    [InlineData("text not null", "{\"c\":null}", "!null-not-allowed column 's': is NULL, and the column is NOT NULL")]
    [InlineData("text not null", "{}", "!missing-value column 's': is missing, and the column is NOT NULL without a default")]
    [InlineData("integer", "{\"c\":null}", Null)]
    [InlineData("integer", "{\"c\":123456789}", "123456789")]
    [InlineData("integer", "{\"c\":\"5\"}", "5")]
    [InlineData("integer", "{\"c\":true}", "!not-an-integer column 'n': 'true' is not an integer")]
    [InlineData("integer", "{}", Null)]
    [InlineData("id", "{\"c\":null}", Null)]
    [InlineData("id", "{}", Null)]
    [InlineData("constant", "{}", "7")]
    [InlineData("constant", "{\"c\":null}", Null)]
    [InlineData("constant not null", "{}", "7")]
    [InlineData("constant not null", "{\"c\":null}", "!null-not-allowed column 'n': is NULL, and the column is NOT NULL")]
    [InlineData("integer of an engine without NULL", "{}",
        "!null-not-allowed column 'n': is NULL, and the table's engine would store another value in its place")]
    [InlineData("expression", "{}", Default)]
    [InlineData("expression", "{\"c\":\"x\"}", "x")]
    public void A_json_value_is_null_only_as_null_and_missing_only_where_it_is_not_there(string column, string record, string expected) =>
        Assert.Equal(expected, Map(ColumnOf(column), record + "\n", InputFormat.Jsonl));

    [Theory]
    [InlineData("text", "NULL", Null)]
    [InlineData("text", "\"NULL\"", "NULL-TEXT")]
    [InlineData("text", "null", "null")]
    [InlineData("text", "n/a", Null)]
    [InlineData("text not null", "NULL", "!null-not-allowed column 's': is NULL, and the column is NOT NULL")]
    public void Other_texts_mean_null_where_the_user_says_so(string column, string field, string expected) =>
        Assert.Equal(expected, Map(ColumnOf(column), $"x,c\n1,{field}\n", InputFormat.Csv, "NULL", "n/a", ""));

    [Theory]
    [InlineData("text", "n/a", Null)]
    [InlineData("text", "-", "-")]
    [InlineData("text", "", Null)]
    [InlineData("text not null", "", "!null-not-allowed column 's': is NULL, and the column is NOT NULL")]
    [InlineData("text not null", "\"\"", "")]
    [InlineData("integer", "-", Null)]
    [InlineData("integer", "n/a", "!not-an-integer column 'n': 'n/a' is not an integer")]
    public void A_null_text_can_be_one_columns_own(string column, string field, string expected) => Assert.Equal(
        expected,
        Map(ColumnOf(column), $"x,c\n1,{field}\n", InputFormat.Csv,
            new ValueOptions { NullTexts = [new("S", "n/a"), new("s", ""), new("n", "-")], Empty = EmptyMeaning.EmptyText }));

    [Theory]
    [InlineData(EmptyMeaning.Null, "text", Null)]
    [InlineData(EmptyMeaning.Null, "text not null",
        "!null-not-allowed column 's': is empty, and the column is NOT NULL (an unquoted empty field is NULL)")]
    [InlineData(EmptyMeaning.Null, "integer", Null)]
    [InlineData(EmptyMeaning.Null, "integer not null",
        "!null-not-allowed column 'n': is empty, and the column is NOT NULL (an unquoted empty field is NULL)")]
    [InlineData(EmptyMeaning.Null, "constant", Null)]
    [InlineData(EmptyMeaning.Null, "id", Null)]
    [InlineData(EmptyMeaning.EmptyText, "text", "")]
    [InlineData(EmptyMeaning.EmptyText, "text not null", "")]
    [InlineData(EmptyMeaning.EmptyText, "integer", "!not-an-integer column 'n': '' is not an integer")]
    [InlineData(EmptyMeaning.EmptyText, "id", "!not-an-integer column 'id': '' is not an integer")]
    [InlineData(EmptyMeaning.EmptyText, "enum not null", "")]
    [InlineData(EmptyMeaning.EmptyText, "expression", "")]
    [InlineData(EmptyMeaning.Default, "text", Null)]
    [InlineData(EmptyMeaning.Default, "text not null", "!missing-value column 's': is empty, and the column is NOT NULL without a default")]
    [InlineData(
        EmptyMeaning.Default, "integer not null", "!missing-value column 'n': is empty, and the column is NOT NULL without a default")]
    [InlineData(EmptyMeaning.Default, "constant", "7")]
    [InlineData(EmptyMeaning.Default, "constant not null", "7")]
    [InlineData(EmptyMeaning.Default, "expression", Default)]
    [InlineData(EmptyMeaning.Default, "id", Null)]
    public void An_empty_field_is_what_the_user_says(EmptyMeaning empty, string column, string expected)
    {
        var values = new ValueOptions { Empty = empty };
        Assert.Equal(expected, Map(ColumnOf(column), "x,c\n1,\n", InputFormat.Csv, values));

        // What is quoted, or JSON's own, is none of its business.
        Assert.Equal(
            Map(ColumnOf(column), "x,c\n1,\"\"\n", InputFormat.Csv), Map(ColumnOf(column), "x,c\n1,\"\"\n", InputFormat.Csv, values));
        Assert.Equal(
            Map(ColumnOf(column), "{\"c\":\"\"}\n", InputFormat.Jsonl), Map(ColumnOf(column), "{\"c\":\"\"}\n", InputFormat.Jsonl, values));
        Assert.Equal(Map(ColumnOf(column), "{}\n", InputFormat.Jsonl), Map(ColumnOf(column), "{}\n", InputFormat.Jsonl, values));
    }

    [Fact]
    public void A_default_that_the_rule_does_not_take_is_shown()
    {
        var column = Columns.Date() with { Default = ColumnDefault.Constant, DefaultText = "0000-00-00" };
        const string Expected = "is left to the column's default, and '0000-00-00' is a date that does not exist (--zero-dates accepts a "
            + "year, month or day of zero)";
        Assert.Equal($"!impossible-date column 'd': '' {Expected}",
            Map(column, "x,c\n1,\n", InputFormat.Csv, new ValueOptions { Empty = EmptyMeaning.Default }));
        Assert.Equal($"!impossible-date column 'd': {Expected}", Map(column, "{}\n", InputFormat.Jsonl));
        Assert.Equal("0000-00-00", Map(column, "{}\n", InputFormat.Jsonl, new ValueOptions { ZeroDates = true }));
    }

    [Theory]
    [InlineData("integer", " 5\t", "5")]
    [InlineData("integer", "\" 5 \"", "5")]
    [InlineData("integer", "5 5", "!not-an-integer column 'n': '5 5' is not an integer")]
    [InlineData("integer", "  ", Null)]
    [InlineData("integer", " NULL ", Null)]
    [InlineData("integer", "\" \"", "!not-an-integer column 'n': '' is not an integer")]
    [InlineData("integer", "\u00a05", "!not-an-integer column 'n': '\u00a05' is not an integer")]
    [InlineData("enum not null", " a ", "a")]
    [InlineData("text", " 5 ", " 5 ")]
    [InlineData("text", " ", " ")]
    [InlineData("text", " NULL", " NULL")]
    public void Blanks_are_passed_over_except_in_text(string column, string field, string expected) => Assert.Equal(
        expected,
        Map(ColumnOf(column), $"x,c\n1,{field}\n", InputFormat.Csv, new ValueOptions { Trim = true, NullTexts = [new(null, "NULL")] }));

    [Theory]
    [InlineData(BinaryForm.Raw, " \t", "2009")]
    [InlineData(BinaryForm.Raw, " a ", "206120")]
    [InlineData(BinaryForm.Hex, " 61 ", "61")]
    public void Blanks_are_bytes_where_bytes_are_raw(BinaryForm form, string field, string expected)
    {
        var block = new RowBlock(1, 1);
        using var reader = Reader($"x,c\n1,\"{field}\"\n", InputFormat.Csv);
        Assert.True(reader.Read());
        var mapper = new RowMapper(new ColumnMapping([Columns.Blob()], [1], []), new ValueOptions { Trim = true, Binary = form }, NoZone);
        Assert.Null(mapper.Add(reader, reader.ByteOffset, block));
        Assert.Equal(expected, Convert.ToHexString(block.TextOf(0, 1).Span[..^1]));
    }

    [Theory]
    [InlineData("{\"c\": \"text\"}", "\"text\"")]
    [InlineData("{\"c\": \"1\"}", "\"1\"")]
    [InlineData("{\"c\": \"[1]\"}", "\"[1]\"")]
    [InlineData("{\"c\": \"\"}", "\"\"")]
    [InlineData("{\"c\": \"a\\\"b\\\\c\\u0000\\n\\u001f\\u00e9😀\"}", "\"a\\\"b\\\\c\\u0000\\u000a\\u001fé😀\"")]
    [InlineData("{\"c\": 1.50}", "1.50")]
    [InlineData("{\"c\": true}", "true")]
    [InlineData("{\"c\": {\"a\": [1, 2]}}", "{\"a\": [1, 2]}")]
    [InlineData("{\"c\": null}", Null)]
    public void A_json_value_goes_into_a_json_column_as_it_is(string line, string expected) =>
        Assert.Equal(expected, Map(Columns.Of("j", ColumnKind.Json, "json"), $"{line}\n", InputFormat.Jsonl));

    [Fact]
    public void A_json_string_goes_into_any_other_column_as_its_text() =>
        Assert.Equal("[1]", Map(NullableText, "{\"c\": \"[1]\"}\n", InputFormat.Jsonl));

    [Fact]
    public void A_fault_leaves_nothing_of_its_row_behind()
    {
        var mapping = new ColumnMapping([Columns.Varchar("a"), Columns.Integer("b")], [0, 1], []);
        using var reader = Reader("a,b\nx,1\nlong,oops\ny,2\n", InputFormat.Csv);
        var mapper = new RowMapper(mapping, new ValueOptions(), NoZone);
        var block = new RowBlock(2, 1);
        var faults = 0;
        while (reader.Read())
        {
            faults += mapper.Add(reader, reader.ByteOffset, block) is null ? 0 : 1;
        }

        Assert.Equal((1, 2, "x\u001f1\u001ey\u001f2\u001e"),
            (faults, block.RowCount, Encoding.UTF8.GetString(block.TextOf(0, block.RowCount).Span)));
        Assert.Equal((3, 4, 18), (block.Record(1), block.Line(1), (int)block.Offset(1)));
    }

    [Theory]
    [InlineData(false, "'long' is longer than 1 character")]
    [InlineData(true, "'long' is longer than 1 character; column 'b': 'oops' is not an integer")]
    public void A_check_tells_all_faults_of_a_record(bool tellsAll, string message)
    {
        var mapping = new ColumnMapping([Columns.Varchar("a", 1), Columns.Integer("b"), Columns.Integer("c")], [0, 1, 2], []);
        using var reader = Reader("a,b,c\nlong,oops,3\nx,1,2\n", InputFormat.Csv);
        var mapper = new RowMapper(mapping, new ValueOptions(), NoZone) { TellsAll = tellsAll };
        var block = new RowBlock(3, 1);
        Assert.True(reader.Read());
        var fault = mapper.Add(reader, reader.ByteOffset, block)!;
        Assert.Equal(("too-long", message, 0), (fault.Code, fault.Message, fault.Field));
        Assert.True(reader.Read());
        Assert.Null(mapper.Add(reader, reader.ByteOffset, block));
        Assert.Equal("x\u001f1\u001f2\u001e", Encoding.UTF8.GetString(block.TextOf(0, block.RowCount).Span));
    }

    private static IRecordReader Reader(string text, InputFormat format)
    {
        var options = new SourceOptions { Format = format };
        var content = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(text)), "in", options).Content;
        return RecordReaders.Create(
            content, new ReaderStart("in"), Dialect.Of(options, format), format == InputFormat.Jsonl ? ["c"] : null);
    }

    /// <summary>A file in another encoding: that the value is no number either does not help.</summary>
    [Fact]
    public void Bytes_that_are_no_text_are_told_as_that_whatever_the_column_but_a_binary_one()
    {
        Assert.Equal("invalid-text", CodeOf(NullableInteger));
        Assert.Equal("invalid-text", CodeOf(Columns.Enum("a")));
        Assert.Equal("not-hex", CodeOf(Columns.Of("b", ColumnKind.Binary, "varbinary(9)") with { MaxBytes = 9 }));

        static string? CodeOf(TableColumn column)
        {
            using var reader = Inputs.Reader([.. "x,c\n1,Z"u8, 0xFC, .. "rich\n"u8], new SourceOptions { Format = InputFormat.Csv });
            Assert.True(reader.Read());
            return new RowMapper(new ColumnMapping([column], [1], []), new ValueOptions(), NoZone)
                .Add(reader, 0, new RowBlock(1, 64))?.Code;
        }
    }

    private static string Map(TableColumn column, string text, InputFormat format, params string[] nullValues) =>
        Map(column, text, format, new ValueOptions { NullTexts = [.. nullValues.Select(text => new NullText(null, text))] });

    private static string Map(TableColumn column, string text, InputFormat format, ValueOptions values)
    {
        var mapper = new RowMapper(new ColumnMapping([column], [format == InputFormat.Jsonl ? 0 : 1], []), values, NoZone);
        using var reader = Reader(text, format);
        Assert.True(reader.Read());
        var block = new RowBlock(1, 1);
        if (mapper.Add(reader, reader.ByteOffset, block) is { } fault)
        {
            Assert.Equal(0, block.RowCount);
            return $"!{fault.Code} column '{mapper.ColumnOf(fault.Field)}': {fault.Message}";
        }

        return block.Get(0, 0, out var value) switch
        {
            CellState.Null => Null,
            CellState.Default => Default,
            _ => Encoding.UTF8.GetString(value) is var shown && shown == Null ? "NULL-TEXT" : shown,
        };
    }
}
