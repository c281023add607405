using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Schema;

public sealed class TopologyTests
{
    private static readonly string?[][] Members =
    [
        ["u1", "a", "3306", "ONLINE", "SECONDARY"],
        ["u2", "b", "3306", "ONLINE", "PRIMARY"],
        ["u3", "c", "3307", "RECOVERING", "SECONDARY"],
    ];

    internal static ServerVariables Variables(params (string Name, string Value)[] values) =>
        new(values.Select(pair => KeyValuePair.Create(pair.Name, pair.Value)));

    [Theory]
    [InlineData("u2", "ON", "Group Replication, single-primary, member 2 of 3 (PRIMARY)", null)]
    [InlineData("u1", "ON", "Group Replication, single-primary, member 1 of 3 (SECONDARY)", "b:3306")]
    [InlineData("u3", "ON", "Group Replication, single-primary, member 3 of 3 (RECOVERING)", "b:3306")]
    [InlineData("u2", "OFF", "Group Replication, multi-primary, member 2 of 3 (PRIMARY)", null)]
    public void A_member_of_a_group_says_which_it_is_and_who_takes_changes(string own, string hasOne, string text, string? primary)
    {
        var found = Topology.OfGroup(Members, own, Variables(("group_replication_single_primary_mode", hasOne)))!;
        Assert.Equal((text, primary, 3), (found.Text, found.Primary, found.Members));
    }

    [Fact]
    public void A_server_that_has_not_joined_its_group_is_a_server_by_itself()
    {
        Assert.Null(Topology.OfGroup([["u1", "a", "3306", "OFFLINE", ""]], "u1", Variables()));
        Assert.Null(Topology.OfGroup([["", "", "", "OFFLINE", ""]], "u1", Variables()));
    }

    [Fact]
    public void Where_no_primary_is_there_nobody_is_named()
    {
        var found = Topology.OfGroup(Members.Take(1).ToList(), "u1", Variables(("super_read_only", "ON")))!;
        Assert.Equal((null, true), (found.Primary, found.IsReadOnlyForAll));
    }

    [Theory]
    [InlineData("OFF", "Group Replication, single-primary")]
    [InlineData("ON", "Group Replication, single-primary, a member that takes no changes (this account may not see which one does)")]
    public void Where_the_members_may_not_be_seen_variables_say_what_they_can(string readOnly, string text) =>
        Assert.Equal(text, Topology.OfGroup(null, "u1", Variables(("super_read_only", readOnly)))!.Text);

    [Theory]
    [InlineData("0", "Synced", "Primary", "Galera node 1 of 3 (Synced)")]
    [InlineData("2", "Donor/Desynced", "Primary", "Galera node 3 of 3 (Donor/Desynced)")]
    [InlineData("18446744073709551615", "Initialized", "non-Primary", "Galera node of 3 (Initialized, non-Primary)")]
    public void A_node_says_which_it_is_and_its_state(string index, string state, string part, string text) =>
        Assert.Equal(text, Topology.OfGalera(Variables(("wsrep_cluster_size", "3"), ("wsrep_local_index", index),
            ("wsrep_local_state_comment", state), ("wsrep_cluster_status", part)))!.Text);

    [Fact]
    public void Variables_of_a_cluster_that_is_not_there_say_nothing() =>
        Assert.Null(Topology.OfGalera(Variables(("wsrep_cluster_size", "0"), ("wsrep_local_state_comment", "Disconnected"))));

    [Theory]
    [InlineData("8.0.11-TiDB-v8.5.0", "TiDB 8.5.0 (by its documentation; not tested)")]
    [InlineData("8.0.40-Vitess", "vtgate (by its documentation; not tested)")]
    [InlineData("10.11.19-MariaDB", null)]
    [InlineData("9.7.4", null)]
    public void Another_server_is_known_by_its_greeting(string version, string? text) =>
        Assert.Equal(text, Topology.OfSpeaker(version, Variables())?.Text);

    [Fact]
    public void Some_are_known_by_a_variable_of_theirs()
    {
        Assert.Equal("SingleStore 8.9.1 (by its documentation; not tested)",
            Topology.OfSpeaker("5.7.32", Variables(("memsql_version", "8.9.1")))!.Text);
        Assert.Equal("Aurora 3.08.0 (by its documentation; not tested)",
            Topology.OfSpeaker("8.0.39", Variables(("aurora_version", "3.08.0")))!.Text);
    }

    [Fact]
    public void A_router_is_named_before_what_is_behind_it()
    {
        Assert.Equal("MySQL Router", Topology.Through("9.7.4-router", null)!.Text);
        Assert.Equal("MySQL Router; primary with 2 replicas", Topology.Through("9.7.4-router", Topology.OfPrimary(2))!.Text);
        Assert.Null(Topology.Through("9.7.4", null));
    }

    [Fact]
    public void A_table_on_several_servers_adds_them()
    {
        Assert.Equal("Spider, 1 shard", Topology.OfSpider(null, 1).Text);
        var head = Topology.OfPrimary(1)!;
        Assert.Equal(head with { Text = "primary with 1 replica; Spider, 2 shards" }, Topology.OfSpider(head, 2));
    }

    [Fact]
    public void A_replica_that_does_not_replicate_may_become_the_primary()
    {
        var variables = Variables(("read_only", "ON"), ("super_read_only", "ON"));
        Assert.Equal(("replica of a:3306 (read-only)", "a:3306", true),
            Topology.OfReplica("a:3306", true, variables) is var runs ? (runs.Text, runs.Primary, runs.IsReadOnlyForAll) : default);
        Assert.Equal(("replica of a:3306 (read-only, does not replicate at present)", null, false),
            Topology.OfReplica("a:3306", false, variables) is var halted
                ? (halted.Text, halted.Primary, halted.IsReadOnlyForAll) : default);
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("group_replication_transaction_size_limit=150000000", "")]
    [InlineData("group_replication_group_name=g group_replication_transaction_size_limit=150000000",
        "group_replication_transaction_size_limit is 150,000,000 bytes")]
    [InlineData("group_replication_group_name=g group_replication_transaction_size_limit=0", "")]
    [InlineData("wsrep_on=OFF wsrep_max_ws_size=2147483647 wsrep_max_ws_rows=0", "")]
    [InlineData("wsrep_on=ON wsrep_max_ws_size=2147483647 wsrep_max_ws_rows=0", "wsrep_max_ws_size is 2,147,483,647 bytes")]
    [InlineData("wsrep_on=ON wsrep_max_ws_rows=50000", "wsrep_max_ws_rows is 50,000 rows")]
    [InlineData("log_bin=ON max_binlog_cache_size=18446744073709547520", "")]
    [InlineData("log_bin=OFF max_binlog_cache_size=4194304", "")]
    [InlineData("log_bin=ON max_binlog_cache_size=4194304", "max_binlog_cache_size is 4,194,304 bytes")]
    public void A_limit_counts_where_it_is_in_force(string variables, string expected) => Assert.Equal(expected, string.Join("; ",
        TransactionLimit.In(Variables([.. variables.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(one => (one.Split('=')[0], one.Split('=')[1]))])).Select(limit => limit.Text)));
}
