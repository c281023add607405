namespace BulkLoad.Tests.Common;

public sealed class PluralTests
{
    [Theory]
    [InlineData(1, "1 record, the first record, the one record")]
    [InlineData(2, "2 records, the first 2 records, all 2 records")]
    [InlineData(2000, "2,000 records, the first 2,000 records, all 2,000 records")]
    public void A_number_and_its_noun_agree(long number, string expected)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        Assert.Equal(expected, $"{Plural.Count(number, "record")}, {Plural.First(number, "record")}, {Plural.All(number, "record")}");
    }
}
