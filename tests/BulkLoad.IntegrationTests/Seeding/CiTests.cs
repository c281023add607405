using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using System.Xml.Linq;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>What a CI runner sees: the samples' own commands, no terminal, marks in the files.</summary>
public sealed class CiTests
{
    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [CombinatorialServers("github.yml", "gitlab.yml")]
    public async Task The_steps_of_the_samples_seed_the_music_shop(string name, string file)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name));
        var samples = Path.Combine(Repository.Root, "samples");
        Copy(Path.Combine(samples, "chinook"), Path.Combine(place.Folder, "tests", "seed"));
        var step = Assert.Single((await File.ReadAllLinesAsync(Path.Combine(samples, "ci", file), TestContext.Current.CancellationToken)),
            line => line.Contains("bulkload seed ", StringComparison.Ordinal));
        var line = step[step.IndexOf("bulkload seed", StringComparison.Ordinal)..];
        var variable = file == "github.yml" ? "GITHUB_ACTIONS" : "GITLAB_CI";
        using (var run = BulkLoadProcess.StartLine(place, $"export CI=true {variable}=true GITHUB_STEP_SUMMARY=summary.md; {line}"))
        {
            var end = await run.EndAsync();
            end.ShouldExitWith(0);
            Assert.Contains("seeded 11 tables", end.Output, StringComparison.Ordinal);
            Assert.DoesNotContain("::error", end.Output, StringComparison.Ordinal);
            Assert.Equal("bulkload: started", end.Error.Trim());
        }

        Assert.Equal("3500", await place.ScalarAsync("SELECT COUNT(*) FROM tracks"));
        var suite = XDocument.Load(Path.Combine(place.Folder, "seed.xml")).Root!.Element("testsuite")!;
        Assert.Equal(("11", "0"), (suite.Attribute("tests")!.Value, suite.Attribute("failures")!.Value));
        if (file == "github.yml")
        {
            Assert.Contains("| tracks | 3,500 | 0 | 0 | 0 | 0 |", await File.ReadAllTextAsync(
                Path.Combine(place.Folder, "summary.md"), TestContext.Current.CancellationToken), StringComparison.Ordinal);
        }
        else
        {
            using var issues = JsonDocument.Parse(await File.ReadAllTextAsync(
                Path.Combine(place.Folder, "gl-code-quality-report.json"), TestContext.Current.CancellationToken));
            Assert.Equal(0, issues.RootElement.GetArrayLength());
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_bad_line_is_marked_in_its_file_and_the_events_end_with_the_exit_code(string name)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));");
        place.Write("people.csv", "id,name\n1,Ann\nx,Bo\n");
        using var run = BulkLoadProcess.StartLine(place,
            "export GITHUB_ACTIONS=true GITHUB_WORKSPACE=$PWD; bulkload import $PWD/people.csv --events events.jsonl --junit junit.xml");
        var end = await run.EndAsync();
        end.ShouldExitWith(4);
        Assert.Contains("::error file=people.csv,line=3,title=not-an-integer::column 'id': 'x' is not an integer", end.Output,
            StringComparison.Ordinal);
        var events = (await File.ReadAllLinesAsync(Path.Combine(place.Folder, "events.jsonl"), TestContext.Current.CancellationToken))
            .Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(Enumerable.Range(1, events.Count), events.Select(one => one.GetProperty("sequence").GetInt32()));
        Assert.Equal(["start", "reject", "table", "end"],
            events.Select(one => one.GetProperty("event").GetString()).Where(word => word != "progress"));
        Assert.Equal(4, events[^1].GetProperty("exitCode").GetInt32());
        Assert.Contains("people.csv:3: column 'id': 'x' is not an integer",
            XDocument.Load(Path.Combine(place.Folder, "junit.xml")).Descendants("failure").Single().Value, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers("insert", "sync")]
    public async Task All_bad_lines_of_a_seed_are_marked_in_one_run_each_once(string name, string mode)
    {
        const string tables = "CREATE TABLE people (id INT PRIMARY KEY, born DATE); CREATE TABLE prices (id INT PRIMARY KEY, n INT);"
            + "CREATE TABLE words (id INT PRIMARY KEY)";
        await using var place = await Workplace.CreateAsync(Servers.Get(name), tables);
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/people.csv", "id,born\n1,2020-13-01\n2,2020-12-01\n3,x\n");
        place.Write("data/prices.csv", "id,n\n1,1\n2,two\n");
        place.Write("data/words.csv", "id\n1\n");
        string[] marks =
        [
            "file=data/people.csv,line=2,title=impossible-date", "file=data/people.csv,line=4,title=not-a-date",
            "file=data/prices.csv,line=3,title=not-an-integer",
        ];
        var line = $"bulkload seed data --mode {mode} --allow-database {place.Database} --threads 1 --overwrite";
        line = mode == "insert" ? line.Replace($" --allow-database {place.Database}", "", StringComparison.Ordinal) : line;
        using (var run = BulkLoadProcess.StartLine(place, $"export GITHUB_ACTIONS=true; {line} --junit j.xml --report r.json"))
        {
            var end = await run.EndAsync();
            end.ShouldExitWith(4);
            Assert.All(
                marks, mark => Assert.Single(end.Output.Split('\n'), one => one.StartsWith($"::error {mark}", StringComparison.Ordinal)));
            Assert.DoesNotContain("\npeople: ", end.Output, StringComparison.Ordinal);
            end.ShouldSay("3 bad records in the files of 2 tables");
        }

        var suite = XDocument.Load(Path.Combine(place.Folder, "j.xml")).Root!.Element("testsuite")!;
        Assert.Equal("2", suite.Attribute("failures")!.Value);
        Assert.Equal(
            ["data/people.csv:2: column 'born'", "data/prices.csv:3: column 'n'"],
            suite.Descendants("failure").Select(failure => failure.Attribute("message")!.Value.Split(": '")[0]));
        using var report =
            JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "r.json"), TestContext.Current.CancellationToken));
        Assert.Equal(
            3, report.RootElement.GetProperty("tables").EnumerateArray().Sum(table => table.GetProperty("rejects").GetArrayLength()));
        Assert.Equal("0", await place.ScalarAsync("SELECT (SELECT COUNT(*) FROM people) + (SELECT COUNT(*) FROM prices)"));

        // Without marks, each fault is in the error or in the report.
        using var plain = BulkLoadProcess.StartLine(place, line);
        var told = await plain.EndAsync();
        Assert.All(new[] { "people.csv:2: ", "people.csv:4: ", "prices.csv:3: " },
            place => Assert.Single((told.Output + told.Error).Split('\n'), one => one.Contains(place, StringComparison.Ordinal)));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Events_on_standard_output_are_alone_there(string name)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));");
        place.Write("people.csv", "id,name\n1,Ann\n");
        using var run = BulkLoadProcess.StartLine(place, "bulkload import people.csv --events -");
        var end = await run.EndAsync();
        end.ShouldExitWith(0);
        Assert.All(end.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries), line => JsonDocument.Parse(line).Dispose());
        Assert.Contains("inserted", end.Error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Marks_for_GitHub_are_not_among_events(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE people (id INT PRIMARY KEY);");
        place.Write("people.csv", "id\nx\n");
        using var run = BulkLoadProcess.StartLine(place, "export GITHUB_ACTIONS=true; bulkload import people.csv --events -");
        var end = await run.EndAsync();
        end.ShouldExitWith(4);
        Assert.All(end.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries), line => JsonDocument.Parse(line).Dispose());
        end.ShouldSay("::error file=people.csv,line=2");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_server_that_starts_later_is_waited_for(string name)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));");
        place.Write("people.csv", "id,name\n1,Ann\n");
        using var reserved = new TcpListener(IPAddress.Loopback, 0);
        reserved.Start();
        var port = ((IPEndPoint)reserved.LocalEndpoint).Port;
        reserved.Stop();
        var url = BulkLoadProcess.UrlOf(place).Replace($":{server.Port}/", $":{port}/", StringComparison.Ordinal);
        using (var once = BulkLoadProcess.Start(place, url, "import", "people.csv"))
        {
            (await once.EndAsync()).ShouldExitWith(5);
        }

        using var run = BulkLoadProcess.Start(place, url, "import", "people.csv", "--wait", "60s");
        await Task.Delay(1500, TestContext.Current.CancellationToken);
        Assert.False(run.HasEnded);
        using var relay = new TcpListener(IPAddress.Loopback, port);
        relay.Start();
        using var stop = new CancellationTokenSource();
        var relaying = RelayAsync(relay, server, stop.Token);
        (await run.EndAsync()).ShouldExitWith(0);
        await stop.CancelAsync();
        relay.Stop();
        await relaying;
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    private static async Task RelayAsync(TcpListener listener, TestServer server, CancellationToken stop)
    {
        try
        {
            while (true)
            {
                var client = await listener.AcceptTcpClientAsync(stop);
                var target = new TcpClient();
                await target.ConnectAsync(server.Host, server.Port, stop);
                _ = client.GetStream().CopyToAsync(target.GetStream(), stop).ContinueWith(_ => target.Close(), TaskScheduler.Default);
                _ = target.GetStream().CopyToAsync(client.GetStream(), stop).ContinueWith(_ => client.Close(), TaskScheduler.Default);
            }
        }
        catch (Exception ended) when (ended is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var file in Directory.EnumerateFiles(from))
        {
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
        }
    }
}
