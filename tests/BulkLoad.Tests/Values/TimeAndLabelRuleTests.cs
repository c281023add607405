namespace BulkLoad.Tests.Values;

public sealed class TimeAndLabelRuleTests
{
    [Theory]
    [InlineData(0, "10:20:30", "10:20:30")]
    [InlineData(0, "10:20", "10:20:00")]
    [InlineData(0, "8:05", "08:05:00")]
    [InlineData(0, "-10:20:30", "-10:20:30")]
    [InlineData(0, "-00:00:00", "00:00:00")]
    [InlineData(0, "00:00:00", "00:00:00")]
    [InlineData(0, "25:00:00", "25:00:00")]
    [InlineData(0, "100:00:00", "100:00:00")]
    [InlineData(0, "0838:59:59", "838:59:59")]
    [InlineData(0, "838:59:59", "838:59:59")]
    [InlineData(0, "-838:59:59", "-838:59:59")]
    [InlineData(0, "839:00:00", "!out-of-range")]
    [InlineData(6, "838:59:59.000001", "!out-of-range")]
    [InlineData(6, "838:59:58.999999", "838:59:58.999999")]
    [InlineData(0, "9999:00", "!out-of-range")]
    [InlineData(0, "10000:00", "!not-a-time")]
    [InlineData(0, "99999999999999999999:00", "!not-a-time")]
    [InlineData(3, "10:20:30.5", "10:20:30.500000")]
    [InlineData(3, "-00:00:00.5", "-00:00:00.500000")]
    [InlineData(3, "10:20:30.1234", "!too-many-decimals")]
    [InlineData(0, "10:20:30.000", "10:20:30")]
    [InlineData(6, "10:20:30.1234567", "!too-many-decimals")]
    [InlineData(0, "10:60:00", "!not-a-time")]
    [InlineData(0, "10:20:60", "!not-a-time")]
    [InlineData(0, "10:2:30", "!not-a-time")]
    [InlineData(0, "10:20:3", "!not-a-time")]
    [InlineData(0, "10:20.5", "!not-a-time")]
    [InlineData(0, "10:20:30.", "!not-a-time")]
    [InlineData(0, "10:20:30x", "!not-a-time")]
    [InlineData(0, "+10:20", "!not-a-time")]
    [InlineData(0, "--10:20", "!not-a-time")]
    [InlineData(0, "12", "!not-a-time")]
    [InlineData(0, "102030", "!not-a-time")]
    [InlineData(0, ":20:30", "!not-a-time")]
    [InlineData(0, "-", "!not-a-time")]
    [InlineData(0, "", "!not-a-time")]
    [InlineData(0, "1 10:20:30", "!not-a-time")]
    public void A_time_is_hours_and_minutes_within_its_limits(int scale, string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Time(scale), text));

    [Theory]
    [InlineData("1901", "1901")]
    [InlineData("2155", "2155")]
    [InlineData("0000", "0000")]
    [InlineData("1900", "!not-a-year")]
    [InlineData("2156", "!not-a-year")]
    [InlineData("70", "!not-a-year")]
    [InlineData("0", "!not-a-year")]
    [InlineData("02024", "!not-a-year")]
    [InlineData("+202", "!not-a-year")]
    [InlineData("2024.0", "!not-a-year")]
    [InlineData("", "!not-a-year")]
    public void A_year_has_four_digits(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Year(), text));

    [Theory]
    [InlineData("small", "small")]
    [InlineData("it's", "it's")]
    [InlineData("a,b", "a,b")]
    [InlineData("2", "2")]
    [InlineData("1", "!unknown-label")]
    [InlineData("Small", "!unknown-label")]
    [InlineData("small ", "!unknown-label")]
    [InlineData("", "!unknown-label")]
    public void An_enum_is_one_of_its_labels_and_never_an_index(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Enum("small", "it's", "a,b", "2"), text));

    [Fact]
    public void An_enum_with_an_empty_label_takes_the_empty_text() => Assert.Equal("", Rules.Apply(Columns.Enum("a", ""), ""));

    [Theory]
    [InlineData("a", "a")]
    [InlineData("a,c", "a,c")]
    [InlineData("", "")]
    [InlineData("d", "!unknown-label")]
    [InlineData("1", "!unknown-label")]
    [InlineData("a,", "!unknown-label")]
    [InlineData(",a", "!unknown-label")]
    [InlineData("a, c", "!unknown-label")]
    [InlineData("a,d", "!unknown-label")]
    public void A_set_is_any_of_its_labels(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Set("a", "b", "c"), text));

    [Theory]
    [InlineData("c,a", "a,c")]
    [InlineData("a,a,b,a", "a,b")]
    public void A_set_was_sent_in_another_order_than_the_server_keeps(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Set("a", "b", "c"), text));

    [Fact]
    public void A_set_has_up_to_64_labels()
    {
        var labels = Enumerable.Range(1, 64).Select(i => $"l{i}").ToArray();
        var all = string.Join(',', labels);
        Assert.Equal(all, Rules.Apply(Columns.Set(labels), all));
        Assert.Equal("l1,l64", Rules.Apply(Columns.Set(labels), "l64,l1"));
    }

    [Fact]
    public void A_label_in_other_letters_is_refused_and_named()
    {
        Assert.Equal("is not one of 'open', 'paid'; it differs from 'paid' in letter case only", Rules.Fault(Columns.Enum("open", "paid"), "PAID")!.Message);
        Assert.Equal("is not one of 'open', 'paid'; one of its labels differs from 'open' in letter case only", Rules.Fault(Columns.Set("open", "paid"), "paid,Open")!.Message);
        Assert.Equal("is not one of 'open', 'paid'", Rules.Fault(Columns.Enum("open", "paid"), "paid ")!.Message);
    }

    [Fact]
    public void A_label_that_is_not_known_names_the_first_ten_that_are()
    {
        var fault = Rules.Fault(Columns.Enum([.. Enumerable.Range(1, 12).Select(i => $"l{i}")]), "x");
        Assert.Equal("is not one of 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7', 'l8', 'l9', 'l10', ...", fault!.Message);
    }
}
