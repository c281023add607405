using System.Text.Json;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Jobs that slow down, wait and stop for the sake of others.</summary>
public sealed class NeighbourTests
{
    private const int Rows = 3000;

    private static readonly string[] Import = ["import", "t.csv", "--rows-per-chunk", "1000"];
    private static readonly string[] Update = ["update", "changes.csv", "--table", "t", "--rows-per-chunk", "1000"];
    private static readonly string[] Delete = ["delete", "--ids", "ids.txt", "--table", "t", "--yes", "--rows-per-chunk", "1000"];

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Every_job_waits_while_a_file_is_there_and_holds_no_transaction_meanwhile(string server)
    {
        await using var place = await PlaceAsync(server);
        foreach (var words in new[] { Import, Update, Delete })
        {
            place.Write("pause", "");
            using var program = place.Start([.. words, "--pause-file", "pause", "--report", "report.json", "--overwrite"]);
            program.Input.Close();
            await Wait.ForAsync(
                () => program.ErrorSoFar.Contains("warning: Waiting: 'pause' is there (--pause-file)", StringComparison.Ordinal));

            // Nothing of the table is held: it can be altered at once.
            await place.QueryAsync("SET lock_wait_timeout = 1; ALTER TABLE t COMMENT = 'altered', ALGORITHM = COPY;");
            File.Delete(Path.Combine(place.Folder, "pause"));
            (await program.EndAsync()).ShouldExitWith(0);
            using var report = JsonDocument.Parse(
                await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json"), TestContext.Current.CancellationToken));
            var wait = Assert.Single(report.RootElement.GetProperty("waits").EnumerateArray());
            Assert.Equal("pause-file", wait.GetProperty("reason").GetString());
            Assert.True(wait.GetProperty("seconds").GetDouble() > 0);
        }

        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_waits_is_stopped_by_a_signal(string server)
    {
        await using var place = await PlaceAsync(server);
        place.Write("pause", "");
        using var program = place.Start([.. Import, "--pause-file", "pause"]);
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Waiting: ", StringComparison.Ordinal));
        program.Signal("INT");
        (await program.EndAsync()).ShouldExitWith(130);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_waits_while_the_servers_load_or_the_users_query_says_so(string server)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("CREATE TABLE busy (yes INT); INSERT INTO busy VALUES (1);");
        using var program =
            place.Start([.. Import, "--max-load", "Threads_running=10000", "--throttle-query", "SELECT COUNT(*) FROM busy"]);
        program.Input.Close();
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Waiting: --throttle-query is true", StringComparison.Ordinal));
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await place.QueryAsync("DELETE FROM busy;");
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^waited +[0-9.:]+( s)? \(throttle-query\b", end.Output);
        Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_whose_time_is_over_stops_with_8_and_goes_on_with_the_same_command(string server)
    {
        await using var place = await PlaceAsync(server);
        foreach (var (words, rows) in new[] { (Import, Rows), (Update, Rows), (Delete, 0) })
        {
            var stops = 0;
            ProgramEnd end;
            do
            {
                end = await place.RunAsync([.. words, "--max-rate", "1000", "--run-time", "3s"]);
                if (end.ExitCode != 0)
                {
                    end.ShouldExitWith(8);
                    end.ShouldSay("error: stopped: its time is over (--run-time 3 s) (");
                    Assert.True(++stops < 100, end.ToString());
                }
            }
            while (end.ExitCode != 0);
            Assert.Equal($"{rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_waits_for_standard_input_ends_when_its_time_is_over(string server)
    {
        await using var place = await PlaceAsync(server);
        using var program = place.Start("import", "-", "--table", "t", "--run-time", "3s", "--grace", "1s", "--rows-per-chunk", "1000");

        // More than is looked at before anything is sent, and not the end.
        var text = $"id,n\n{string.Join('\n', Enumerable.Range(1, 150_000).Select(i => $"{i},1"))}\n";
        try
        {
            await program.Input.WriteAsync(Encoding.ASCII.GetBytes(text), TestContext.Current.CancellationToken);
            await program.Input.FlushAsync(TestContext.Current.CancellationToken);
        }
        catch (IOException)
        {
            // On a slow machine its time is over before it has read so much.
        }

        (await program.EndAsync()).ShouldExitWith(8);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_critical_load_stops_a_job_and_what_cannot_be_asked_is_refused(string server)
    {
        await using var place = await PlaceAsync(server);
        var end = await place.RunAsync([.. Import, "--critical-load", "Threads_connected=1"]);
        end.ShouldExitWith(8);
        Assert.Matches(@"error: stopped: Threads_connected is \d+ \(--critical-load 1\)\n  nothing was loaded\n", end.Error);
        foreach (var (option, value, message) in new[]
        {
            ("--max-load", "Threads_jogging=1", "the server has no status variable 'Threads_jogging' that is a number"),
            ("--throttle-query", "SELECT nothing", "--throttle-query: Unknown column 'nothing' in "),
            ("--throttle-query", "DO 1", "--throttle-query: it answers without rows: it has to be a query"),
            ("--throttle-query", "SELECT 0; DROP TABLE t", "--throttle-query: You have an error in your SQL syntax"),
        })
        {
            end = await place.RunAsync([.. Import, option, value]);
            end.ShouldExitWith(9);
            end.ShouldSay(message);
        }

        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_atomic_job_whose_time_is_over_leaves_nothing(string server)
    {
        await using var place = await PlaceAsync(server);
        var end = await place.RunAsync("import", "t.csv", "--atomic", "--max-rate", "500", "--run-time", "2s");
        end.ShouldExitWith(8);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        (await place.RunAsync("import", "t.csv", "--atomic")).ShouldExitWith(0);
        Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    private static async Task<Workplace> PlaceAsync(string server)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL);");
        place.Write("t.csv", "id,n\n" + Lines(i => $"{i},1"));
        place.Write("changes.csv", "id,n\n" + Lines(i => $"{i},2"));
        place.Write("ids.txt", Lines(i => $"{i}"));
        return place;
    }

    private static string Lines(Func<int, string> line) => string.Concat(Enumerable.Range(1, Rows).Select(i => $"{line(i)}\n"));
}
