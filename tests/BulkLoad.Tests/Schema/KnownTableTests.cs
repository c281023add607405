using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Schema;

/// <summary>Texts as servers write them about a table that is loaded in the place of <c>t</c>.</summary>
public sealed class KnownTableTests
{
    private static readonly KnownTable Known = new("bulkload_new_1_t", "t") { Constraints = [("a`b__2", "a`b"), ("small", "small__2")] };

    [Theory]
    [InlineData(1062, "Duplicate entry 'x' for key 'bulkload_new_1_t.name'", "Duplicate entry 'x' for key 't.name'")]
    [InlineData(1062, "Duplicate entry 'small' for key 'small'", "Duplicate entry 'small' for key 'small'")]
    [InlineData(1366, "Incorrect uuid value: 'small' for column `d`.`bulkload_new_1_t`.`u`",
        "Incorrect uuid value: 'small' for column `d`.`t`.`u`")]
    [InlineData(3819, "Check constraint 'a`b__2' is violated.", "Check constraint 'a`b' is violated.")]
    [InlineData(3819, "Check constraint 'small' is violated.", "Check constraint 'small__2' is violated.")]
    [InlineData(4025, "CONSTRAINT `bulkload_new_1_t.doc` failed for `d`.`bulkload_new_1_t`", "CONSTRAINT `t.doc` failed for `d`.`t`")]
    [InlineData(1452, "a foreign key constraint fails (`d`.`bulkload_new_1_t`, CONSTRAINT `a``b__2` FOREIGN KEY (`up`) REFERENCES "
        + "`bulkload_new_1_t` (`id`))",
        "a foreign key constraint fails (`d`.`t`, CONSTRAINT `a``b` FOREIGN KEY (`up`) REFERENCES `t` (`id`))")]
    public void A_refusal_has_the_known_names(int error, string text, string expected) =>
        Assert.Equal(expected, Known.Reword((ServerError)error, text));

    [Fact]
    public void Names_may_have_any_sign()
    {
        var known = new KnownTable("bulkload_new_1_a`b", "a`b");
        Assert.Equal("for key 'a`b.name' (`d`.`a``b`, CONSTRAINT `x`",
            known.Reword(ServerError.NoReferencedRow2, "for key 'bulkload_new_1_a`b.name' (`d`.`bulkload_new_1_a``b`, CONSTRAINT `x`"));
    }
}
