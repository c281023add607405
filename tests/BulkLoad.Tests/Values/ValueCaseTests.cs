using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;
using BulkLoad.Tests.Values.Cases;

namespace BulkLoad.Tests.Values;

/// <summary>The rules against the table of cases.</summary>
public sealed class ValueCaseTests
{
    public static TheoryData<int, string> Groups => [.. ValueCases.All.Select((group, index) => (index, group.Title))];

    [Theory]
    [MemberData(nameof(Groups))]
    public void A_rule_takes_and_refuses_what_its_table_says(int index, string title)
    {
        Assert.NotEmpty(title);
        var group = ValueCases.All[index];
        var rule = group.CreateRule(group.Column, Rules.Options(TimeZoneInfo.Utc).Zone);
        Assert.All(group.Cases, value => Assert.Equal(value.Expected, Apply(rule, group, value)));
    }

    [Fact]
    public void The_table_has_a_good_and_a_bad_case_for_each_kind_of_column()
    {
        var kinds = Enum.GetValues<ColumnKind>().Except([ColumnKind.Unsupported]);
        Assert.All(kinds, kind =>
        {
            var cases = ValueCases.All.Where(group => group.Column.Kind == kind).SelectMany(group => group.Cases).ToArray();
            Assert.Contains(cases, value => value.IsRefused);
            Assert.Contains(cases, value => !value.IsRefused);
        });
    }

    private static void AssertIsTakenUnchanged(ValueRule rule, ReadOnlySpan<byte> canonical)
    {
        var again = new RowBlock(1, 4);
        Assert.Null(rule.Add(canonical, again));
        again.EndRow(1, 1, 0, []);
        again.Get(0, 0, out var value);
        Assert.Equal(canonical, value);
    }

    private static string Apply(ValueRule rule, ValueGroup group, ValueCase value)
    {
        // A neighbour on the left shows whether a rule writes where it must not.
        var block = new RowBlock(2, 4);
        block.AddValue("left"u8);
        if (rule.Add(value.Field, block) is { } fault)
        {
            Assert.Equal("left".Length, block.ByteCount);
            return $"!{fault.Code}";
        }

        block.EndRow(1, 1, 0, []);
        block.Get(0, 0, out var left);
        Assert.Equal("left"u8, left);
        block.Get(0, 1, out var canonical);
        if (!group.Column.IsBinary && group.Formats.Count == 0)
        {
            AssertIsTakenUnchanged(rule, canonical);
        }

        return group.Column.IsBinary ? Convert.ToHexString(canonical) : Encoding.UTF8.GetString(canonical);
    }
}
