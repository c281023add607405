using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Input;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Ledger;

/// <summary>By which rules a job remembers that an input was read.</summary>
public sealed class SourceRulesTests
{
    [Theory]
    [InlineData("|", "|")]
    [InlineData("||", "||")]
    [InlineData("\t\t", "tabtab")]
    public void The_whole_delimiter_is_a_rule(string delimiter, string rule)
    {
        var options = new SourceOptions { Format = InputFormat.Csv, Delimiter = delimiter[0], DelimiterTail = delimiter[1..] };
        using var input = Inputs.Open(Inputs.Utf8($"a{delimiter}b\n1{delimiter}2\n"), options);
        var source = new LoadSource(SourceProbe.Look(input, options), new ColumnMapping([], [], []), null);
        Assert.Equal(rule, JobRules.Of(source, TestFacts.Request with { Source = options })["--delimiter"]);
    }
}
