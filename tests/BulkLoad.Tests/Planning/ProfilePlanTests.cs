using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Planning;

/// <summary>What a profile changes about a plan, and what it must not.</summary>
public sealed class ProfilePlanTests
{
    private const string Source = "measured by bench tune: server.json";

    private static readonly ServerProfile OfMariaDb = new()
    {
        Kind = "MariaDB",
        Version = TestFacts.MariaDb.VersionText,
        Endpoint = TestFacts.MariaDb.Endpoint,
        Measured = new DateTimeOffset(2026, 11, 21, 20, 30, 5, TimeSpan.Zero),
        With = "some rows",
    };

    private static readonly ServerProfile OfMySql = OfMariaDb with { Kind = "MySQL", Version = TestFacts.MySql.VersionText };

    [Fact]
    public void Sizes_come_from_the_profile_and_say_so()
    {
        var plan = Plan(Of(OfMariaDb, Measured("bulk-execute", null, ("rows-per-packet", 1000), ("rows-per-batch", 2000))));
        Assert.Equal("bulk-execute", plan.Strategy);
        Assert.Equal([new("rows-per-batch", 2000, Source), new PlannedSize("rows-per-packet", 1000, Source)],
            plan.Sizes.Where(size => size.SetBy == Source));
        Assert.Contains(plan.Sql, statement => statement.Contains("up to 1,000 rows at once", StringComparison.Ordinal));
        Assert.Equal(["rows-per-batch", "rows-per-packet"], plan.Profile!.Decides);
        Assert.Equal(("server.json", OfMariaDb.Version, OfMariaDb.Endpoint, OfMariaDb.Measured),
            (plan.Profile.Name, plan.Profile.Version, plan.Profile.Endpoint, plan.Profile.Measured));
    }

    [Fact]
    public void Statements_are_as_long_as_measured()
    {
        var facts = Of(OfMariaDb, Measured("multi-row-insert", null, ("placeholders-per-statement", 6000)));
        var plan = Plan(facts with { Request = facts.Request with { Strategy = "multi-row-insert" } });
        Assert.Contains(plan.Sql, statement => statement.Contains("up to 3,000 rows", StringComparison.Ordinal));
        Assert.Equal(["placeholders-per-statement"], plan.Profile!.Decides);
    }

    [Fact]
    public void A_load_is_as_large_as_measured_where_one_session_carries_rows()
    {
        var facts = Of(OfMySql, Measured("load-data", null, ("bytes-per-batch", 4 << 20)));
        Assert.Empty(Plan(facts).Profile!.Decides);
        var plan = Plan(facts with { Request = facts.Request with { Threads = 1 } });
        Assert.Equal(
            (4 << 20, Source), plan.Sizes.Where(size => size.Name == "bytes-per-batch").Select(size => (size.Value, size.SetBy)).Single());
    }

    [Fact]
    public void What_was_asked_for_comes_first()
    {
        var facts = Of(OfMariaDb with { Sessions = 4 }, Measured("bulk-execute", null, ("rows-per-batch", 2000)));
        var plan = Plan(facts with { Request = facts.Request with { RowsPerBatch = 77, Threads = 3 } });
        Assert.Equal(new PlannedSize("rows-per-batch", 77, "--rows-per-batch"), plan.Sizes.Single(size => size.Name == "rows-per-batch"));
        Assert.Equal(3, plan.Sessions);
        Assert.Empty(plan.Profile!.Decides);
    }

    [Fact]
    public void The_strategy_that_was_measured_as_clearly_faster_is_taken()
    {
        var plan = Plan(Of(OfMySql, Measured("load-data", 4), Measured("multi-row-insert", 3)));
        Assert.Equal("multi-row-insert", plan.Strategy);
        Assert.Equal(["strategy"], plan.Profile!.Decides);
        Assert.Contains(plan.Notes, note => note.StartsWith(
            "multi-row-insert is taken, and not load-data: measured by bench tune: server.json, 1.3", StringComparison.Ordinal));
        Assert.InRange(plan.Verdicts[0].EstimatedSeconds!.Value, 3, 3.1);
    }

    [Fact]
    public void The_usual_strategy_stays_where_another_is_hardly_faster()
    {
        var plan = Plan(Of(OfMySql, Measured("load-data", 4), Measured("multi-row-insert", 3.9)));
        Assert.Equal("load-data", plan.Strategy);
        Assert.DoesNotContain(plan.Notes, note => note.Contains("is taken", StringComparison.Ordinal));
    }

