using BulkLoad.Cli.Output;

namespace BulkLoad.Tests.Cli.Output;

public sealed class LineWrapTests
{
    [Theory]
    [InlineData("a line that fits", 16, "a line that fits")]
    [InlineData("", 3, "")]
    [InlineData("a line that does not", 12, "a line that|  does not")]
    [InlineData("  an indented line", 12, "  an|    indented|    line")]
    [InlineData("reject  people.csv:3: 'x' is no number", 24, "reject  people.csv:3:|        'x' is no number")]
    [InlineData("  chosen  load-data  why it is", 24, "  chosen  load-data|      why it is")]
    [InlineData("/a/path/without/a/place/to/break is", 10, "/a/path/without/a/place/to/break|  is")]
    [InlineData("the name 'Ada the first' is", 18, "the name|  'Ada the first'|  is")]
    [InlineData("the name 'O'Brien Pat' (`a b`) too", 20, "the name|  'O'Brien Pat'|  (`a b`) too")]
    [InlineData("the column's own name is the file's", 14, "the column's|  own name is|  the file's")]
    [InlineData("an import of all in 0.31 s", 24, "an import of all in|  0.31 s")]
    [InlineData("a reject (bulkload help not-a-number)", 36, "a reject|  (bulkload help not-a-number)")]
    [InlineData("the log is 'https://db.example/my log.txt' here", 20, "the log is|  'https://db.example/my log.txt'|  here")]
    [InlineData("see (/a/long/path/to/a/file.csv) there", 14, "see|  (/a/long/path/to/a/file.csv)|  there")]
    [InlineData("the name is \u6771\u4EAC\u90FD yes", 16, "the name is|  \u6771\u4EAC\u90FD yes")]
    [InlineData("the name is \u6771\u4EAC\u90FD", 18, "the name is \u6771\u4EAC\u90FD")]
    [InlineData("a cafe\u0301 is", 9, "a cafe\u0301 is")]
    [InlineData("\u6771\u4EAC  the first and others", 16, "\u6771\u4EAC  the first|      and others")]
    public void Lines_are_broken_between_words(string line, int width, string expected) =>
        Assert.Equal(expected.Split('|'), LineWrap.Line(line, width));

    [Fact]
    public void A_command_can_be_copied()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the sign that continues a line is another one");
        const string Line = "to load them: bulkload import 'my file.csv' --table people --map 'Full Name=name' --quiet";
        string[] lines = [.. LineWrap.Line(Line, 34)];

        Assert.Equal(
            ["to load them:", @"  bulkload import 'my file.csv' \", @"    --table people \", "    --map 'Full Name=name' --quiet"], lines);
        Assert.All(lines, line => Assert.InRange(line.Length, 0, 34));
    }

    [Fact]
    public void The_form_of_a_command_is_text() =>
        Assert.Equal(["Usage: bulkload import", "  FILE... [options]"], LineWrap.Line("Usage: bulkload import FILE... [options]", 24));

    [Theory]
    [InlineData(true, "\e[1ma long\n  result\e[0m\nand\n  another\n")]
    [InlineData(false, "a long result\nand another\n")]
    public void Only_lines_of_a_terminal_are_broken(bool isTerminal, string expected)
    {
        using var written = new StringWriter();
        var output = new StandardOutput(written, isTerminal, isTerminal ? () => 9 : null);
        output.PrintResult(to => to.Write("a long result\nand another\n"), BulkLoad.Cli.Host.ExitCode.Failed);
        Assert.Equal(expected, written.ToString().ReplaceLineEndings("\n"));
    }

    [Theory]
    [InlineData("", 0)]
    [InlineData("Zo\u00EB", 3)]
    [InlineData("Zoe\u0308", 3)]
    [InlineData("\u6771\u4EAC", 4)]
    [InlineData("\uD55C\uAE00", 4)]
    [InlineData("\uFF21\uFF71", 3)]
    [InlineData("\U0001F600!", 3)]
    [InlineData("\U0001F469\u200D\U0001F4BB", 4)]
    [InlineData("\u2713\u2026", 2)]
    public void A_wide_letter_takes_two_columns_and_a_mark_none(string text, int width) => Assert.Equal(width, TextWidth.Of(text));

    [Fact]
    public void Columns_of_a_table_are_below_each_other_whatever_its_letters()
    {
        using var written = new StringWriter { NewLine = "\n" };
        TextTable.Write(written, [["name", "rows"], ["\u6771\u4EAC\u90FD", "12"], ["Zoe\u0308", "3"]], 80, numbers: 1);
        Assert.Equal("name    rows\n\u6771\u4EAC\u90FD    12\nZoe\u0308        3\n", written.ToString());
    }

    [Fact]
    public void A_table_becomes_lists_where_its_columns_do_not_fit()
    {
        string[][] rows = [["file", "rows"], ["people.csv", "12"], ["orders.csv", ""]];
        Assert.Equal("file        rows\npeople.csv    12\norders.csv\n", Table(16));
        Assert.Equal("file    people.csv\n  rows  12\nfile    orders.csv\n", Table(15));

        string Table(int width)
        {
            using var written = new StringWriter { NewLine = "\n" };
            TextTable.Write(written, rows, width, numbers: 1);
            return written.ToString();
        }
    }
}
