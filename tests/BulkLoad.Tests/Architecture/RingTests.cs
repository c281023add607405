namespace BulkLoad.Tests.Architecture;

/// <summary>Files that use each other in a ring can only be understood together, so a ring has few files.</summary>
public sealed class RingTests
{
    private const int MostFiles = 8;

    [Theory]
    [InlineData("BulkLoad.Core")]
    [InlineData("BulkLoad.Bench")]
    [InlineData("BulkLoad.Cli")]
    public void No_ring_has_more_than_eight_files(string project) => Assert.Empty(
        from ring in FileGraph.Of(project).Rings()
        where ring.Length > MostFiles
        select $"{ring.Length} files of {project}: {string.Join(", ", ring.Order(StringComparer.Ordinal))}");

    [Fact]
    public void A_ring_is_found()
    {
        var rings = FileGraph.Of("BulkLoad.Bench").Rings();
        Assert.Contains(rings, ring => ring.Order(StringComparer.Ordinal).SequenceEqual(["SizeCases.cs", "SizesBench.cs"]));
    }
}
