namespace BulkLoad.Tests.Values;

public sealed class TimeAndLabelRuleTests
{
    [Fact]
    public void An_enum_with_an_empty_label_takes_the_empty_text() => Assert.Equal("", Rules.Apply(Columns.Enum("a", ""), ""));

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
        Assert.Equal("is not one of 'open', 'paid'; it differs from 'paid' in letter case only",
            Rules.Fault(Columns.Enum("open", "paid"), "PAID")!.Message);
        Assert.Equal("is not one of 'open', 'paid'; one of its labels differs from 'open' in letter case only",
            Rules.Fault(Columns.Set("open", "paid"), "paid,Open")!.Message);
        Assert.Equal("is not one of 'open', 'paid'", Rules.Fault(Columns.Enum("open", "paid"), "paid ")!.Message);
    }

    [Fact]
    public void A_label_that_is_not_known_names_the_first_ten_that_are()
    {
        var fault = Rules.Fault(Columns.Enum([.. Enumerable.Range(1, 12).Select(i => $"l{i}")]), "x");
        Assert.Equal("is not one of 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 'l7', 'l8', 'l9', 'l10', ...", fault!.Message);
    }
}
