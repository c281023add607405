using System.Diagnostics;
using BulkLoad.Bench;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks;

/// <summary>Pipelined updates of all rows of a large table in one job, which has to keep its pace to the end.</summary>
/// <param name="session">offers LOAD DATA LOCAL</param>
/// <param name="output">takes the result</param>
internal sealed class PipelinedJob(IServerSession session, TextWriter output)
{
    private const int Parts = 10;
    private const int RowsPerPipeline = 10_000;

    /// <exception cref="InvalidOperationException">an update failed, or the table does not hold what it should</exception>
    public async Task RunAsync(long rows)
    {
        await new UsersTable(session).FillAsync(rows, default);
        await session.ExecuteAsync("SET autocommit=0", default);
        var statement = await session.PrepareAsync(BatchSql.Placeholders(BatchOperation.Update), default);
        var parameters = new BinaryParameters(BatchMethods.Types(BatchOperation.Update));
        var pipeline = new Pipeline();
        var rates = new List<double>();
        var begin = Stopwatch.GetTimestamp();
        for (var part = 0; part < Parts; part++)
        {
            var (first, last) = ((rows * part / Parts) + 1, rows * (part + 1) / Parts);
            var start = Stopwatch.GetTimestamp();
            foreach (var users in BatchUser.Range(first, last, step: 1, isChanged: true).Chunk(RowsPerPipeline))
            {
                pipeline.Clear();
                foreach (var user in users)
                {
                    parameters.Reset();
                    BatchMethods.Add(parameters, BatchOperation.Update, user);
                    pipeline.Add(statement, parameters);
                }

                await BatchMethods.RunAsync(session, pipeline, default);
            }

            await session.ExecuteAsync("COMMIT", default);
            rates.Add((last - first + 1) / Stopwatch.GetElapsedTime(start).TotalSeconds);
        }

        var time = Stopwatch.GetElapsedTime(begin);
        await session.CloseAsync(statement, default);
        await session.ExecuteAsync("SET autocommit=1", default);
        var changed = (await session.QueryAsync(BatchSql.CountChanged, default)).Scalar;
        if (changed != rows.ToString())
        {
            throw new InvalidOperationException($"{changed} of {rows} rows have been changed as they should");
        }

        await output.WriteLineAsync($"{rows:N0} pipelined updates in one job: {rows / time.TotalSeconds:F0} rows/s; of each tenth {rates.Min():F0} to {rates.Max():F0}");
    }
}
