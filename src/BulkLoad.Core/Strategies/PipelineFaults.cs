using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>What the server refused of a pipeline.</summary>
internal static class PipelineFaults
{
    /// <summary>Runs a pipeline; faults that are about rows stay in it.</summary>
    /// <param name="session">carries it</param>
    /// <param name="pipeline">filled</param>
    /// <param name="onSent">called once it is on its way</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="ServerException">the session is lost, or a fault is not about the rows</exception>
    public static async ValueTask RunAsync(IServerSession session, Pipeline pipeline, Action onSent, CancellationToken cancellationToken)
    {
        var underWay = session.RunAsync(pipeline, cancellationToken);
        onSent();
        await underWay;
        ThrowOthers(pipeline);
    }

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
}