    [Fact]
    public void What_was_measured_is_not_compared_with_what_was_not()
    {
        var plan = Plan(Of(OfMySql, Measured("load-data", 400)));
        Assert.Equal("load-data", plan.Strategy);
        Assert.Empty(plan.Profile!.Decides);
    }

    [Fact]
    public void A_strategy_that_is_not_fit_needs_no_measurement()
    {
        var facts = Of(OfMariaDb, Measured("load-data", 1), Measured("multi-row-insert", 3));
        Assert.Equal("load-data", Plan(facts with { Server = facts.Server with { TakesBulkExecutions = false } }).Strategy);
    }

    [Theory]
    [InlineData(1, "measured by bench tune: server.json")]
    [InlineData(4, "measured by bench tune: server.json; no key can be met twice in the input")]
    public void As_many_sessions_as_were_measured_to_help_carry_rows(int sessions, string reason)
    {
        var plan = Plan(Of(OfMySql with { Sessions = sessions }));
        Assert.Equal((sessions, reason), (plan.Sessions, plan.SessionsReason));
        Assert.Equal(["sessions"], plan.Profile!.Decides);
    }

    [Fact]
    public void One_session_stays_alone_where_order_matters()
    {
        var facts = Of(OfMySql with { Sessions = 4 });
        var plan = Plan(facts with { Table = facts.Table with { RefersToItself = true } });
        Assert.Equal(1, plan.Sessions);
        Assert.Empty(plan.Profile!.Decides);
    }

    /// <summary>Chunks are the unit of a restart, which may have another profile or none.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(null)]
    public void Chunks_are_cut_as_without_a_profile(int? sessions)
    {
        foreach (var server in new[] { TestFacts.MariaDb, TestFacts.MySql })
        {
            var sizes = StrategyCatalog.Import.Select(
                strategy => Measured(strategy.Name, 1, [.. strategy.TunedSizes.Select(size => (size.Name, size.Max))]));
            var facts = Of((server.IsMariaDb ? OfMariaDb : OfMySql) with { Sessions = sessions }, [.. sizes]) with { Server = server };
            foreach (var request in new[]
            {
                facts.Request, facts.Request with { Threads = 1 }, facts.Request with { Atomic = true },
                facts.Request with { BytesPerChunk = 77 }
            })
            {
                var with = LoadPlanner.Decide(facts with { Request = request }, StrategyCatalog.Import).Sizes;
                var without = LoadPlanner.Decide(facts with { Request = request with { Profile = null } }, StrategyCatalog.Import).Sizes;
                Assert.Equal((without.RowsPerChunk, without.BytesPerChunk), (with.RowsPerChunk, with.BytesPerChunk));
            }
        }
    }

    [Fact]
    public void A_profile_of_another_kind_of_server_is_refused()
    {
        var facts = Of(OfMySql) with { Server = TestFacts.MariaDb };
        Assert.Equal(
            "--profile: 'server.json' was measured on MySQL (db:3306), and this server is MariaDB: measure here with bulkload bench tune, "
                + "or leave the option out",
            Assert.Throws<PlanException>(() => Plan(facts)).Message);
    }

    [Fact]
    public void A_profile_of_another_version_or_place_is_noted()
    {
        var plan = Plan(Of(OfMySql with { Version = "8.0.36", Endpoint = "other:3306" }));
        Assert.Contains("profile server.json was measured on version 8.0.36, and this server is 9.7.4: measure again with bulkload bench "
            + "tune", plan.Notes);
        Assert.Contains("profile server.json was measured at other:3306, and this is db:3306: where that is another server or a longer "
            + "way, measure again", plan.Notes);
        Assert.DoesNotContain(Plan(Of(OfMySql)).Notes, note => note.Contains("profile", StringComparison.Ordinal));
    }

    [Fact]
    public void A_plan_without_a_profile_names_none() => Assert.Null(Plan(TestFacts.Of(TestFacts.MySql)).Profile);

    private static LoadPlan Plan(LoadFacts facts) => LoadPlanner.Decide(facts, StrategyCatalog.Import).Plan;

    private static LoadFacts Of(ServerProfile profile, params StrategyProfile[] strategies)
    {
        var facts = TestFacts.Of(profile.Kind == "MariaDB" ? TestFacts.MariaDb : TestFacts.MySql);
        return facts with
        { Request = facts.Request with { Profile = new UsedProfile("server.json", profile with { Strategies = strategies }) } };
    }

    private static StrategyProfile Measured(string strategy, double? microseconds, params (string Name, long Value)[] sizes) =>
        new(strategy, microseconds, [.. sizes.Select(size => KeyValuePair.Create(size.Name, size.Value))]);
}
