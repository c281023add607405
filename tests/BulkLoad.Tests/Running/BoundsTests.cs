using BulkLoad.Core.Planning;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using Xunit;

namespace BulkLoad.Tests.Running;

/// <summary>Memory does not follow what an input happens to look like.</summary>
public sealed class BoundsTests
{
    [Fact]
    public async Task A_block_ends_with_so_many_values_though_hardly_any_has_a_byte()
    {
        const int columns = 1000;
        var session = new RecordingSession();
        var content = string.Concat(Enumerable.Repeat("{\"c0\":1}\n", 2500));
        var run = Runs.Create(
            new LoadDataStrategy(), new BatchSizes(65_535, 1 << 20), content, [.. Enumerable.Range(0, columns).Select(i => Columns.Integer($"c{i}"))],
            Facts.Request with { Map = [.. Enumerable.Range(1, columns - 1).Select(i => KeyValuePair.Create($"c{i}", $"c{i}"))] });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal((2500, 3), (run.Committed.Records, session.Steps.Count(step => step.StartsWith("serve", StringComparison.Ordinal))));
    }

    [Fact]
    public void Records_are_kept_with_their_rejects_as_far_as_they_are_not_too_large()
    {
        var log = new RejectLog(RejectLimit.OfPercent(100), file: null);
        foreach (var size in new[] { RejectLog.MostTextKept - 5, 6, 5, 1 })
        {
            log.Add(new Reject { Source = "a.csv", Record = 1, Line = 1, Offset = 0, Code = "too-long", Message = "is too long", Text = new byte[size] });
        }

        Assert.Equal([RejectLog.MostTextKept - 5, 0, 5, 0], log.First.Select(reject => reject.Text.Length));
    }
}
