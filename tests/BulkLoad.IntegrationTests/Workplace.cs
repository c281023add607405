using System.Text.Json;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests;

/// <summary>An empty folder and an empty database for one run of the program; both are gone afterwards.</summary>
internal sealed class Workplace : IAsyncDisposable
{
    private Workplace(TestServer server, string database, string folder)
    {
        Server = server;
        Database = database;
        Folder = folder;
    }

    public TestServer Server { get; }

    public string Database { get; }

    public string Folder { get; }

    /// <param name="server">where</param>
    /// <param name="sql">statements that fill the database</param>
    public static async Task<Workplace> CreateAsync(TestServer server, string sql = "")
    {
        var name = $"bulkload_{Guid.NewGuid():N}";
        // A folder with a digit would belong to the names of its files.
        var letters = string.Concat(Guid.NewGuid().ToByteArray().Select(one => (char)('a' + (one % 26))));
        var folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), $"bulkload-{letters}"));
        var place = new Workplace(server, name, folder.FullName);
        try
        {
            await ServerClient.RunAsync(server, null, $"CREATE DATABASE {name} CHARACTER SET utf8mb4; USE {name};\n{sql}");
            return place;
        }
        catch
        {
            await place.DisposeAsync();
            throw;
        }
    }

    /// <summary>Writes a file of the folder.</summary>
    /// <returns>its full path</returns>
    public string Write(string name, string content)
    {
        var path = Path.Combine(Folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, content);
        return path;
    }

    public Task<string> QueryAsync(string sql) => ServerClient.RunAsync(Server, Database, sql);

    /// <summary>A session with an open transaction that has read a table: nobody can exchange or alter it.</summary>
    public async Task<ServerSession> HoldAsync(string table)
    {
        var session = await ServerSession.ConnectAsync(Server.Options(Way.Socket) with { Database = Database }, default);
        await session.QueryAllAsync(["START TRANSACTION", $"SELECT COUNT(*) FROM {table}"], default);
        return session;
    }

    public Task<string> ScalarAsync(string query) => ServerClient.ScalarAsync(Server, Database, query);

    /// <summary>What report.json says of records: how many were taken so, and how many rejected.</summary>
    public async Task<(int Taken, int Rejected)> CountsAsync(string taken)
    {
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder, "report.json")));
        var counts = report.RootElement.GetProperty("counts");
        return (counts.GetProperty(taken).GetInt32(), counts.GetProperty("rejected").GetInt32());
    }

    /// <summary>Starts the program here, connected to the database; the arguments are words, not a line.</summary>
    public BulkLoadProcess Start(params string[] args) => BulkLoadProcess.Start(this, BulkLoadProcess.UrlOf(this), args);

    /// <summary>Runs the program here to its end.</summary>
    public Task<ProgramEnd> RunAsync(params string[] args) => PipeAsync("", args);

    /// <summary>Runs the program here to its end, with a text as its standard input.</summary>
    public async Task<ProgramEnd> PipeAsync(string input, params string[] args)
    {
        using var program = Start(args);
        await program.Input.WriteAsync(Encoding.UTF8.GetBytes(input));
        program.Input.Close();
        return await program.EndAsync();
    }

    /// <summary>Runs the program here to its end, with another account.</summary>
    public async Task<ProgramEnd> RunAsync(TestAccount account, params string[] args)
    {
        using var program = BulkLoadProcess.Start(
            this, BulkLoadProcess.UrlOf(Server, account.User, account.Password ?? "", Database), args);
        program.Input.Close();
        return await program.EndAsync();
    }

    /// <summary>What a job has come to that wrote report.json: what is in the table, the counts, what was refused and where it
    /// is.</summary>
    /// <param name="query">tells what is in the table</param>
    /// <param name="rejectFile">its name; the reasons are beside it</param>
    public async Task<string> OutcomeAsync(string query, string rejectFile)
    {
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder, "report.json")));
        return string.Join('\n', [
            await QueryAsync(query),
            $"{report.RootElement.GetProperty("counts")} {report.RootElement.GetProperty("rejectsByReason")}",
            .. await SortedLinesAsync(Path.ChangeExtension(rejectFile, "jsonl")),
            .. await SortedLinesAsync(rejectFile)]);
    }

    /// <summary>Starts the program here, and kills it once the table t has so many rows, unless it has ended before.</summary>
    public Task KillAsync(Predicate<int> isDue, params string[] args) => KillAsync("SELECT COUNT(*) FROM t;", isDue, args);

    /// <summary>Starts the program here, and kills it once a query has such an answer, unless it has ended before.</summary>
    public async Task KillAsync(string query, Predicate<int> isDue, params string[] args)
    {
        using var program = Start(args);
        program.Input.Close();
        while (!program.HasEnded && !isDue(int.Parse(await ScalarAsync(query), CultureInfo.InvariantCulture)))
        {
            await Task.Delay(5);
        }

        if (!program.HasEnded)
        {
            program.Signal("KILL");
        }

        await program.EndAsync();
    }

    public async ValueTask DisposeAsync()
    {
        Directory.Delete(Folder, recursive: true);
        await ServerClient.RunAsync(Server, null, $"DROP DATABASE IF EXISTS {Database};");
    }

    private async Task<IEnumerable<string>> SortedLinesAsync(string name) =>
        (await File.ReadAllLinesAsync(Path.Combine(Folder, name))).Order(StringComparer.Ordinal);
}
