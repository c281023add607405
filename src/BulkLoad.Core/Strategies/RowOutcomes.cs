namespace BulkLoad.Core.Strategies;

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
    /// <param name="error">the server's</param>
    public void Refuse(int row, ServerException error) => _refused.Add((row, BatchRefusals.OfError(error)));

    /// <param name="row">0-based, of the batch; it was never sent</param>
    /// <param name="bytes">of its packet</param>
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
