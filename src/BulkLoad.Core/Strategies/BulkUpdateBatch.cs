using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block as the parameters of one execution in bulk.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="encoder">of a row's values</param>
/// <param name="columns">the places of a row's values in the order of the statement</param>
internal sealed class BulkUpdateBatch(KeyOrder keys, RowEncoder encoder, IReadOnlyList<int> columns) : EncodedBatch
{
    public BulkParameters Parameters { get; } = new(encoder.TypesOf(columns));

    /// <summary>Rows that are sent.</summary>
    public int SentRows => keys.Count;

    /// <summary>Rows that a later record stands for.</summary>
    public int Superseded => keys.Repeated;

    /// <summary>The rows that are sent, 0-based in the batch and in the input's order.</summary>
    public int[] Sent()
    {
        int[] rows = [.. Enumerable.Range(0, keys.Count).Select(keys.Row)];
        Array.Sort(rows);
        return rows;
    }

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        keys.Fill(block, from, rows);
        Parameters.Reset();
        for (var key = 0; key < keys.Count; key++)
        {
            foreach (var column in columns)
            {
                encoder.Add(block, keys.RowOfBlock(key), column, Parameters);
            }
        }
    }
}
