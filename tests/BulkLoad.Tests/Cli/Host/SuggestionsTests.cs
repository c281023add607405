namespace BulkLoad.Tests.Cli.Host;

/// <summary>What a mistyped word may have meant.</summary>
public sealed class SuggestionsTests
{
    [Theory]
    [InlineData("--tabel", "--table --threads", "; similar: --table")] // two letters swapped
    [InlineData("--pasword", "--password --port", "; similar: --password")] // one left out
    [InlineData("--reload", "--read --reload", "; similar: --reload, --read")]
    [InlineData("IMPRT", "import", "; similar: import")]
    [InlineData("sed", "seed jobs", "; similar: seed")]
    [InlineData("sxx", "seed", "")] // short words bear one letter
    [InlineData("--thraeda", "--threads", "; similar: --threads")]
    [InlineData("--trxxds", "--threads", "; similar: --threads")] // three letters of nine
    [InlineData("--trxxdz", "--threads", "")]
    [InlineData("--reje", "--reject-file --repairs-file", "; similar: --reject-file")] // a beginning
    [InlineData("--re", "--reject-file", "")] // which is long enough to mean something
    [InlineData("abcd", "abce abxd abcc abca", "; similar: abce, abxd, abcc")] // three at most
    [InlineData("abcd", "abxy abcd", "; similar: abcd")]
    [InlineData("abcdefghi", "abcdefxyi abcdefghx", "; similar: abcdefghx, abcdefxyi")] // the nearest first
    [InlineData("x", "", "")]
    public void Words_that_are_near_are_named(string word, string known, string expected) =>
        Assert.Equal(expected, Suggestions.Hint(word, known.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
}
