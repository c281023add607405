using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Sending.Throttling;

/// <summary>The lag of a replica, as the age of the oldest commit that it lacks.</summary>
public sealed class ReplicaLagTests : IAsyncDisposable
{
    private const string State = "SHOW ALL SLAVES STATUS";

    private readonly SkippingClock _clock = new();
    private RecordingSession _primary = new();
    private RecordingSession _replica = new();
    private string _committed = "10";
    private string _applied = "10";

    public async ValueTask DisposeAsync()
    {
        await _primary.DisposeAsync();
        await _replica.DisposeAsync();
    }

    public static TheoryData<string> Forms => ["domain", "gtid-set", "file", "write-set"];

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task It_is_waited_for_once_it_lacks_a_commit_for_longer_than_it_may_until_it_has_all(string form)
    {
        Set(form);
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await using var watch = Watch(log);
        Assert.False((await LookAsync(log, watch, 0)).IsTooMuch);
        _committed = "12";
        Assert.False((await LookAsync(log, watch, 0.5)).IsTooMuch);
        _committed = "14";

        // Half of the limit, by a replica that is taken to be four times as slow.
        var state = await LookAsync(log, watch, 1);
        Assert.Equal((true, "replica one:3306 is 1.5 s behind (--max-lag 8 s)"), (state.IsTooMuch, state.Text));
        _applied = "12";
        Assert.True((await LookAsync(log, watch, 1)).IsTooMuch);
        _applied = "14";
        Assert.False((await LookAsync(log, watch, 1)).IsTooMuch);
        Assert.Equal(TimeSpan.FromSeconds(2), watch.GreatestLag);

        // It took 3.5 s for what the primary did in 1.5, so the next burst may be longer.
        _committed = "20";
        Assert.False((await LookAsync(log, watch, 1.2)).IsTooMuch);
        Assert.True((await LookAsync(log, watch, 0.4)).IsTooMuch);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task One_that_follows_is_not_waited_for_whatever_it_reports(string form)
    {
        Set(form);
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await using var watch = Watch(log);
        for (var commit = 11; commit < 40; commit++)
        {
            Assert.False((await LookAsync(log, watch, 1)).IsTooMuch);
            _applied = _committed;
            _committed = $"{commit}";
        }

        Assert.InRange(watch.GreatestLag, TimeSpan.Zero, TimeSpan.FromSeconds(2));
    }

    [Fact]
    public async Task One_that_was_behind_before_is_waited_for_by_what_it_reports()
    {
        Set("domain");
        _replica.Table(State, ["Seconds_Behind_Master"], ["31"]);
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await using var watch = Watch(log);
        Assert.True((await LookAsync(log, watch, 0)).IsTooMuch);
        _replica.Table(State, ["Seconds_Behind_Master"], ["3"]);
        Assert.False((await LookAsync(log, watch, 1)).IsTooMuch);
        Assert.Equal(TimeSpan.FromSeconds(31), watch.GreatestLag);
    }

    [Theory]
    [InlineData("domain", State)]
    [InlineData("gtid-set", "SHOW REPLICA STATUS")]
    public async Task No_right_is_needed_where_there_are_gtids(string form, string question)
    {
        Set(form);
        _replica.Answers(question, _ => throw new ServerException(1227, "42000", "Access denied; you need REPLICATION CLIENT"));
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await using var watch = Watch(log);
        Assert.False((await LookAsync(log, watch, 0)).IsTooMuch);
        _committed = "12";
        Assert.False((await LookAsync(log, watch, 0.5)).IsTooMuch);
        Assert.True((await LookAsync(log, watch, 1)).IsTooMuch);
        _applied = "12";
        Assert.False((await LookAsync(log, watch, 1)).IsTooMuch);
    }

    [Fact]
    public async Task One_that_stops_while_it_lacks_nothing_is_waited_for()
    {
        Set("domain");
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await using var watch = Watch(log);
        Assert.False((await LookAsync(log, watch, 0)).IsTooMuch);
        _replica.Table(State, ["Channel", "Seconds_Behind_Master"], ["", null]);
        Assert.Equal("replica one:3306 does not replicate at present", (await LookAsync(log, watch, 1)).Text);
    }

    [Fact]
    public async Task Replicas_are_those_that_the_server_knows()
    {
        Set("domain");
        _primary.Rows("SHOW SLAVE HOSTS", ["2", "db2", "3307", "1"], ["3", "db3", "3306", "1"]);
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await log.LookAsync(default);
        Assert.Equal([("db2", 3307), ("db3", 3306)], await log.FindReplicasAsync(default));
        _primary.Rows("SHOW SLAVE HOSTS", ["2", "", "3307", "1"]);
        Assert.EndsWith("name them with --check-replica",
            (await Assert.ThrowsAsync<PlanException>(() => log.FindReplicasAsync(default))).Message);
    }

    [Fact]
    public async Task An_account_that_may_not_see_the_members_of_a_group_may_see_the_replicas()
    {
        Set("gtid-set");
        _primary.Answers("SELECT MEMBER_HOST", _ => throw new ServerException(1142, "42000", "SELECT command denied"));
        _primary.Rows("SHOW REPLICAS", ["2", "db2", "3307", "1"]);
        await using var log = new PrimaryLog(_ => Task.FromResult<IServerSession>(_primary), _clock);
        await log.LookAsync(default);
        Assert.Equal([("db2", 3307)], await log.FindReplicasAsync(default));
    }

    private ReplicaWatch Watch(PrimaryLog log) =>
        new("one:3306", TimeSpan.FromSeconds(8), _ => Task.FromResult<IServerSession>(_replica), _clock, log);

    private async Task<ThrottleState> LookAsync(PrimaryLog log, ReplicaWatch watch, double seconds)
    {
        await Task.Delay(TimeSpan.FromSeconds(seconds), _clock);
        if (await log.LookAsync(default) is { } sample)
        {
            watch.Expect(sample);
        }

        return await watch.LookAsync(default);
    }

    private void Set(string form)
    {
        var isMariaDb = form is "domain" or "write-set";
        (_primary, _replica) = (new RecordingSession(isMariaDb), new RecordingSession(isMariaDb));
        switch (form)
        {
            case "domain":
                _primary.RowNow("SELECT @@GLOBAL.gtid_binlog_pos", () => [$"3-9-7,0-1-{_committed}", "0"]);
                _replica.RowNow("SELECT @@GLOBAL.gtid_slave_pos", () => [$"0-1-{_applied},3-9-2"]);
                _replica.Table(State, ["Seconds_Behind_Master"], ["0"]);
                break;
            case "gtid-set":
                _primary.RowNow("SELECT REPLACE(@@GLOBAL.gtid_executed, CHAR(10), '')", () => [$"aa:1-{_committed}", null]);
                _replica.Answers("SELECT GTID_SUBSET(GTID_SUBTRACT(", query =>
                    [[.. Regex.Matches(query, "'aa:1-(\\d+)', 'aa:1-10'").Select(match => Has(match.Groups[1].Value))]]);
                _replica.Table("SHOW REPLICA STATUS", ["Seconds_Behind_Source"], ["0"]);
                break;
            case "file":
                _primary.RowNow("SHOW BINARY LOG STATUS", () => ["binlog.000009", _committed, ""]);
                _replica.Answers("SHOW REPLICA STATUS", _ => [["0", "binlog.000009", _applied]],
                    "Seconds_Behind_Source", "Relay_Source_Log_File", "Exec_Source_Log_Pos");
                break;
            default:
                const string Cluster = "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_state_uuid'";
                _primary.Answers(Cluster, _ => [["wsrep_last_committed", _committed], ["wsrep_cluster_state_uuid", "u1"]]);
                _replica.Answers(Cluster, _ => [["wsrep_last_committed", _applied], ["wsrep_cluster_state_uuid", "u1"]]);
                break;
        }
    }

    private string Has(string position) => int.Parse(_applied) >= int.Parse(position) ? "1" : "0";
}
