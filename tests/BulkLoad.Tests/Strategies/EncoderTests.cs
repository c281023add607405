using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Core.Values.Rules;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Strategies;

public sealed class EncoderTests
{
    private static RowBlock Block(string?[] values, int columns = 1)
    {
        var block = new RowBlock(columns, 4);
        for (var i = 0; i < values.Length; i++)
        {
            if (values[i] is not { } value)
            {
                block.AddNull();
            }
            else
            {
                block.AddValue(Encoding.UTF8.GetBytes(value));
            }

            if (i % columns == columns - 1)
            {
                block.EndRow(1, 1, 0, []);
            }
        }

        return block;
    }

    [Theory]
    [InlineData("plain", "plain")]
    [InlineData("", "")]
    [InlineData("a\tb\nc\rd\0e\\", "a\tb\nc\rd\0e\\")]
    [InlineData("a\u001fb", "a\u001b\u001fb")]
    [InlineData("a\u001eb", "a\u001b\u001eb")]
    [InlineData("a\u001bb", "a\u001b\u001bb")]
    [InlineData("\u001bN", "\u001b\u001bN")]
    [InlineData("\u001e\u001f\u001b", "\u001b\u001e\u001b\u001f\u001b\u001b")]
    [InlineData(@"\N", @"\N")]
    [InlineData("NULL", "NULL")]
    [InlineData("'quoted\"", "'quoted\"")]
    [InlineData("Grüße 😀", "Grüße 😀")]
    [InlineData(null, "\u001bN")]
    public void Load_data_text_escapes_what_would_end_a_field(string? value, string expected)
    {
        var text = new LoadDataText([Columns.Varchar()]);
        text.Fill(Block(["x", value, "y"]), 0, 3);
        Assert.Equal($"x\u001e{expected}\u001ey\u001e", Encoding.UTF8.GetString(text.Content.Span));
        Assert.Equal(3, text.RowCount);
    }

    [Fact]
    public void Load_data_text_read_back_is_what_was_written()
    {
        var random = new Random(7);
        var text = new LoadDataText([Columns.Varchar("k"), Columns.Varchar()]);
        for (var round = 0; round < 200; round++)
        {
            var rows = Enumerable.Range(0, 20).Select(_ => random.Next(6) == 0 ? null : RandomText(random)).ToArray();
            var from = random.Next(rows.Length);
            text.Fill(Block([.. rows.SelectMany(row => new[] { "key", row })], columns: 2), from, rows.Length - from);

            using var reader = RecordReaders.Create(
                InputFile.Open(new MemoryStream(text.Content.ToArray()), "in", new SourceOptions()).Content,
                new ReaderStart("in"),
                Dialect.Of(new SourceOptions { Delimiter = '\u001f', Escape = '\u001b', Newline = "\u001e" }, InputFormat.Mysql), null);
            foreach (var row in rows[from..])
            {
                Assert.True(reader.Read());
                var kind = reader.GetField(1, out var value);
                Assert.Equal(row is null, kind == FieldKind.Null);
                Assert.Equal(row ?? "", Encoding.UTF8.GetString(value));
            }

            Assert.False(reader.Read());
        }
    }

    private static string RandomText(Random random) =>
        string.Concat(Enumerable.Range(0, random.Next(8))
            .Select(_ => "\t\n\r\\\0N'\"ab😀ü\u001b\u001e\u001f".EnumerateRunes().ElementAt(random.Next(15)).ToString()));

    public static TheoryData<string, string, string> Values => new()
    {
        { "integer", "-9223372036854775808", "-9223372036854775808" },
        { "unsigned", "18446744073709551615", "18446744073709551615u" },
        { "decimal", "-123.4500", "Decimal -123.45" },
        { "double", "-1.5e3", "-1500d" },
        { "float", "0.1", "0.1d" },
        { "date", "2024-02-29", "Date 2024-02-29" },
        { "datetime", "2024-02-29T10:11:12.5", "DateTime 2024-02-29 10:11:12.500000" },
        { "datetime", "2024-02-29 23:59:59", "DateTime 2024-02-29 23:59:59" },
        { "datetime", "2024-02-29", "DateTime 2024-02-29" },
        { "datetime", "2024-02-29 00:00:00.000001", "DateTime 2024-02-29 00:00:00.000001" },
        { "timestamp", "2024-02-29 10:11:12", "DateTime 2024-02-29 10:11:12" },
        { "time", "-838:59:59", "'-838:59:59'" },
        { "time", "00:00", "'00:00:00'" },
        { "time", "-00:00:00.5", "'-00:00:00.500000'" },
        { "time", "25:00", "'25:00:00'" },
        { "year", "2024", "'2024'" },
        { "varchar", "123", "'123'" },
        { "varchar", "it's\0", "'it's\0'" },
        { "text", "", "''" },
        { "enum", "2", "'2'" },
        { "set", "c,a", "'a,c'" },
        { "bit", "255", "255u" },
        { "blob", "00ff27", "Bytes 00FF27" },
        { "json", "[1]", "'[1]'" },
        { "geometry", "POINT(1 2)", "'POINT(1 2)'" },
    };

