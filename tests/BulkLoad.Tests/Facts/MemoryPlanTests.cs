using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class MemoryPlanTests
{
    private const long MiB = 1024 * 1024;

    private static LoadFacts Of(long? most, Func<LoadRequest, LoadRequest>? change = null)
    {
        var facts = TestFacts.Of(TestFacts.MySql, Columns.Integer("id").Required(), Columns.Varchar("name"));
        var request = facts.Request with { MaxMemory = most };
        return facts with { Request = change?.Invoke(request) ?? request, Sources = [facts.Sources[0] with { Bytes = 100 * MiB }] };
    }

    private static LoadDecision Plan(LoadFacts facts) => LoadPlanner.Decide(facts, StrategyCatalog.Import);

    [Fact]
    public void What_cannot_be_kept_is_refused_with_the_least_that_can()
    {
        var fault = Assert.Throws<PlanException>(() => Plan(Of(359 * MiB)));
        Assert.Equal("--max-memory 359Mi is too little: the least here is 360Mi, 320Mi of them for records of up to 16Mi "
            + "(--max-record-bytes)", fault.Message);
        Plan(Of(360 * MiB));
        Plan(Of(60 * MiB, request => request with { Source = request.Source with { MaxRecordBytes = MiB } }));
        Assert.Throws<PlanException>(() => LoadPlanner.DecideCheck(Of(359 * MiB, request => request with { Mode = JobMode.Check })));
    }

    [Fact]
    public void No_record_is_larger_than_its_file()
    {
        var facts = Of(60 * MiB);
        Plan(facts with { Sources = [facts.Sources[0] with { Bytes = MiB / 2 }] });
        Assert.Throws<PlanException>(
            () => Plan(facts with { Sources = [facts.Sources[0] with { Bytes = MiB / 2, Compression = "gzip" }] }));
        Assert.Throws<PlanException>(() => Plan(facts with { Sources = [facts.Sources[0] with { Bytes = null }] }));
    }

    [Fact]
    public void Batches_are_smaller_and_chunks_are_not()
    {
        static LoadRequest SmallRecords(LoadRequest request) =>
            request with { Threads = 1, Source = request.Source with { MaxRecordBytes = 1000 } };
        var sending = Plan(Of(42 * MiB, SmallRecords));
        var plan = sending.Plan;
        Assert.Contains(new PlannedSize("bytes-per-batch", 42 * MiB / 32, "--max-memory"), plan.Sizes);
        Assert.Single(plan.Sizes, size => size is { Name: "max-memory", Value: 42 * MiB }
            && size.SetBy.StartsWith("--max-memory; the least here is 41Mi", StringComparison.Ordinal));
        Assert.Equal(Plan(Of(null, SmallRecords)).Sizes.BytesPerChunk, sending.Sizes.BytesPerChunk);
        Assert.Equal(42 * MiB / 4, sending.Sizes.Ahead);
    }

    [Fact]
    public void There_are_as_many_sessions_as_there_is_room_for()
    {
        var sending = Plan(Of(400 * MiB));
        var plan = sending.Plan;
        Assert.Equal((1, "--max-memory leaves no room for more: each has a chunk in memory"), (plan.Sessions, plan.SessionsReason));
        Assert.NotEqual(long.MaxValue, sending.Sizes.Ahead);
        sending = Plan(Of(2000 * MiB, request => request with { Threads = 50 }));
        plan = sending.Plan;
        Assert.InRange(plan.Sessions, 2, 10);
        Assert.StartsWith(
            "--max-memory leaves no room for more: each has a chunk in memory; --threads", plan.SessionsReason, StringComparison.Ordinal);

        // A session that waits for its chunk's turn keeps blocks that nobody could make room for.
        Assert.Equal(long.MaxValue, sending.Sizes.Ahead);
        Assert.Equal(2, Plan(Of(4000 * MiB)).Plan.Sessions);
    }

    [Fact]
    public void Sorting_has_a_share_of_its_own()
    {
        Assert.Equal(64 * (int)MiB, MemoryPlan.ForSorting(Of(null).Request, 64 * (int)MiB));
        Assert.Equal(10 * (int)MiB, MemoryPlan.ForSorting(Of(80 * MiB).Request, 64 * (int)MiB));
    }
}
