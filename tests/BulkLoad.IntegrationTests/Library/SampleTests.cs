using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Library;

public sealed class SampleTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_sample_loads_changes_deletes_and_streams(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        var said = await RunAsync("EmbeddedLoad", server, database);

        Assert.Equal(
            """
            refused #2 Cæsar with a name that is much too long for its column: full_name: 'Cæsar with a name that is much too long ...' is
             longer than 40 characters (too-long)
            inserted 3, refused 1
            updated 1
            deleted 1, not there 1
            streamed 1000
            nothing was loaded: 0 inserted

            """.ReplaceLineEndings("\n").Replace("is\n longer", "is longer", StringComparison.Ordinal),
            said);
        Assert.Equal("12.50", await database.ScalarAsync("SELECT balance FROM embedded_people WHERE city = 'Turku'"));
        Assert.Equal("1002", await database.ScalarAsync("SELECT COUNT(*) FROM embedded_points"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Entities_of_a_context_are_loaded_and_changed(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);

        Assert.Equal("inserted 920 of 920\nupdated 92, not there 8\n", await RunAsync("FromEfCore", server, database));
        Assert.Equal("BUYER 1000", await database.ScalarAsync("SELECT buyer_name FROM ef_orders WHERE id = 1000"));
    }

    /// <summary>Makes the sample's tables, and returns what it says.</summary>
    private static async Task<string> RunAsync(string sample, TestServer server, TestDatabase database)
    {
        var tables = Path.Combine(Repository.Root, "samples", sample, "table.sql");
        await database.RunAsync((await File.ReadAllTextAsync(tables, TestContext.Current.CancellationToken))
            .Split(';').Where(statement => !string.IsNullOrWhiteSpace(statement)));
        using var program = OtherProgram.Start(sample, OtherProgram.UrlOf(server, database));
        var said = await program.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await program.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, program.ExitCode);
        return said;
    }
}
