namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block for a <see cref="Stage"/>, in order and each key once.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="rows">takes them as they are sent</param>
internal sealed class StagedBatch(KeyOrder keys, StagedRows rows) : KeyedBatch(keys)
{
    public StagedRows Rows => rows;

    protected override void Encode() => rows.Fill(Keys);
}
