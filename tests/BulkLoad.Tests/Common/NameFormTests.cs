namespace BulkLoad.Tests.Common;

public sealed class NameFormTests
{
    [Theory]
    [InlineData("Updated At", "updatedat")]
    [InlineData("updated_at", "updatedat")]
    [InlineData("N° client", "nclient")]
    [InlineData("GRÖSSE", "grosse")]
    [InlineData("Größe", "grose")]
    [InlineData("Gro\u0308ße", "grose")]
    [InlineData("Łódź", "lodz")]
    [InlineData("日本", "日本")]
    [InlineData("---", "")]
    public void Only_letters_and_digits_without_accents_are_left(string name, string expected) =>
        Assert.Equal(expected, NameForm.Reduce(name));
}
