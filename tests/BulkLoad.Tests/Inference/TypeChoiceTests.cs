using BulkLoad.Core.Inference;
using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Inference;

public sealed class TypeChoiceTests
{
    [Theory]
    [InlineData("1", "tinyint not null")]
    [InlineData("-128|127", "tinyint not null")]
    [InlineData("128", "smallint not null")]
    [InlineData("-129", "smallint not null")]
    [InlineData("32768", "mediumint not null")]
    [InlineData("-8388608|8388607", "mediumint not null")]
    [InlineData("8388608", "int not null")]
    [InlineData("-2147483648", "int not null")]
    [InlineData("2147483648", "bigint not null")]
    [InlineData("-9223372036854775808|9223372036854775807", "bigint not null")]
    [InlineData("9223372036854775808", "bigint unsigned not null")]
    [InlineData("0|18446744073709551615", "bigint unsigned not null")]
    [InlineData("-1|18446744073709551615", "decimal(20,0) not null")]
    [InlineData("18446744073709551616", "decimal(20,0) not null")]
    [InlineData("-9223372036854775809", "decimal(19,0) not null")]
    [InlineData("99999999999999999999999999999999999999999999999999999999999999999", "decimal(65,0) not null")]
    [InlineData("999999999999999999999999999999999999999999999999999999999999999999", "varchar(100) not null")]
    [InlineData("0|1", "tinyint not null")]
    [InlineData("-0", "tinyint not null")]
    public void Whole_numbers(string values, string type) => Assert.Equal(type, Inferred.TypeOf(values.Split('|')));

    [Theory]
    [InlineData("1.5", "decimal(2,1) not null")]
    [InlineData("0.5|.25|-0.125", "decimal(3,3) not null")]
    [InlineData("0|0.5", "decimal(1,1) not null")]
    [InlineData("100|0.25", "decimal(5,2) not null")]
    [InlineData("1.50", "decimal(3,2) not null")]
    [InlineData("0.0", "decimal(1,1) not null")]
    [InlineData("0.000000000000000000000000000001", "decimal(30,30) not null")]
    [InlineData("0.1000000000000000000000000000000000000000", "decimal(1,1) not null")]
    [InlineData("0.0000000000000000000000000000000000000001", "double not null")]
    [InlineData("0.1234567890123456789012345678901234567890", "varchar(64) not null")]
    [InlineData("1.5e-7|2", "double not null")]
    [InlineData("1E+20", "double not null")]
    [InlineData("1e+400", "varchar(6) not null")]
    [InlineData("1e-400", "varchar(6) not null")]
    [InlineData("1e+5|12345678901234567890", "varchar(32) not null")]
    [InlineData("1e+5|12345678901234567", "varchar(32) not null")]
    public void Other_numbers(string values, string type) => Assert.Equal(type, Inferred.TypeOf(values.Split('|')));

    [Theory]
    [InlineData("007")]
    [InlineData("00")]
    [InlineData("-07")]
    [InlineData("00.5")]
    [InlineData("+49301234")]
    [InlineData("1.")]
    [InlineData("1e5")]
    [InlineData("12E4")]
    [InlineData("0x1F")]
    [InlineData("1,5")]
    [InlineData(" 7")]
    [InlineData("-")]
    [InlineData(".")]
    [InlineData("nan")]
    [InlineData("Infinity")]
    [InlineData("4:30")]
    [InlineData("008:30")]
    [InlineData("2024-02-30")]
    [InlineData("0000-00-00")]
    [InlineData("31.12.2024")]
    [InlineData("2024-1-1")]
    [InlineData("20240101x")]
    [InlineData("900:00")]
    [InlineData("2024-01-01 10:00:00.1234567")]
    [InlineData("")]
    public void What_only_looks_like_something_else_stays_text(string value) =>
        Assert.StartsWith("varchar", Inferred.TypeOf(value, "1"), StringComparison.Ordinal);

    [Theory]
    [InlineData("true|false", "tinyint(1) not null")]
    [InlineData("TRUE", "tinyint(1) not null")]
    [InlineData("yes|no", "tinyint(1) not null")]
    [InlineData("t|F|y", "tinyint(1) not null")]
    [InlineData("true|1|0", "tinyint(1) not null")]
    [InlineData("true|2", "varchar(4) not null")]
    [InlineData("true|18446744073709551615", "varchar(32) not null")]
    [InlineData("f|f", "varchar(1) not null")]
    [InlineData("NO", "varchar(2) not null")]
    [InlineData("on|1", "varchar(2) not null")]
    [InlineData("yes|no|maybe", "varchar(5) not null")]
    public void Words_of_truth(string values, string type) => Assert.Equal(type, Inferred.TypeOf(values.Split('|')));

    [Theory]
    [InlineData("2024-01-31", "date not null")]
    [InlineData("2024-01-31|2024-01-31 10:00", "datetime not null")]
    [InlineData("2024-01-31 00:00:00", "datetime not null")]
    [InlineData("2024-01-31T10:00:05.250|2024-01-31 10:00:05.1", "datetime(2) not null")]
    [InlineData("2024-01-31T10:00:00Z|2024-01-31 10:00:00.123456+02:00", "datetime(6) not null")]
    [InlineData("2024-01-31T10:00:00Z|2024-01-31 10:00:00", "varchar(32) not null")]
    [InlineData("2024-01-31T10:00:00Z|2024-01-31", "varchar(32) not null")]
    [InlineData("0001-01-01T00:00:00+02:00", "varchar(32) not null")]
    [InlineData("08:30|-838:59:59|00:00:00.5", "time(1) not null")]
    [InlineData("08:30|2024-01-31", "varchar(10) not null")]
    [InlineData("2024-01-31|7", "varchar(10) not null")]
    public void Dates_and_times(string values, string type) => Assert.Equal(type, Inferred.TypeOf(values.Split('|')));

