using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Tests.Schema;

/// <summary>The two tables that say what is different for each kind of column.</summary>
public sealed class ColumnBehaviourTests
{
    [Fact]
    public void Each_kind_has_a_row_in_both_tables() => Assert.All(Enum.GetValues<ColumnKind>(), kind =>
    {
        Assert.NotNull(ColumnBehaviour.Of(kind));
        Assert.NotNull(ColumnSql.Of(kind));
    });

    /// <summary>The catalogue calls integers with a sign and without one the same.</summary>
    [Fact]
    public void Each_kind_is_found_by_the_names_of_its_types()
    {
        var named = Enum.GetValues<ColumnKind>().Except([ColumnKind.UnsignedInteger, ColumnKind.Unsupported]);
        Assert.All(named, kind =>
        {
            Assert.NotEmpty(ColumnBehaviour.Of(kind).Types);
            Assert.All(ColumnBehaviour.Of(kind).Types, type => Assert.Equal(kind, ColumnBehaviour.Find(type.Name.ToUpperInvariant()).Kind));
        });
        Assert.Equal(ColumnKind.Unsupported, ColumnBehaviour.Find("xml").Kind);
    }

    [Fact]
    public void Values_that_cannot_be_compared_exactly_have_no_known_order() => Assert.All(
        Enum.GetValues<ColumnKind>().Where(kind => ColumnBehaviour.Of(kind).KeyUse != KeyUse.Exact),
        kind => Assert.Equal(ValueOrder.Unknown, ColumnBehaviour.Of(kind).Order));
}
