using BulkLoad.Core.Ledger;

namespace BulkLoad.Tests.Ledger;

/// <summary>What a job's row says of indexes that are missing.</summary>
public sealed class DroppedIndexesTests
{
    private static readonly JobRecord Job = new()
    {
        Command = "import",
        Table = "shop.people",
        Sources = [],
        Runner = new JobRunner("ada@build7", 1, 0, DateTime.UnixEpoch),
    };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void It_is_read_as_it_was_written(bool isLoaded)
    {
        string[] definitions = ["KEY `a``\"b` (`a`(3)) COMMENT 'it''s\\n \\\\ \U0001F600'", "KEY `c` (`c` DESC)"];
        var read = JobRecord.Read((Job with { Dropped = new DroppedIndexes("sh.op", "peo.ple", definitions, isLoaded) }).Write()).Dropped!;
        Assert.Equal(("sh.op", "peo.ple", isLoaded), (read.Database, read.Table, read.IsLoaded));
        Assert.Equal(definitions, read.Definitions);
        Assert.Equal(["a`\"b", "c"], read.Names);
        Assert.Null(JobRecord.Read(Job.Write()).Dropped);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("{}")]
    [InlineData("""{"database":"d","table":"t","definitions":[]}""")]
    [InlineData("""{"database":"d","table":"t","definitions":["DROP TABLE `x`"]}""")]
    [InlineData("""{"database":"d","table":"t","definitions":[1]}""")]
    [InlineData("""{"table":"t","definitions":["KEY `a` (`a`)"]}""")]
    public void What_cannot_be_read_never_passes_for_nothing(string dropped) =>
        Assert.Throws<PlanException>(() => JobRecord.Read(Job.Write()[..^1] + $",\"dropped\":{dropped}}}"));
}
