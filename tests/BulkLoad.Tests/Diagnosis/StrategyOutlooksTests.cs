using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Diagnosis;

/// <summary>What each unfit strategy says would make it fit.</summary>
public sealed class StrategyOutlooksTests
{
    private static readonly ServerVariables Off = new([KeyValuePair.Create("local_infile", "OFF")]);
    private static readonly ServerVariables On = new([KeyValuePair.Create("local_infile", "ON")]);

    private static string? UnlockOf(string strategy, LoadFacts facts, ServerVariables variables) =>
        StrategyOutlooks.Of(facts, variables, "app@%").Single(outlook => outlook.Strategy == strategy && !outlook.IsFit).Unlock;

    [Fact]
    public void Load_data_is_unlocked_by_the_setting_only_where_that_is_off()
    {
        var facts = TestFacts.Of(TestFacts.MySql with { LocalInfileRefusal = "the server refuses it" });
        Assert.Equal("SET GLOBAL local_infile=ON", UnlockOf("load-data", facts, Off));
        Assert.Null(UnlockOf("load-data", facts, On));
    }

    [Fact]
    public void Load_data_is_unlocked_by_a_larger_packet() =>
        Assert.Equal("SET GLOBAL max_allowed_packet=67108864", UnlockOf(
            "load-data", TestFacts.Of(TestFacts.MySql with { MaxAllowedPacket = 65_536 }), On));

    [Fact]
    public void Bulk_execution_is_unlocked_by_settings_and_on_mysql_by_nothing()
    {
        Assert.Equal(
            "SET GLOBAL binlog_format=ROW", UnlockOf("bulk-execute", TestFacts.Of(TestFacts.MariaDb with { LogsStatements = true }), On));
        Assert.Equal("SET GLOBAL max_prepared_stmt_count=16382", UnlockOf(
            "bulk-execute", TestFacts.Of(TestFacts.MariaDb with { MaxPreparedStatements = 0 }), On));
        Assert.Null(UnlockOf("bulk-execute", TestFacts.Of(TestFacts.MySql), On));
    }

    [Fact]
    public void The_chosen_one_comes_first() => Assert.True(StrategyOutlooks.Of(TestFacts.Of(TestFacts.MySql), On, "app@%")[0]
        is { IsChosen: true, IsFit: true, Unlock: null, Command: "import" });
}
