using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Ids;

/// <summary>A server that gives each fifth number, as one of several does that all take rows.</summary>
[Collection(ServerSettings.Name)]
public sealed class IdStepTests(OwnServers servers)
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Ids_are_as_far_from_each_other_as_the_server_says(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), IdsFileTests.Numbered);
        await using var settings = await ChangedSettings.SetAsync(
            place.Server, ("auto_increment_increment", "5"), ("auto_increment_offset", "3"));
        place.Write("t.csv", "n\n" + string.Concat(Enumerable.Range(1, 300).Select(n => $"{n + 100}\n")));
        (await place.RunAsync("import", "t.csv", "--ids-file", "ids.csv")).ShouldExitWith(0);
        await IdsFileTests.ShouldHaveIdsAsync(place, "n - 100");
        Assert.Equal("5", await place.ScalarAsync("SELECT (MAX(id) - MIN(id)) / 299 DIV 1 FROM t WHERE n > 0;"));
    }
}
