using BulkLoad.Tests.Architecture;
using PublicApiGenerator;

namespace BulkLoad.Tests.Library;

/// <summary>What callers of the library see is approved: a change of it is meant.</summary>
public sealed class PublicApiTests
{
    private static readonly string Approved = Path.Combine(Repository.Root, "tests", "BulkLoad.Tests", "Library", "PublicApi.txt");

    [Fact]
    public void The_public_members_are_those_that_were_approved()
    {
        var api = typeof(BulkLoader).Assembly.GeneratePublicApi(new ApiGeneratorOptions
        {
            IncludeAssemblyAttributes = false,
            DenyNamespacePrefixes = [],
        }).ReplaceLineEndings("\n");
        if (Environment.GetEnvironmentVariable("BULKLOAD_UPDATE_DOCS") == "1")
        {
            File.WriteAllText(Approved, api);
        }

        Assert.Equal(File.ReadAllText(Approved), api);
    }
}
