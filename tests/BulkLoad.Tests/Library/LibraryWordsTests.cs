using System.Text.RegularExpressions;
using BulkLoad.Core.Library;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.Tests.Library;

public sealed partial class LibraryWordsTests
{
    [Theory]
    [InlineData("people, record 3: too many (--max-rejects 0)", "people, record 3: too many (MaxRejects 0)")]
    [InlineData("--time-zone +02:00 is no zone", "TimeZone +02:00 is no zone")]
    [InlineData("leave out --dirt preamble=repair", "leave out the program's option 'dirt' preamble=repair")]
    [InlineData("a -- b, --, a--b, ---", "a -- b, --, a--b, ---")]
    public void A_message_names_members_in_the_place_of_options(string message, string expected) =>
        Assert.Equal(expected, LibraryWords.Of(message));

    /// <summary>Whatever option a message of the library's sources names.</summary>
    [Fact]
    public void No_option_is_left_in_a_message()
    {
        var options = SourceText.Code("src/BulkLoad.Core/").SelectMany(file => Option().Matches(file.Text)).Select(match => match.Value)
            .Distinct().ToList();

        Assert.True(options.Count > 50);
        Assert.All(options, option => Assert.DoesNotContain("--", LibraryWords.Of($"{option}: wrong")));
    }

    [GeneratedRegex("(?<![-\\w])--[a-z][a-z-]*[a-z]")]
    private static partial Regex Option();
}
