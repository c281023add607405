using BulkLoad.Cli.Connecting;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class OptionFileTests
{
    [Fact]
    public void Groups_comments_and_both_kinds_of_names_are_read()
    {
        const string Text = """
            # a comment
            ; another
              [client]
            user = app
            ssl_mode=REQUIRED   # until here
            no-beep

            [ bulkload ]
            !include /etc/extra.cnf
            !includedir /etc/my cnf.d
            """;

        Assert.Equal(
            [
                new(4, "client", "user", "app"),
                new(5, "client", "ssl-mode", "REQUIRED"),
                new(6, "client", "no-beep", null),
                new(9, "bulkload", "!include", "/etc/extra.cnf"),
                new(10, "bulkload", "!includedir", "/etc/my cnf.d"),
            ],
            OptionFile.Parse(Text.ReplaceLineEndings("\r\n")));
    }

    [Theory]
    [InlineData("x", "x")]
    [InlineData("", "")]
    [InlineData("  a b  ", "a b")]
    [InlineData("\"a # b\"", "a # b")]
    [InlineData("'a # b' # c", "a # b")]
    [InlineData("a#b", "a")]
    [InlineData("\"it's\"", "it's")]
    [InlineData("\"a\\\"#b\"", "a\"#b")]
    [InlineData("'  kept  '", "  kept  ")]
    [InlineData("a=b=c", "a=b=c")]
    [InlineData(@"a\sb\tc\\d\n\r\be", "a b\tc\\d\n\r\be")]
    [InlineData(@"C:\Program\sFiles", @"C:\Program Files")]
    [InlineData(@"\S\q\", @"\S\q\")]
    [InlineData("\"half", "\"half")]
    [InlineData("\"a \\\"q\\\" #x\" # c", "a \"q\" #x")]
    [InlineData("'it\\'s'", "it's")]
    public void A_value_is_unquoted_and_unescaped_as_the_manual_says(string written, string value) =>
        Assert.Equal(value, Assert.Single(OptionFile.Parse($"[client]\npassword={written}")).Value);

    [Theory]
    [InlineData("[client\npassword=HUSH", "line 1: the group's ']' is missing")]
    [InlineData("password=HUSH", "line 1: a setting is before the first [group]")]
    [InlineData("[client]\n!HUSH", "line 2: only !include FILE and !includedir FOLDER begin with '!'")]
    public void A_line_that_cannot_be_read_is_named_but_not_repeated(string text, string message) =>
        Assert.Equal(message, Assert.Throws<FormatException>(() => OptionFile.Parse(text)).Message);
}
