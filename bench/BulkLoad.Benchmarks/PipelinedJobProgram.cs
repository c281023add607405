using System.Globalization;
using BulkLoad.Bench;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks;

/// <summary>Pipelined updates of whole tables, one size after the other.</summary>
internal static class PipelinedJobProgram
{
    /// <summary>What its arguments are, for people.</summary>
    private const string Usage = "pipelined-job --host HOST --port PORT --user USER --database DATABASE [--rows 100000,1000000]";

    /// <summary>The password is in MYSQL_PWD.</summary>
    /// <param name="args">behind the word pipelined-job</param>
    public static async Task<int> RunAsync(string[] args)
    {
        if (ProgramWords.Read(args, [], ["--rows"]) is not { } words)
        {
            await Console.Error.WriteLineAsync(Usage);
            return 2;
        }

        await using var session = await ServerSession.ConnectAsync(ProgramWords.Connection(words), default);
        await session.ExecuteAsync(BenchSql.Drop(BatchSql.Users), default);
        await session.ExecuteAsync(BenchSql.Create(BatchSql.Users, BatchSql.Definition), default);
        foreach (var rows in words.GetValueOrDefault("--rows", "100000,1000000").Split(',').Select(Number))
        {
            await new PipelinedJob(session, Console.Out).RunAsync(rows);
        }

        await session.ExecuteAsync(BenchSql.Drop(BatchSql.Users), default);
        return 0;
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
