using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// A load that stands still in its second chunk: another session has inserted one of its keys and not committed. The first
/// chunk is in the table.
/// </summary>
internal sealed class HeldLoad : IAsyncDisposable
{
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    private readonly ServerSession _blocker;

    private readonly string[] _words;

    private HeldLoad(Workplace place, ServerSession blocker, BulkLoadProcess program, string[] words)
    {
        _words = words;
        Place = place;
        _blocker = blocker;
        Program = program;
    }

    public Workplace Place { get; }

    public BulkLoadProcess Program { get; }

    public string File => Path.Combine(Place.Folder, "people.csv");

    /// <param name="server">where</param>
    /// <param name="rowsPerChunk">records that are in the table when this returns</param>
    /// <param name="rows">records of the file</param>
    /// <param name="nameLength">characters of each name, to make the file large</param>
    /// <param name="committed">whether there is a first chunk; else everything is one</param>
    /// <param name="options">further words of the command</param>
    public static async Task<HeldLoad> StartAsync(
        TestServer server, int rowsPerChunk = 10, int rows = 30, int nameLength = 5, bool committed = true, params string[] options)
    {
        var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT PRIMARY KEY, name TEXT);");
        var text = new StringBuilder("id,name\n");
        for (var id = 1; id <= rows; id++)
        {
            text.Append($"{id},").Append('x', nameLength).Append('\n');
        }

        place.Write("people.csv", text.ToString());
        var blocker = await ServerSession.ConnectAsync(server.AdminOptions() with { Database = place.Database }, default);
        await blocker.ExecuteAsync("BEGIN", default);
        await blocker.ExecuteAsync($"INSERT INTO people VALUES ({rowsPerChunk + 5}, 'in the way')", default);
        string[] words = ["import", "people.csv", .. committed ? new[] { "--rows-per-chunk", rowsPerChunk.ToString() } : [], .. options];
        var held = new HeldLoad(place, blocker, place.Start(words), words);
        try
        {
            await held.WaitUntilHeldAsync(committed ? rowsPerChunk : 0);
            return held;
        }
        catch
        {
            await held.DisposeAsync();
            throw;
        }
    }

    /// <summary>Takes the key out of the way.</summary>
    public async Task ReleaseAsync() => await _blocker.ExecuteAsync("ROLLBACK", default);

    /// <summary>Runs the same command once more.</summary>
    public Task<ProgramEnd> StartAgainAsync() => Place.RunAsync(_words);

    /// <summary>Kills the program's session, as an administrator would.</summary>
    public async Task KillSessionAsync() => await ServerClient.RunAsync(Place.Server, null, $"KILL {await FindSessionAsync()};");

    public Task<string> CountAsync() => Place.ScalarAsync("SELECT COUNT(*) FROM people WHERE name <> 'in the way';");

    public async ValueTask DisposeAsync()
    {
        Program.Dispose();
        await _blocker.DisposeAsync();
        await Place.DisposeAsync();
    }

    private async Task WaitUntilHeldAsync(int committed)
    {
        using var limit = new CancellationTokenSource(Longest);
        while (await FindSessionAsync(committed == 0 ? 1 : 0) is "" || await CountAsync() != committed.ToString())
        {
            if (Program.HasEnded || limit.IsCancellationRequested)
            {
                Assert.Fail($"the load was not held: {await Program.EndAsync()}");
            }

            await Task.Delay(20);
        }
    }

    /// <summary>The session that waits with a statement that carries rows; empty where there is none.</summary>
    /// <param name="seconds">for so long: where nothing was committed before, only that tells it from what a start tries</param>
    private Task<string> FindSessionAsync(int seconds = 0) => ServerClient.ScalarAsync(
        Place.Server,
        null,
        $"SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE DB = '{Place.Database}' AND USER = '{Place.Server.User}' AND (INFO LIKE "
            + $"'INSERT%' OR INFO LIKE 'LOAD%') AND TIME >= {seconds} HAVING MAX(ID) IS NOT NULL;");
}
