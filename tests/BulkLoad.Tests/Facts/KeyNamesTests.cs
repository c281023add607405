using BulkLoad.Core.Facts;

namespace BulkLoad.Tests.Facts;

public sealed class KeyNamesTests
{
    [Theory]
    [InlineData("id", true)]
    [InlineData("customer_id", true)]
    [InlineData("customerId", true)]
    [InlineData("Order No", true)]
    [InlineData("sku", true)]
    [InlineData("id_of_old_system", false)]
    [InlineData("qty", false)]
    [InlineData("unit_price", false)]
    [InlineData("paid", false)]
    [InlineData("rooms", false)]
    public void A_column_that_is_not_the_first_is_a_key_by_its_name(string name, bool isLikely) =>
        Assert.Equal(isLikely, KeyNames.IsLikely(name, isFirst: false));

    [Theory]
    [InlineData("rooms", true)]
    [InlineData("qty", false)]
    [InlineData("2024 total", false)]
    [InlineData("", false)]
    public void The_first_column_is_one_unless_it_counts_or_measures(string name, bool isLikely) =>
        Assert.Equal(isLikely, KeyNames.IsLikely(name, isFirst: true));
}
