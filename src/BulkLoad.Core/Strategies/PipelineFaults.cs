using BulkLoad.Core.Protocol;

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
            if (error.Kind is not (FaultKind.Data or FaultKind.Packet))
            {
                throw error;
            }
        }
    }
}