    [Fact]
    public void Zero_dates_are_dates_where_they_are_taken()
    {
        Assert.Equal("date not null", Inferred.Text(Inferred.Of(Inferred.Utc, true, "0000-00-00", "2024-05-00")));
        Assert.Equal("varchar(32) not null", Inferred.Text(Inferred.Of(Inferred.Utc, true, "0000-00-00T00:00:00Z")));
    }

    [Theory]
    [InlineData("UTC", "datetime not null")]
    [InlineData("+05:30", "datetime not null")]
    [InlineData("Europe/Berlin", "varchar(32) not null")]
    public void Times_with_an_offset_need_a_zone_that_has_one(string zone, string type)
    {
        var column = Inferred.Of(ValueZone.Asked(zone)!, false, "2024-01-31T10:00:00Z");
        Assert.Equal(type, Inferred.Text(column));
    }

    [Fact]
    public void Times_with_an_offset_stay_text_where_the_zone_is_not_known() =>
        Assert.Contains(
            "--time-zone UTC", Inferred.Of(new ValueZone("CEST", null), false, "2024-01-31T10:00:00Z").Reason, StringComparison.Ordinal);

    [Theory]
    [InlineData("""{"a":1}|[]""", "json not null")]
    [InlineData("""[1]|1""", "varchar(3) not null")]
    [InlineData("""[1]|x""", "varchar(3) not null")]
    [InlineData("""{"a":1,"a":2}""", "varchar(16) not null")]
    [InlineData("[0.12345678901234567890]", "varchar(32) not null")]
    [InlineData("[oops]", "varchar(6) not null")]
    public void Json(string values, string type) => Assert.Equal(type, Inferred.TypeOf(values.Split('|')));

    [Fact]
    public void Json_that_is_too_deep_for_one_of_the_servers_stays_text()
    {
        Assert.Equal("json not null", Inferred.TypeOf(new string('[', 30) + new string(']', 30)));
        Assert.Equal("varchar(64) not null", Inferred.TypeOf(new string('[', 31) + new string(']', 31)));
    }

    [Theory]
    [InlineData(0, "varchar(1) not null")]
    [InlineData(10, "varchar(10) not null")]
    [InlineData(11, "varchar(16) not null")]
    [InlineData(255, "varchar(255) not null")]
    [InlineData(256, "varchar(500) not null")]
    [InlineData(16_000, "varchar(16000) not null")]
    [InlineData(16_001, "text not null")]
    [InlineData(65_535, "text not null")]
    [InlineData(65_536, "mediumtext not null")]
    [InlineData(16_777_216, "longtext not null")]
    public void Text_by_its_length(int characters, string type) => Assert.Equal(type, Inferred.TypeOf(new string('x', characters)));

    [Fact]
    public void Varchar_counts_characters_and_text_counts_bytes()
    {
        Assert.Equal("varchar(10) not null", Inferred.TypeOf("李小龍李小龍李小龍😀"));
        Assert.Equal("mediumtext not null", Inferred.TypeOf(new string('ä', 40_000)));
    }

    [Fact]
    public void Null_follows_the_data()
    {
        Assert.Equal("tinyint", Inferred.TypeOf("1", null));
        Assert.Equal("varchar(255)", Inferred.TypeOf(null, null));
        Assert.Equal("varchar(255)", Inferred.TypeOf());
    }

    [Theory]
    [InlineData("1|300|7", "whole numbers from 1 to 300 (record 2)")]
    [InlineData("1|-300|7", "whole numbers from -300 (record 2) to 7")]
    [InlineData("7|7", "whole numbers, all of them 7")]
    [InlineData("1|18446744073709551615", "whole numbers from 1 to 18446744073709551615 (record 2)")]
    [InlineData("18446744073709551615", "whole numbers up to 18446744073709551615 (record 1)")]
    [InlineData("1.5|2.25", "numbers of up to 1 digit before the point (record 1) and 2 after it (record 2)")]
    [InlineData("10.5|2.125", "numbers of up to 2 digits before the point (record 1) and 3 after it (record 2)")]
    [InlineData("1|2|007", "'007' has a leading zero (record 3); the longest has 3 characters (record 3)")]
    [InlineData("1|", "'' is the empty string, not NULL (record 2); the longest has 1 character (record 1)")]
    [InlineData("1e5", "'1e5' may be an id as well as a number with an exponent (record 1); the longest has 3 characters (record 1)")]
    [InlineData("2024-02-30", "'2024-02-30' is a date or time that does not exist (record 1); the longest has 10 characters (record 1)")]
    [InlineData("7|2024-01-31",
        "a mixture of whole numbers (first at record 1) and dates (first at record 2); the longest has 10 characters (record 2)")]
    [InlineData(
        "no|no", "the same true/false word throughout (first at record 1), which may be a code; the longest has 2 characters (record 1)")]
    [InlineData("1e+5|12345678901234567", "'12345678901234567' has more digits than a DECIMAL or DOUBLE of this column's numbers keeps "
        + "(record 2); the longest has 17 characters (record 2)")]
    public void The_reason_names_the_values_and_their_records(string values, string reason) =>
        Assert.Equal(reason, Inferred.Of(values.Split('|')).Reason);

    [Fact]
    public void The_reason_counts_what_is_null() =>
        Assert.Equal("dates; NULL in 2 of 3 records", Inferred.Of("2024-01-31", null, null).Reason);

    [Fact]
    public void Places_name_the_file_where_there_are_several() =>
        Assert.Equal("record 3 of b.csv", new Place(1, 3).Describe(["a.csv", "b.csv"]));
}
