namespace BulkLoad.Tests.Architecture;

/// <summary>Files that use each other in a ring can only be understood together, so a ring has few files.</summary>
public sealed class RingTests
{
    private const int MostFiles = 8;

    /// <summary>Rooms whose largest ring is larger today. A number here falls, and never grows.</summary>
    private static readonly Dictionary<string, int> Larger = new(StringComparer.Ordinal)
    {
        ["BulkLoad.Core/Ledger"] = 15,
    };

    [Theory]
    [InlineData("BulkLoad.Core")]
    [InlineData("BulkLoad.Bench")]
    [InlineData("BulkLoad.Cli")]
    public void No_ring_has_more_than_eight_files(string project) => Assert.Empty(
        from ring in FileGraph.Of(project).Rings()
        where ring.Length > Larger.GetValueOrDefault(RoomOf(project, ring), MostFiles)
        select $"{ring.Length} files of {RoomOf(project, ring)}: {string.Join(", ", ring.Order(StringComparer.Ordinal))}");

    /// <summary>The project's room that has all of the files; if there is none, the project.</summary>
    private static string RoomOf(string project, string[] ring)
    {
        var rooms = ring.Select(file => file.Split('/')[0]).Distinct().ToArray();
        return rooms is [var room] && !room.EndsWith(".cs", StringComparison.Ordinal) ? $"{project}/{room}" : project;
    }

    [Fact]
    public void A_ring_is_found()
    {
        var rings = FileGraph.Of("BulkLoad.Bench").Rings();
        Assert.Contains(rings, ring => ring.Order(StringComparer.Ordinal).SequenceEqual(["SizeCases.cs", "SizesBench.cs"]));
    }
}
