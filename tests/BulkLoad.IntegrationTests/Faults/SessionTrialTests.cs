using System.Text.RegularExpressions;
using BulkLoad.Bench.Relays;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>More sessions, tried while an import runs: whatever is found out, the table and the counts are those of one.</summary>
public sealed partial class SessionTrialTests
{
    private const int Rows = 40_000;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task More_sessions_are_tried_on_a_long_way_and_the_table_is_that_of_one(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(40), CHECK (name <> 'name 3003'));");
        using var relay = new DelayingRelay(place.Server.Options(), TimeSpan.FromMilliseconds(20));
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(place.Server with { Host = "127.0.0.1", Port = relay.Connection.Port }, place.Server.User,
                place.Server.Password, place.Database),
            "import", "-", "--format", "csv", "--table", "t", "--job-id", "trial", "--rows-per-chunk", "500", "--max-rejects", "100",
            "--reject-file", "bad.csv");
        await using (var input = new StreamWriter(program.Input))
        {
            await input.WriteAsync("id,name\n");
            for (var id = 1; id <= Rows; id++)
            {
                await input.WriteAsync($"{(id % 5000 == 0 ? "x" : "")}{id},name {id}\n");
            }
        }

        var end = await program.EndAsync();
        end.ShouldExitWith(3);
        Assert.Matches(Finding(), end.Output);
        Assert.Equal($"{Rows - 9} {Rows - 1}",
            await place.ScalarAsync("SELECT CONCAT(COUNT(*), ' ', MAX(id)) FROM t WHERE name = CONCAT('name ', id)"));
        Assert.Equal(10, (await File.ReadAllLinesAsync(Path.Combine(place.Folder, "bad.csv"))).Length);
    }

    [GeneratedRegex(@"(?m)^note +[48] sessions were \d+\.\d\d times as fast as [24], (and were kept|and [24] were kept)$")]
    private static partial Regex Finding();
}