    [Theory]
    [MemberData(nameof(Values))]
    public void A_binary_value_travels_as_its_columns_type(string type, string text, string expected)
    {
        TableColumn column = type switch
        {
            "integer" => Columns.Integer(bytes: 8),
            "unsigned" => Columns.Integer(bytes: 8, isUnsigned: true),
            "decimal" => Columns.Decimal(10, 2),
            "double" => Columns.Double(),
            "float" => Columns.Float(),
            "date" => Columns.Date(),
            "datetime" => Columns.DateTime(6),
            "timestamp" => Columns.Timestamp(),
            "time" => Columns.Time(6),
            "year" => Columns.Year(),
            "varchar" => Columns.Varchar(),
            "text" => Columns.Text(),
            "enum" => Columns.Enum("1", "2"),
            "bit" => Columns.Bit(),
            "blob" => Columns.Blob(),
            "json" => Columns.Of("j", ColumnKind.Json, "json"),
            "geometry" => Columns.Geometry(),
            _ => Columns.Set("a", "b", "c"),
        };
        var block = new RowBlock(1, 16);
        Assert.Null(ValueRules.For(column, Rules.Options(TimeZoneInfo.Utc)).Add(Encoding.UTF8.GetBytes(text), block));
        block.EndRow(1, 1, 0, []);
        block.AddNull();
        block.EndRow(2, 2, 0, []);

        var rows = Batch([column], maxRows: 2);
        rows.Fill(block, 0, 2);
        Assert.Equal([expected, "NULL"], ParameterText.Decode(rows.Parameters));

        // Filled again it is the same: nothing of the rows before is left.
        rows.Fill(block, 0, 2);
        Assert.Equal([expected, "NULL"], ParameterText.Decode(rows.Parameters));

        var bulk = Batch([column], isBulk: true);
        bulk.Fill(block, 0, 2);
        Assert.Equal([expected, "NULL"], ParameterText.Decode(bulk.Parameters));
        block.AddDefault();
        block.EndRow(3, 3, 0, []);
        bulk.Fill(block, 0, 3);
        Assert.Equal([expected, "NULL", "DEFAULT"], ParameterText.Decode(bulk.Parameters));
        Assert.Equal((3, 1), (bulk.RowCount, bulk.PlaceholderRows));
    }

    [Fact]
    public void Lengths_of_every_width_are_read_back()
    {
        foreach (var length in new[] { 250, 251, 65_535, 65_536, 16_777_215, 16_777_216 })
        {
            var block = new RowBlock(1, 16);
            block.AddValue(Encoding.ASCII.GetBytes(new string('x', length)));
            block.EndRow(1, 1, 0, []);
            var rows = Batch([Columns.Text(1L << 32)]);
            rows.Fill(block, 0, 1);
            Assert.Equal(length + 2, ParameterText.Decode(rows.Parameters)[0].Length);
        }
    }

    private static TableColumn[] ThreeTexts => [Columns.Varchar("a"), Columns.Varchar("b"), Columns.Varchar("c")];

    private static InsertForm Form { get; } =
        new() { Duplicates = DuplicateForm.Plain, Head = "INSERT INTO `t` VALUES ", ReplaceHead = "REPLACE INTO `t` VALUES " };

    private static InsertBatch Batch(TableColumn[] columns, int maxRows = 1, bool isBulk = false) =>
        new(Form, columns, new RowEncoder(columns), maxRows, isBulk);

    private static InsertBatch Literal(TableColumn[] columns, InsertForm? form = null)
    {
        var rows = new InsertBatch(form ?? Form, columns, new RowEncoder(columns), 2, isBulk: false);
        rows.Begin(isLiteral: true, hasOwnIds: false);
        return rows;
    }

