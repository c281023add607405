using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Schema;

/// <summary>What TiDB and Vitess do in another way, by their documentation.</summary>
public sealed class SpeakerRulesTests
{
    [Theory]
    [InlineData("8.0.11-TiDB-v6.1.7", false, false)]
    [InlineData("8.0.11-TiDB-v6.2.0", true, false)]
    [InlineData("8.0.11-TiDB-v7.5.9", true, false)]
    [InlineData("8.0.11-TiDB-v7.6.0-alpha", true, true)]
    [InlineData("8.0.11-TiDB-v10.0.0", true, true)]
    [InlineData("8.0.11-TiDB-None", false, false)]
    [InlineData("9.7.4", true, true)]
    [InlineData("10.11.19-MariaDB", true, true)]
    public void Versions_decide(string version, bool hasSavepoints, bool loads)
    {
        var server = Topology.OfGreeting(version);
        Assert.Equal(hasSavepoints, SpeakerRules.HasSavepoints(version));
        Assert.Equal(loads, SpeakerRules.FindLoadObstacle(server) is null);
        Assert.Equal(server is null ? 0 : 1, SpeakerRules.Limits(server).Count());
    }

    [Theory]
    [InlineData(1, null)]
    [InlineData(2, "has 2 shards")]
    [InlineData(null, "has perhaps several shards")]
    public void A_ledger_needs_one_shard(int? shards, string? why)
    {
        var obstacle = SpeakerRules.FindLedgerObstacle("shop", shards);
        Assert.Equal(why is null, obstacle is null);
        Assert.Contains(why ?? "", obstacle ?? "", StringComparison.Ordinal);
    }
}
