using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

/// <summary>What a preview says first.</summary>
public sealed class PreviewTextTests
{
    [Theory]
    [InlineData("", "preview: nothing was written; it would be: ")]
    [InlineData("a", "preview: nothing was written; the counts are not exact, since a; it would be about: ")]
    [InlineData("a;b", "preview: nothing was written; the counts are not exact, since a, and since b; it would be about: ")]
    public void Counts_that_are_not_exact_say_so_first(string reasons, string expected) =>
        Assert.Equal(expected, PreviewText.Prefix(Of(reasons, null)));

    [Fact]
    public void Where_it_stops_comes_behind_that() => Assert.Equal(
        "preview: nothing was written; the counts are not exact, since a; the command would stop at a record that the server refuses, and "
            + "nothing would "
            + "be committed; with --max-rejects 2 it would be about: ",
        PreviewText.Prefix(Of("a", new PreviewStop(null, null, null, 0, "nothing would be committed"))));

    [Fact]
    public void Rejects_of_which_nobody_knows_the_record_are_counted()
    {
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Of("a", null) with { RejectsByReason = new Dictionary<string, long> { ["foreign-key"] = 2 } });
        Assert.Contains("\nreject  2 records: which of them is not known here (bulkload help foreign-key)\n", written.ToString(),
            StringComparison.Ordinal);
    }

    private static LoadReport Of(string reasons, PreviewStop? stop) => Samples.Report with
    {
        Counts = new LoadCounts { Read = 10, Inserted = 8, Rejected = 2 },
        Preview = new PreviewReport { Key = ["id"], NotExact = reasons.Split(';', StringSplitOptions.RemoveEmptyEntries), Stop = stop },
    };
}
