using System.Diagnostics;
using System.Globalization;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks.Matrix;

/// <summary>Every method with every operation and size, in autocommit and in a transaction: rows a second, and how much faster than a literal statement a row.</summary>
/// <param name="session">offers LOAD DATA LOCAL</param>
/// <param name="texts">takes several statements in one text</param>
/// <param name="repeats">of each measurement; the median counts</param>
/// <param name="output">takes the table</param>
internal sealed class MatrixProgram(IServerSession session, IServerSession texts, int repeats, TextWriter output)
{
    /// <summary>What its arguments are, for people.</summary>
    private const string Usage = "matrix --host HOST --port PORT --user USER --database DATABASE [--rows 100,1000,10000] [--repeats 3] [--job-rows 100000,1000000]";

    private const long RowsToBegin = 100;

    private IEnumerable<BatchMethod> Methods => BatchMethods.All.Where(method => session.Server.IsMariaDb || !method.IsOfMariaDb);

    /// <summary>The password is in MYSQL_PWD.</summary>
    /// <param name="args">behind the word matrix</param>
    public static async Task<int> RunAsync(string[] args)
    {
        var words = args.Chunk(2).ToDictionary(pair => pair[0], pair => pair.Length == 2 ? pair[1] : "");
        string[] known = ["--host", "--port", "--user", "--database", "--rows", "--repeats", "--job-rows"];
        if (words.Keys.Except(known).Any() || known.Take(4).Any(name => !words.ContainsKey(name)))
        {
            await Console.Error.WriteLineAsync(Usage);
            return 2;
        }

        var options = new ConnectionOptions
        {
            Host = words["--host"],
            Port = (int)Number(words["--port"]),
            User = words["--user"],
            Password = Environment.GetEnvironmentVariable("MYSQL_PWD"),
            SslMode = SslMode.Disabled,
            GetServerPublicKey = true,
            OffersLocalInfile = true,
        };
        var database = words["--database"];
        await using (var admin = await ServerSession.ConnectAsync(options, default))
        {
            await admin.ExecuteAsync($"CREATE DATABASE IF NOT EXISTS {database} CHARACTER SET utf8mb4", default);
        }

        await using var session = await ServerSession.ConnectAsync(options with { Database = database }, default);
        await using var texts = await ServerSession.ConnectAsync(options with { Database = database, SendsSeveralStatements = true }, default);
        var program = new MatrixProgram(session, texts, (int)Number(words.GetValueOrDefault("--repeats", "3")), Console.Out);
        await program.RunAsync(Numbers(words.GetValueOrDefault("--rows", "100,1000,10000")));
        foreach (var rows in Numbers(words.GetValueOrDefault("--job-rows", "100000,1000000")))
        {
            await new PipelinedJob(session, Console.Out).RunAsync(rows);
        }

        await session.ExecuteAsync("DROP TABLE users", default);
        return 0;
    }

    private async Task RunAsync(IReadOnlyList<long> sizes)
    {
        var table = new UsersTable(session);
        await table.CreateAsync();
        await output.WriteLineAsync($"{"operation",-10}{"rows",7}  {"transaction",-12}{"method",-40}{"rows/s",10}{"speed-up",10}");
        foreach (var operation in Enum.GetValues<BatchOperation>())
        {
            // What runs for the first time is compiled first.
            foreach (var method in Methods)
            {
                await SendAsync(table, method, operation, RowsToBegin, isTransaction: true);
            }

            foreach (var rows in sizes)
            {
                foreach (var isTransaction in new[] { false, true })
                {
                    await MeasureAsync(table, operation, rows, isTransaction);
                }
            }
        }
    }

    private async Task MeasureAsync(UsersTable table, BatchOperation operation, long rows, bool isTransaction)
    {
        var unit = TimeSpan.Zero;
        foreach (var method in Methods)
        {
            var times = new List<TimeSpan>();
            for (var repeat = 0; repeat < repeats; repeat++)
            {
                times.Add(await SendAsync(table, method, operation, rows, isTransaction));
            }

            times.Sort();
            var median = times[times.Count / 2];
            unit = unit == TimeSpan.Zero ? median : unit;
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"{operation.ToString().ToLowerInvariant(),-10}{rows,7}  {(isTransaction ? "one" : "autocommit"),-12}{method.Name,-40}{rows / median.TotalSeconds,10:F0}{unit / median,9:F1}x"));
        }
    }

    /// <summary>Changes and deletes every second row of twice as many.</summary>
    private async Task<TimeSpan> SendAsync(UsersTable table, BatchMethod method, BatchOperation operation, long rows, bool isTransaction)
    {
        var isInsert = operation == BatchOperation.Insert;
        await table.FillAsync(isInsert ? 0 : rows * 2);
        MatrixUser[] users = [.. UsersTable.Range(isInsert ? 1 : 2, isInsert ? rows : rows * 2, isInsert ? 1 : 2, operation == BatchOperation.Update)];
        var sender = method.Name.StartsWith("multi-statement", StringComparison.Ordinal) ? texts : session;
        await sender.ExecuteAsync($"SET autocommit={(isTransaction ? 0 : 1)}", default);
        var start = Stopwatch.GetTimestamp();
        await method.SendAsync(sender, operation, users);
        if (isTransaction)
        {
            await sender.ExecuteAsync("COMMIT", default);
        }

        var time = Stopwatch.GetElapsedTime(start);
        await sender.ExecuteAsync("SET autocommit=1", default);
        var others = isInsert ? [] : UsersTable.Range(1, rows * 2, 2, isChanged: false);
        await table.CheckAsync(others.Concat(operation == BatchOperation.Delete ? [] : users).OrderBy(user => user.Id));
        return time;
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static long[] Numbers(string text) => text.Length == 0 ? [] : [.. text.Split(',').Select(Number)];
}
