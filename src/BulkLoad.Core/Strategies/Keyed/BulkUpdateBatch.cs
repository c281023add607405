using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block as the parameters of one execution in bulk.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="encoder">of a row's values</param>
/// <param name="columns">the places of a row's values in the order of the statement</param>
internal sealed class BulkUpdateBatch(KeyOrder keys, RowEncoder encoder, int[] columns) : KeyedBatch(keys)
{
    public BulkParameters Parameters { get; } = new(encoder.TypesOf(columns));

    /// <summary>Rows that are sent.</summary>
    public int SentRows => Keys.Count;

    /// <summary>The rows that are sent, 0-based in the batch and in the input's order.</summary>
    public int[] Sent()
    {
        int[] rows = [.. Enumerable.Range(0, Keys.Count).Select(Row)];
        Array.Sort(rows);
        return rows;
    }

    protected override void Encode()
    {
        Parameters.Reset();
        for (var key = 0; key < Keys.Count; key++)
        {
            encoder.Add(Keys.Block, Keys.RowOfBlock(key), columns, Parameters);
        }
    }
}
