using BulkLoad.Core.Sql;

namespace BulkLoad.Tests.Sql;

public sealed class JobTagTests
{
    [Theory]
    [InlineData("04939adca8c895af", "/* bulkload job 04939adca8c895af */")]
    [InlineData("people-2026:a_b.c", "/* bulkload job people-2026:a_b.c */")]
    [InlineData("a*/ DROP TABLE t; /*!b\n'`\0é", "/* bulkload job a???DROP?TABLE?t?????b????? */")]
    public void A_comment_holds_nothing_that_ends_it(string job, string tag) => Assert.Equal(tag, JobTag.Of(job));

    [Fact]
    public void A_long_name_is_cut() =>
        Assert.Equal("/* bulkload job ".Length + 64 + " */".Length, JobTag.Of(new string('x', 1000)).Length);

    [Fact]
    public void It_stands_behind_the_first_word()
    {
        Assert.Equal("INSERT /* x */ INTO t", JobTag.Into("INSERT INTO t", "/* x */"));
        Assert.Equal("INSERT INTO t", JobTag.Into("INSERT INTO t", ""));
    }
}
