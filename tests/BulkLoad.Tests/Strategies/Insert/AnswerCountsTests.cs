using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Tests.Strategies.Insert;

public sealed class AnswerCountsTests
{
    private static string Read(string form, int rows, ulong affected, string info) =>
        AnswerCounts.Read(Enum.Parse<DuplicateForm>(form), new OkResult(affected, 0, 0, info, 0), rows) is { } taken
            ? $"{taken.Inserted} {taken.Updated} {taken.Unchanged} {taken.Ignored}"
            : "does not add up";

    [Theory]
    [InlineData("Plain", 3, 3, "", "3 0 0 0")]
    [InlineData("Plain", 3, 2, "", "does not add up")]
    [InlineData("SkipAlone", 3, 3, "Records: 3  Duplicates: 0  Warnings: 0", "3 0 0 0")]
    [InlineData("KeepRow", 5, 2, "Records: 5  Duplicates: 0  Warnings: 0", "2 0 0 3")]
    [InlineData("KeepRow", 5, 4, "Records: 5  Duplicates: 1  Warnings: 0", "does not add up")]
    [InlineData("KeepRow", 1, 0, "", "0 0 0 1")]
    [InlineData("KeepRow", 1, 1, "", "1 0 0 0")]
    [InlineData("KeepRow", 1, 2, "", "does not add up")]
    [InlineData("SetColumns", 5, 5, "Records: 5  Duplicates: 2  Warnings: 0", "1 2 2 0")]
    [InlineData("SetColumns", 1, 0, "", "0 0 1 0")]
    [InlineData("SetColumns", 1, 1, "", "1 0 0 0")]
    [InlineData("SetColumns", 1, 2, "", "0 1 0 0")]
    [InlineData("SetColumns", 1, 3, "", "does not add up")]
    [InlineData("SetRow", 5, 5, "Records: 5  Duplicates: 2  Warnings: 0", "1 4 0 0")]
    [InlineData("ReplaceAlone", 1, 1, "", "0 1 0 0")]
    [InlineData("ReplaceAlone", 1, 4, "", "0 1 0 0")]
    [InlineData("ReplaceAlone", 1, 0, "", "does not add up")]
    public void Numbers_become_records(string form, int rows, ulong affected, string info, string expected) =>
        Assert.Equal(expected, Read(form, rows, affected, info));

    [Theory]
    [InlineData(5, "")]
    [InlineData(5, "Records: 4  Duplicates: 2  Warnings: 0")]
    [InlineData(5, "Records: 5  Duplicates: 3  Warnings: 0")]
    [InlineData(12, "Records: 5  Duplicates: 2  Warnings: 0")]
    [InlineData(5, "Records: 5  Duplicates: 99999999999999999999  Warnings: 0")]
    [InlineData(5, "Records: 5  Duplicates: 2")]
    public void Numbers_that_do_not_say_what_became_of_each_record_are_refused(ulong affected, string info) =>
        Assert.Equal("does not add up", Read("SetColumns", 5, affected, info));

    [Fact]
    public void The_servers_language_does_not_matter() =>
        Assert.Equal("1 2 2 0", Read("SetColumns", 5, 5, "Datensätze: 5  Duplikate: 2  Warnungen: 0"));
}
