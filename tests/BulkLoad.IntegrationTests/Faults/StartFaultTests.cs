using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Servers that cannot be had for a while, when a job is started and in the middle of it.</summary>
[Collection(ServerSettings.Name)]
public sealed class StartFaultTests(OwnServers servers)
{
    private const string People = "CREATE TABLE people (id INT PRIMARY KEY);";

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [CombinatorialServers(0, 1)]
    public async Task A_server_that_takes_no_more_sessions_is_tried_again(string name, int free)
    {
        var server = servers.Get(name);
        await using var place = await PlaceAsync(server);
        await using var account = await AccountAsync(place);
        var sessions = new List<ServerSession>();
        BulkLoadProcess program;
        try
        {
            var used = int.Parse(
                (await ServerClient.ScalarAsync(server, null, "SHOW GLOBAL STATUS LIKE 'Threads_connected';")).Split('\t')[^1], null) - 1;

            // One session lets the job be planned, and its ledger wait for another one.
            await using var settings = await ChangedSettings.SetAsync(server, ("max_connections", $"{Math.Max(used + 10 + free, 12)}"));
            while (await TryConnectAsync(account) is { } session)
            {
                sessions.Add(session);
            }

            foreach (var session in sessions.TakeLast(free))
            {
                await session.DisposeAsync();
            }

            program = StartAs(place, account);
            await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        }
        finally
        {
            foreach (var session in sessions)
            {
                await session.DisposeAsync();
            }
        }

        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("the server takes no more sessions at present (error 1040");
        Assert.Matches(@"(?m)^\d+ (retry|retries) \(the first after: ", end.Output);
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        program.Dispose();
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_server_that_is_read_only_for_seconds_is_tried_again(string name)
    {
        var server = servers.Get(name);
        await using var place = await PlaceAsync(server);
        await using var account = await AccountAsync(place);
        BulkLoadProcess program;
        await using (await ChangedSettings.SetAsync(server, ("read_only", "1")))
        {
            program = StartAs(place, account);
            await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 2 in ", StringComparison.Ordinal) || program.HasEnded);
        }

        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("read-only");
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        program.Dispose();
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_server_that_becomes_read_only_in_the_middle_of_a_job_is_tried_again(string name)
    {
        var server = servers.Get(name);
        await using var place = await PlaceAsync(server);
        await using var account = await AccountAsync(place);
        place.Write("pause", "");
        using var program = StartAs(place, account, "--rows-per-chunk", "10", "--pause-file", "pause");
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Waiting: ", StringComparison.Ordinal) || program.HasEnded);
        await using (await ChangedSettings.SetAsync(server, ("read_only", "1")))
        {
            File.Delete(Path.Combine(place.Folder, "pause"));
            await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 2 in ", StringComparison.Ordinal) || program.HasEnded);
        }

        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private static async Task<Workplace> PlaceAsync(TestServer server)
    {
        var place = await Workplace.CreateAsync(server, People);
        place.Write("people.csv", $"id\n{string.Join('\n', Enumerable.Range(1, 30))}\n");
        return place;
    }

    /// <summary>An account that has none of an administrator's rights.</summary>
    private static async Task<TestAccount> AccountAsync(Workplace place)
    {
        var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await ServerClient.RunAsync(
            place.Server, null, $"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON {place.Database}.* TO '{account.User}'@'%';");
        return account;
    }

    private static BulkLoadProcess StartAs(Workplace place, TestAccount account, params string[] options)
    {
        var program = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database),
            ["import", "people.csv", .. options]);
        program.Input.Close();
        return program;
    }

    private static async Task<ServerSession?> TryConnectAsync(TestAccount account)
    {
        try
        {
            return await ServerSession.ConnectAsync(account.Options(), default);
        }
        catch (ConnectException)
        {
            return null;
        }
    }
}
