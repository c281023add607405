using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input;

public sealed class InputPathsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName + "/";

    public InputPathsTests()
    {
        Directory.CreateDirectory(_folder + "sub/deep");
        Directory.CreateDirectory(_folder + ".git");
        foreach (var name in new[]
        {
            "a1.csv", "a2.csv", "a10.csv", "b1.csv", "B2.csv", "w[1].csv", ".hidden.csv", "c.tsv", ".git/g.csv",
            "sub/s.csv", "sub/deep/d.csv",
        })
        {
            File.WriteAllText(_folder + name, "");
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("a*.csv", "a1.csv", "a10.csv", "a2.csv")]
    [InlineData("a?.csv", "a1.csv", "a2.csv")]
    [InlineData("[a-b]1.csv", "a1.csv", "b1.csv")]
    [InlineData("[!a]?.csv", "B2.csv", "b1.csv")]
    [InlineData("w[1].csv", "w[1].csv")]
    [InlineData("w[[]1].csv", "w[1].csv")]
    [InlineData("*.tsv", "c.tsv")]
    [InlineData("*.csv", "B2.csv", "a1.csv", "a10.csv", "a2.csv", "b1.csv", "w[1].csv")]
    [InlineData(".*.csv", ".hidden.csv")]
    [InlineData("*/*.csv", "sub/s.csv")]
    [InlineData("**/[ds].csv", "sub/deep/d.csv", "sub/s.csv")]
    [InlineData("sub/**", "sub/deep/d.csv", "sub/s.csv")]
    [InlineData("s?b/**/d.csv", "sub/deep/d.csv")]
    [InlineData("none.csv", "none.csv")]
    public void Pattern_stands_for_its_files_in_ordinal_order(string pattern, params string[] expected) =>
        Assert.Equal(expected.Select(name => _folder + name), InputPaths.Expand([_folder + pattern]));

    [Theory]
    [InlineData("*", "a", true)]
    [InlineData("**", "", true)]
    [InlineData("*a*b", "xaabab", true)]
    [InlineData("*a*b", "xaaba", false)]
    [InlineData("*.csv*", ".csv", false)]
    [InlineData(".*", ".csv", true)]
    [InlineData("[.]csv", ".csv", false)]
    [InlineData("?", "", false)]
    [InlineData("a?", "a\n", true)]
    [InlineData("a", "A", false)]
    [InlineData("[a-c]", "b", true)]
    [InlineData("[a-c]", "-", false)]
    [InlineData("[-c]", "-", true)]
    [InlineData("[a-]", "-", true)]
    [InlineData("[c-a]", "b", false)]
    [InlineData("[!a-c]", "b", false)]
    [InlineData("[^a-c]x", "dx", true)]
    [InlineData("[!]", "!", true)]
    [InlineData("[!]]", "!]", true)]
    [InlineData("[^]", "a", false)]
    [InlineData("[]]", "]", true)]
    [InlineData("[]", "[]", true)]
    [InlineData("[*]", "*", true)]
    [InlineData("[*]", "a", false)]
    [InlineData("[?", "[x", true)]
    [InlineData("[\\]", "\\", true)]
    [InlineData("*[0-9][0-9]", "a123", true)]
    [InlineData("a+(b)", "a+(b)", true)]
    public void Name_fits_a_pattern_as_in_a_shell(string pattern, string name, bool fits) =>
        Assert.Equal(fits, new NamePattern(pattern).Fits(name));

    [Fact]
    public void Order_of_the_words_is_kept_and_a_dash_is_standard_input() =>
        Assert.Equal(
            [_folder + "c.tsv", "-", _folder + "a1.csv"],
            InputPaths.Expand([_folder + "c.tsv", "-", _folder + "*1.csv"]).Take(3));

    [Theory]
    [InlineData("x*.csv")]
    [InlineData("none/*.csv")]
    [InlineData("*/../*.csv")]
    [InlineData("[b-a].csv")]
    public void Pattern_that_no_file_fits_is_an_error(string pattern) =>
        Assert.Throws<InputException>(() => InputPaths.Expand([_folder + pattern]));

    [Fact]
    public void File_that_is_named_twice_is_refused() =>
        Assert.Throws<RequestException>(() => InputPaths.Expand([_folder + "a1.csv", _folder + "a?.csv"]));
}
