namespace BulkLoad.Tests.Architecture;

/// <summary>What roff would misread does not come into the man pages; groff -man -Tutf8 -ww finds nothing in them either.</summary>
public sealed class ManPageTests
{
    private static readonly string[] Requests = [".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".nh", ".ad"];

    public static TheoryData<string> Pages => [.. ManPages.All().Keys];

    /// <summary>BULKLOAD_MAN_PAGES=FOLDER writes them there: so a release makes them (eng/release.sh).</summary>
    [Fact]
    public void There_is_a_page_for_the_program_and_each_command()
    {
        var folder = Environment.GetEnvironmentVariable("BULKLOAD_MAN_PAGES") ?? Directory.CreateTempSubdirectory("man").FullName;
        foreach (var (file, text) in ManPages.All())
        {
            File.WriteAllText(Path.Combine(folder, file), text);
        }

        foreach (var name in new[] { "bulkload", "bulkload-import", "bulkload-jobs", "bulkload-bench-tune" })
        {
            Assert.True(File.Exists(Path.Combine(folder, $"{name}.1")), name);
        }

        if (Environment.GetEnvironmentVariable("BULKLOAD_MAN_PAGES") is null)
        {
            Directory.Delete(folder, recursive: true);
        }
    }

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
