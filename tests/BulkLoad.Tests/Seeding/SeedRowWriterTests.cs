using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Seeding;
using BulkLoad.Tests.Protocol;

namespace BulkLoad.Tests.Seeding;

public sealed class SeedRowWriterTests
{
    private static readonly TableColumn[] Table =
    [
        Column("id", ColumnKind.Integer), Column("a \"b\"", ColumnKind.Text), Column("bytes", ColumnKind.Blob),
        Column("doc", ColumnKind.Json), Column("day", ColumnKind.Date),
    ];

    [Fact]
    public void Csv_tells_null_from_an_empty_text_and_from_its_letters()
    {
        var (text, writer) = Write(
            file => new CsvRowWriter(file, "t", Table),
            ["1", "say \"hi\",\r\nyou", "A\0\n", "{\"a\": 1}", "2024-01-02"], ["2", "", "", null, "2024-00-02"],
            [null, null, null, "null", null], ["-4", "\\N", "0", "[]", "0001-01-01"]);
        Assert.Equal(
            "id,\"a \"\"b\"\"\",bytes,doc,day\n1,\"say \"\"hi\"\",\r\nyou\",41000a,\"{\"\"a\"\": "
                + "1}\",2024-01-02\n2,\"\",\"\",\\N,2024-00-02\n\\N,\\N,\\N,\"null\",\\N\n-4,\"\\N\",30,\"[]\",0001-01-01\n",
            text);
        Assert.Equal((4, 2, true, false), (writer.Rows, writer.MaxLineEnds, writer.HasZeroDates, writer.IsUnfit));
    }

    [Fact]
    public void Json_lines_hold_what_csv_does_not()
    {
        var (text, writer) = Write(file => new JsonRowWriter(file, "t", Table), ["1", "a\0b\"\n", "\0é", "{\"a\": 1}", "2024-01-02"],
            ["2", null, null, null, null]);
        Assert.Equal(
            "{\"id\":\"1\",\"a \\\"b\\\"\":\"a\\u0000b\\\"\\n\",\"bytes\":\"00c3a9\",\"doc\":{\"a\": "
                + "1},\"day\":\"2024-01-02\"}\n{\"id\":\"2\",\"a \\\"b\\\"\":null,\"bytes\":null,\"doc\":null,\"day\":null}\n",
            text);
        Assert.False(writer.HasZeroDates);
    }

    [Fact]
    public void A_nul_character_makes_csv_unfit_and_ends_the_file()
    {
        var (text, writer) =
            Write(file => new CsvRowWriter(file, "t", Table), ["1", "\0", null, null, null], ["2", null, null, null, null]);
        Assert.True(writer.IsUnfit);
        Assert.DoesNotContain("\n2,", text);
    }

    [Fact]
    public void Bytes_that_are_no_text_are_refused_by_row_and_column()
    {
        using var file = new MemoryStream();
        IRowSink writer = new CsvRowWriter(file, "t", [Table[0], Table[1]]);
        writer.AddRow(ServerPayloads.Row("1", "x"), 2);
        var refused = Assert.Throws<PlanException>(() => writer.AddRow([1, (byte)'2', 1, 0xff], 2));
        Assert.StartsWith("t: row 2, column 'a \"b\"': bytes that are not valid text", refused.Message);
    }

    private static (string Text, SeedRowWriter Writer) Write(Func<Stream, SeedRowWriter> create, params string?[][] rows)
    {
        using var file = new MemoryStream();
        var writer = create(file);
        foreach (var row in rows)
        {
            ((IRowSink)writer).AddRow(ServerPayloads.Row(row), row.Length);
        }

        writer.End();
        return (Encoding.UTF8.GetString(file.ToArray()), writer);
    }

    private static TableColumn Column(string name, ColumnKind kind) =>
        new() { Name = name, TypeText = "", Kind = kind, IsNullable = true, Default = ColumnDefault.Null };
}