    [Fact]
    public void Literal_rows_have_the_ending_of_their_kind_and_none_as_a_replace()
    {
        var block = new RowBlock(1, 4);
        block.AddValue("1"u8);
        block.EndRow(1, 1, 0, []);
        var rows = Literal([Columns.Varchar("a")],
            Form with { Tail = InsertSql.Tail([new ColumnAssignment("x", "2")], []), Ending = " ON A", OwnIdEnding = " ON B" });
        rows.Fill(block, 0, 1);
        Assert.Equal("INSERT INTO `t` VALUES ('1',(2)) ON A", Encoding.UTF8.GetString(rows.Text.Span));
        Assert.Equal("REPLACE INTO `t` VALUES ('1',(2))", Encoding.UTF8.GetString(rows.ToReplace().Span));
        rows.Begin(isLiteral: true, hasOwnIds: true);
        rows.Fill(block, 0, 1);
        Assert.Equal("INSERT INTO `t` VALUES ('1',(2)) ON B", Encoding.UTF8.GetString(rows.Text.Span));
    }

    [Fact]
    public void Literal_rows_are_quoted_whatever_they_look_like()
    {
        var block = new RowBlock(3, 4);
        block.AddValue("1"u8);
        block.AddNull();
        block.AddDefault();
        block.EndRow(1, 1, 0, []);
        block.AddValue("NULL"u8);
        block.AddValue("DEFAULT"u8);
        block.AddValue("'),(1,2,3); -- "u8);
        block.EndRow(2, 2, 0, []);
        var rows = Literal(ThreeTexts);
        var withExpression = Literal(ThreeTexts, Form with { Tail = InsertSql.Tail([new ColumnAssignment("x", "NOW()")], []) });
        withExpression.Fill(block, 0, 2);
        Assert.Equal(@"INSERT INTO `t` VALUES ('1',NULL,DEFAULT,(NOW())),('NULL','DEFAULT','\'),(1,2,3); -- ',(NOW()))",
            Encoding.UTF8.GetString(withExpression.Text.Span));
        rows.Fill(block, 0, 2);
        Assert.Equal(
            @"INSERT INTO `t` VALUES ('1',NULL,DEFAULT),('NULL','DEFAULT','\'),(1,2,3); -- ')", Encoding.UTF8.GetString(rows.Text.Span));
        rows.Fill(block, 1, 1);
        Assert.Equal(@"INSERT INTO `t` VALUES ('NULL','DEFAULT','\'),(1,2,3); -- ')", Encoding.UTF8.GetString(rows.Text.Span));
    }

    [Fact]
    public void Bytes_bits_and_geometries_are_literals_of_their_own()
    {
        var block = new RowBlock(3, 4);
        block.AddValue([0, 0xff, (byte)'\'']);
        block.AddValue("5"u8);
        block.AddValue("POINT(1 2)"u8);
        block.EndRow(1, 1, 0, []);
        block.AddValue(default);
        block.AddNull();
        block.AddNull();
        block.EndRow(2, 2, 0, []);
        var rows = Literal([Columns.Blob(), Columns.Bit(), Columns.Geometry(4326)]);
        rows.Fill(block, 0, 2);
        Assert.Equal("INSERT INTO `t` VALUES (x'00FF27',5,ST_GeomFromText('POINT(1 2)',4326)),(x'',NULL,NULL)",
            Encoding.UTF8.GetString(rows.Text.Span));
    }

    [Fact]
    public void Load_data_text_has_bytes_as_hexadecimal_digits()
    {
        var block = new RowBlock(2, 4);
        block.AddValue([0, 0xff, (byte)'\t']);
        block.AddValue("a\tb"u8);
        block.EndRow(1, 1, 0, []);
        block.AddValue(default);
        block.AddNull();
        block.EndRow(2, 2, 0, []);
        block.AddNull();
        block.AddValue("5C"u8);
        block.EndRow(3, 3, 0, []);
        var text = new LoadDataText([Columns.Blob(), Columns.Varchar()]);
        text.Fill(block, 0, 3);
        Assert.Equal("00FF09\u001fa\tb\u001e\u001f\u001bN\u001e\u001bN\u001f5C\u001e", Encoding.UTF8.GetString(text.Content.Span));
    }

    [Theory]
    [InlineData("Data truncated for column 'age' at row 17", 16)]
    [InlineData("Incorrect integer value: 'at row 3' for column 'x' at row 2", 1)]
    [InlineData("Duplicate entry '1' for key 'PRIMARY'", null)]
    [InlineData("at row 0", null)]
    [InlineData("at row 99999999999999", null)]
    [InlineData("", null)]
    public void The_row_that_a_server_names_is_found_at_the_end_of_its_message(string message, int? row) =>
        Assert.Equal(row, RowNumberText.Find(message));
}
