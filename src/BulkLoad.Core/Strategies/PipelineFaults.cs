using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>What the server refused of a pipeline.</summary>
internal static class PipelineFaults
{
    /// <summary>
    /// A fault that is about a row's values has undone its own statement. Any other one ends the chunk, wherever in the pipeline it is:
    /// behind a deadlock nothing of what was answered before is left.
    /// </summary>
    /// <exception cref="ServerException">the first fault that is not about the rows</exception>
    public static void ThrowOthers(Pipeline pipeline)
    {
        foreach (var (_, error) in pipeline.Faults)
        {
            if (!BatchRefusals.AreAboutRows(error))
            {
                throw error;
            }
        }
    }

    /// <summary>Undoes a batch over the answer to one of its rows. The warnings can be asked for where nothing came behind it.</summary>
    /// <param name="session">carries the batch</param>
    /// <param name="answer">with a warning, or a count that cannot be</param>
    /// <param name="rows">of the batch</param>
    /// <param name="row">0-based, of the batch</param>
    /// <param name="cancellationToken">closes the session</param>
    public static async ValueTask<BatchOutcome> UndoAsync(IServerSession session, Answer answer, int rows, int row, CancellationToken cancellationToken)
    {
        var refusal = rows > 1
            ? BatchRefusals.OfCounts(answer, 1) with { Row = row }
            : await BatchRefusals.AskAsync(session, answer, 1, cancellationToken);
        await session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
        return refusal;
    }
}
