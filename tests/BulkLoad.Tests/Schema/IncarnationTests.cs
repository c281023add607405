using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Schema;

/// <summary>Whether a server is the one that it was.</summary>
public sealed class IncarnationTests
{
    [Theory]
    [InlineData("a", 100, 160, 60, 9, true)]
    [InlineData("a", 100, 159, 60, 9, true)]
    [InlineData("a", 100, 58, 60, 9, false)]
    [InlineData("a", 5, 60, 62, 9, false)]
    [InlineData("a", 100, 99, 0, 9, false)]
    [InlineData("b", 100, 160, 60, 9, false)]
    [InlineData("a", 100, 100, 0, 8, true)]
    [InlineData("a", 100, 100, 0, 7, true)] // a session that a proxy kept
    [InlineData("a", 3, 2, 4, 7, false)]
    [InlineData("a", 2, 2, 2, 7, false)]
    [InlineData("a", 1, 1, 2, 8, false)]
    [InlineData("a", 1, 1, 2, 7, false)]
    public void It_is_where_it_has_its_name_and_has_run_all_the_time(
        string name, int before, int now, int elapsed, uint connection, bool isStill)
    {
        var first = new Incarnation("a", TimeSpan.FromSeconds(before), TimeSpan.Zero, 8);
        var asked = TimeSpan.FromSeconds(elapsed);
        Assert.Equal(isStill, new Incarnation(name, TimeSpan.FromSeconds(now), asked, connection).IsStill(first));
    }

    [Fact]
    public void The_same_session_leads_to_the_same_server()
    {
        var asked = new Incarnation("a", TimeSpan.FromSeconds(1), TimeSpan.Zero, 8);
        Assert.True(asked.IsStill(asked));
    }

    [Fact]
    public void Where_it_does_not_say_since_when_it_runs_its_name_decides() =>
        Assert.True(new Incarnation("a", null, TimeSpan.Zero, 8).IsStill(new Incarnation("a", TimeSpan.FromHours(1), TimeSpan.Zero, 8)));
}
