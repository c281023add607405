namespace BulkLoad.Tests.Architecture;

/// <summary>What roff would misread does not come into the man pages; groff -man -Tutf8 -ww finds nothing in them either.</summary>
public sealed class ManPageTests
{
    private static readonly string[] Requests = [".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".nh", ".ad"];

    public static TheoryData<string> Pages => [.. ManPages.All().Keys];

    [Theory]
    [MemberData(nameof(Pages))]
    public void A_page_has_only_known_requests_and_characters(string page)
    {
        foreach (var line in ManPages.All()[page].TrimEnd('\n').Split('\n'))
        {
            Assert.All(line, letter => Assert.InRange(letter, ' ', '~'));
            Assert.True(line.Length > 0 && line[0] != '\'', line);
            Assert.True(line[0] != '.' || Requests.Contains(line.Split(' ')[0]), line);
        }
    }

    [Fact]
    public void Each_page_begins_with_a_name_that_apropos_can_read() => Assert.All(ManPages.All(), page =>
    {
        var lines = page.Value.Split('\n');
        var name = page.Key[..^2].Replace("-", "\\-", StringComparison.Ordinal);
        Assert.StartsWith($"{name} \\- ", lines[Array.IndexOf(lines, ".SH NAME") + 1], StringComparison.Ordinal);
    });
}
