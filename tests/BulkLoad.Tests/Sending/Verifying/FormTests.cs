using System.Buffers;
using BulkLoad.Core.Sending.Verifying;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending.Verifying;

/// <summary>The forms in which values are compared, as both servers were seen to write them.</summary>
public sealed class FormTests
{
    public static TheoryData<string, string, string> Values => new()
    {
        { "int", "-7", "-7" },
        { "decimal(10,2)", "1.5", "1.50" },
        { "decimal(10,2)", "0", "0.00" },
        { "double", "0.1", "9A9999999999B93F" },
        { "double", "-0", "0000000000000000" },
        { "float", "0.1", "000000A09999B93F" },
        { "datetime(3)", "2024-01-02 03:04:05", "2024-01-02 03:04:05.000" },
        { "datetime(3)", "2024-01-02 03:04:05.600000", "2024-01-02 03:04:05.600" },
        { "datetime(0)", "2024-01-02 03:04:05.000000", "2024-01-02 03:04:05" },
        { "varchar", "é,:", "4:é,:" },
        { "varchar", "", "0:" },
        { "set", "a,b", "3:a,b" },
        { "text", "text", "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" },
        { "varbinary", "\0A", "0041" },
        { "blob", "\u0001", "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a" },
        { "geometry", "POINT(1 -2)", "7acfce24b27a85d39b6337363517b9a655eeb4a1f5d14228d72107832042bf96" },
    };

    [Theory]
    [MemberData(nameof(Values))]
    public void A_value_has_the_form_that_the_server_makes_of_it(string type, string value, string form)
    {
        var column = type switch
        {
            "int" => Columns.Integer(),
            "decimal(10,2)" => Columns.Decimal(10, 2),
            "double" => Columns.Double(),
            "float" => Columns.Float(),
            "datetime(3)" => Columns.DateTime(3),
            "datetime(0)" => Columns.DateTime(),
            "varchar" => Columns.Varchar(),
            "set" => Columns.Set("a", "b"),
            "text" => Columns.Text(),
            "varbinary" => Columns.Blob(5),
            "blob" => Columns.Blob(),
            _ => Columns.Geometry(),
        };
        var output = new ArrayBufferWriter<byte>();
        new ValueForm(column).Write(output, Encoding.UTF8.GetBytes(value));
        Assert.Equal(form, Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Theory]
    [InlineData("1.0", "1.0")]
    [InlineData("1e2", "100.0")]
    [InlineData("1e14", "100000000000000.0")]
    [InlineData("1e15", "1e15")]
    [InlineData("1.5e15", "1.5e15")]
    [InlineData("1.2345678901234567e15", "1234567890123456.8")]
    [InlineData("1.2345678901234567e16", "1.2345678901234568e16")]
    [InlineData("123456789012345680", "123456789012345680")]
    [InlineData("100000000000000000000", "1e20")]
    [InlineData("18446744073709551615", "18446744073709551615")]
    [InlineData("1e-15", "0.000000000000001")]
    [InlineData("1e-16", "1e-16")]
    [InlineData("1.7976931348623157e308", "1.7976931348623157e308")]
    [InlineData("5e-324", "5e-324")]
    [InlineData("-0", "0")]
    [InlineData("-0.0", "-0.0")]
    [InlineData("-1.5e-5", "-0.000015")]
    [InlineData(@"{""bb"":1,""a"":""\u0001\u001f\n\/\u00e9\b\f\r\t"",""A"":[],""B"":{},""c"":[1,2 ,null,true]}",
        @"{""A"": [], ""B"": {}, ""a"": ""\u0001\u001f\n/é\b\f\r\t"", ""c"": [1, 2, null, true], ""bb"": 1}")]
    public void A_document_has_the_form_that_mysql_keeps(string document, string form)
    {
        var output = new ArrayBufferWriter<byte>();
        JsonForm.Write(output, Encoding.UTF8.GetBytes(document));
        Assert.Equal(form, Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Theory]
    [InlineData("POINT(1 -2)", "0101000000000000000000F03F00000000000000C0")]
    [InlineData("GEOMETRYCOLLECTION EMPTY", "010700000000000000")]
    [InlineData("MULTIPOINT(0 0,0 0)",
        "010400000002000000" + "0101000000" + "00000000000000000000000000000000" + "0101000000" + "00000000000000000000000000000000")]
    [InlineData("POLYGON((0 0,0 0),(0 0))", "010300000002000000" + "02000000" + "00000000000000000000000000000000"
        + "00000000000000000000000000000000" + "01000000" + "00000000000000000000000000000000")]
    [InlineData("GEOMETRYCOLLECTION(LINESTRING(0 0),POINT(0 0))", "010700000002000000" + "010200000001000000"
        + "00000000000000000000000000000000" + "0101000000" + "00000000000000000000000000000000")]
    public void A_geometry_is_well_known_binary(string text, string hex)
    {
        var output = new ArrayBufferWriter<byte>();
        new WkbForm(output, Encoding.ASCII.GetBytes(text)).Write();
        Assert.Equal(hex, Convert.ToHexString(output.WrittenSpan));
    }
}
