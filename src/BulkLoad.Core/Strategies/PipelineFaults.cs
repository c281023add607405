using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>What the server refused of a pipeline.</summary>
internal static class PipelineFaults
{
    /// <summary>Runs a pipeline; faults that are about rows stay in it.</summary>
    /// <param name="onSent">called once it is on its way</param>
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

/// <summary>What becomes of the rows of a batch that have an answer each, in whatever order those come.</summary>
/// <param name="passedOver">rows that are not sent, since another record stands for them</param>
internal sealed class RowOutcomes(long passedOver)
{
    private readonly List<int> _missing = [];
    private readonly List<(int Row, BatchRefusal Refusal)> _refused = [];
    private RowCounts _taken = new() { Superseded = passedOver };

    public void Take(RowCounts taken) => _taken += taken;

    /// <param name="row">0-based, of the batch; no row of the table has its key</param>
    public void Miss(int row) => _missing.Add(row);

    /// <param name="row">0-based, of the batch; its statement has undone itself</param>
    public void Refuse(int row, ServerException error) => _refused.Add((row, BatchRefusals.OfError(error)));

    /// <param name="row">0-based, of the batch; it was never sent</param>
    /// <param name="most">that the server takes</param>
    public void RefuseTooLarge(int row, long bytes, long most) => _refused.Add((row, BatchRefusals.OfSize(bytes, most, "raise that", 0)));

    /// <summary>All of them, each list in the input's order.</summary>
    public BatchOutcome End()
    {
        _refused.Sort((one, other) => one.Row.CompareTo(other.Row));
        _missing.Sort();
        return (BatchOutcome)_taken with { Missing = _missing, Refused = _refused };
    }
}
