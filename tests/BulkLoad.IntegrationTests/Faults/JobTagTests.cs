using BulkLoad.Core.Protocol;
using BulkLoad.Core.Strategies;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Who looks at the process list sees which job a statement belongs to.</summary>
public sealed class JobTagTests
{
    private const string People = "CREATE TABLE people (id INT NOT NULL PRIMARY KEY, name VARCHAR(20));";

    /// <summary>What is tried, by the strategies' own list.</summary>
    public static TheoryData<string, string, string> Ways =>
    [
        .. from server in new[] { Servers.MariaDb, Servers.MySql }
           from way in StrategyCatalog.Of(JobKind.Import).Select(strategy => ("import", strategy.Name))
               .Concat(StrategyCatalog.Of(JobKind.Update).Select(strategy => ("update", strategy.Name)))
               .Concat(StrategyCatalog.Of(JobKind.Delete).Select(strategy => ("delete", strategy.Name)))
           where server == Servers.MariaDb || !way.Item2.StartsWith("bulk", StringComparison.Ordinal)
           select (server, way.Item1, way.Item2),
    ];

    /// <summary>The statement waits for a row that somebody else holds.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_statement_at_work_names_its_job(string server, string command, string strategy)
    {
        var isImport = command == "import";
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"{People}{(isImport ? "" : "INSERT INTO people VALUES (1,'a'),(2,'b'),(3,'c');")}");
        place.Write("people.csv", "id,name\n1,x\n2,y\n3,z\n");
        await using var other = await ServerSession.ConnectAsync(place.Server.AdminOptions() with { Database = place.Database }, default);
        await other.ExecuteAsync("SET autocommit=0", default);
        await other.ExecuteAsync(isImport ? "INSERT INTO people VALUES (2,'held')" : "UPDATE people SET name='held' WHERE id=2", default);

        using var job = place.Start([command, "people.csv", "--table", "people", "--strategy", strategy, "--job-id", "night-7", .. command
            == "delete" ? ["--yes"] : strategy == "bulk-execute" && !isImport ? ["--counts", "matched"] : Array.Empty<string>()]);
        job.Input.Close();
        Assert.Contains("/* bulkload job night-7 */", await WaitingAsync(place), StringComparison.Ordinal);
        await other.ExecuteAsync("ROLLBACK", default);
        (await job.EndAsync()).ShouldExitWith(0);
    }

    private static async Task<string> WaitingAsync(Workplace place)
    {
        var query = $"SELECT COALESCE(MAX(LEFT(INFO, 100)), '') FROM information_schema.PROCESSLIST WHERE DB='{place.Database}' AND INFO "
            + "LIKE '%people%' AND INFO NOT LIKE '%PROCESSLIST%' AND INFO NOT LIKE '%ledger%' AND TIME_MS > 300;";
        query = place.Server.IsMariaDb ? query : query.Replace("TIME_MS > 300", "TIME > 0", StringComparison.Ordinal);
        for (var tries = 0; tries < 100; tries++)
        {
            if (await place.ScalarAsync(query) is { Length: > 0 } found)
            {
                return found;
            }

            await Task.Delay(100);
        }

        return "nothing waits";
    }
}
