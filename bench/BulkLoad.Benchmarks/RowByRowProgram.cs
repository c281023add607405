using System.Diagnostics;
using System.Globalization;
using System.Text;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks;

/// <summary>One prepared DELETE or UPDATE a line of a file, each waiting for its answer, in one transaction: what pipelines are measured against.</summary>
internal static class RowByRowProgram
{
    private const string Usage = "row-by-row --host HOST --port PORT --user USER --database DATABASE --table TABLE --command delete|update --file FILE";

    /// <summary>Prints the seconds from the first packet to the answer to COMMIT. The password is in MYSQL_PWD.</summary>
    /// <param name="args">behind the word row-by-row; the file has an id a line, for an update behind it a tab, the age, a tab and the name</param>
    public static async Task<int> RunAsync(string[] args)
    {
        if (ProgramWords.Read(args, ["--table", "--command", "--file"], []) is not { } words || words["--command"] is not ("delete" or "update"))
        {
            await Console.Error.WriteLineAsync(Usage);
            return 2;
        }

        var lines = await File.ReadAllLinesAsync(words["--file"]);
        var start = Stopwatch.GetTimestamp();
        await using var session = await ServerSession.ConnectAsync(ProgramWords.Connection(words), default);
        await session.ExecuteAsync("SET autocommit=0", default);
        await RunAsync(session, SqlName.Quote(words["--database"], words["--table"]), words["--command"] == "update", lines);
        await session.ExecuteAsync("COMMIT", default);
        await Console.Out.WriteLineAsync(Stopwatch.GetElapsedTime(start).TotalSeconds.ToString("F3"));
        return 0;
    }

    private static async Task RunAsync(IServerSession session, string table, bool isUpdate, string[] lines)
    {
        var statement = await session.PrepareAsync(isUpdate ? $"UPDATE {table} SET age=?,name=? WHERE id=?" : $"DELETE FROM {table} WHERE id=?", default);
        var parameters = new BinaryParameters(isUpdate ? [ParameterType.Int64, ParameterType.Text, ParameterType.Int64] : [ParameterType.Int64]);
        foreach (var line in lines)
        {
            var values = line.Split('\t');
            parameters.Reset();
            if (isUpdate)
            {
                parameters.AddInt64(long.Parse(values[1], CultureInfo.InvariantCulture));
                parameters.AddBytes(Encoding.UTF8.GetBytes(values[2]));
            }

            parameters.AddInt64(long.Parse(values[0], CultureInfo.InvariantCulture));
            if ((await session.ExecuteAsync(null, statement, parameters, default)).AffectedRows != 1)
            {
                throw new InvalidOperationException($"'{line}' has not changed one row");
            }
        }

        await session.CloseAsync(statement, default);
    }
}
