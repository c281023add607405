using System.Text.Json;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Seeding;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Tables are put back as they were seeded, whatever was done to them.</summary>
public sealed class SeedResetTests
{
    private const int Rounds = 50;

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Whatever_is_changed_is_put_back(string name)
    {
        await using var place = await SeededAsync(name, MusicShop.Tables + MusicShop.Rows + MusicShop.Hard);
        var before = await MusicShop.DescribeAsync(place.Server, place.Database);
        var seed = TestVariables.Seed;
        var random = new Random(seed);
        await using var job = Job(place);
        for (var round = 0; round < Rounds; round++)
        {
            var changes = string.Join(";\n", Enumerable.Range(0, random.Next(1, 21)).Select(_ => MusicShop.Change(random)));
            await ServerClient.RunAsync(place.Server, place.Database, $"SET sql_mode='ALLOW_INVALID_DATES';\n{changes};", "--force");
            await job.RunAsync(default);
            var after = await MusicShop.DescribeAsync(place.Server, place.Database);
            Assert.True(before == after, $"seed {seed}, round {round}:\n{changes}\n{Difference(before, after)}");
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Measure(string name)
    {
        await using var place = await SeededAsync(name, MusicShop.Tables + MusicShop.Rows, new SeedCopyOptions { Schema = null });
        var random = new Random(5);
        await using var job = Job(place);
        await job.RunAsync(default);
        var text = new StringBuilder();
        for (var i = 0; i < 15; i++)
        {
            var changes = string.Join(";\n", Enumerable.Range(0, 20).Select(_ => MusicShop.Change(random)).Where(c => !c.Contains("odd") && !c.Contains("keyless")));
            if (i % 3 != 2) await ServerClient.RunAsync(place.Server, place.Database, $"{changes};", "--force");
            var report = await job.RunAsync(default);
            text.Append($"{report.Elapsed.TotalMilliseconds:0.0} ms {report.Tables.Count} tables {report.Deleted}/{report.Inserted} ids {report.Tables.Count(t => t.IsNextIdSet)}; ");
        }

        await ServerClient.RunAsync(place.Server, null, $"DROP DATABASE {place.Database}_bulkload;");
        Assert.Fail(text.ToString());
    }

    private static string Difference(string before, string after) =>
        $"missing:\n{string.Join('\n', before.Split('\n').Except(after.Split('\n')).Take(10))}\ntoo much:\n{string.Join('\n', after.Split('\n').Except(before.Split('\n')).Take(10))}";

    private static async Task<Workplace> SeededAsync(string name, string sql, SeedCopyOptions? options = null)
    {
        var place = await Workplace.CreateAsync(Servers.Get(name), sql);
        try
        {
            await TakeAsync(place, options);
            return place;
        }
        catch
        {
            await place.DisposeAsync();
            throw;
        }
    }

    private static async Task<SeedCopyReport> TakeAsync(Workplace place, SeedCopyOptions? options = null)
    {
        await using var session = await ServerSession.ConnectAsync(place.Server.Options(Way.Socket) with { Database = place.Database }, default);
        return await SeedCopies.TakeAsync(session, place.Database, options ?? new SeedCopyOptions { Schema = place.Database }, default);
    }

    private static SeedResetJob Job(Workplace place, SeedResetOptions? options = null) => new(
        place.Server.Options(Way.Socket) with { Database = place.Database }, options ?? new SeedResetOptions { AllowedDatabase = place.Database });
}
