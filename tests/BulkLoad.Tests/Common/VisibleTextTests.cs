namespace BulkLoad.Tests.Common;

public sealed class VisibleTextTests
{
    [Theory]
    [InlineData("people.csv:2: 'x'", "people.csv:2: 'x'")]
    [InlineData("Größe 日本 👍", "Größe 日本 👍")]
    [InlineData("a\e[31mb\u0007.csv", @"a\x1b[31mb\x07.csv")]
    [InlineData("a\rb\u009b2J\u007f", @"a\x0db\x9b2J\x7f")]
    [InlineData("gpj.\u202egnp", @"gpj.\x202egnp")]
    [InlineData("a\u2028b\u200bc", @"a\x2028b\x200bc")]
    public void What_a_terminal_would_obey_is_shown_by_its_number(string text, string shown) => Assert.Equal(shown, VisibleText.Of(text));

    [Fact]
    public void Lines_and_tabs_stay() => Assert.Equal("a\n\tb\nc", VisibleText.Of("a\r\n\tb\nc"));
}
