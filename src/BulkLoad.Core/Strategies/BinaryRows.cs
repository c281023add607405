using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Strategies;

/// <summary>So many rows as the parameters of one prepared execution.</summary>
internal sealed class BinaryRows : InsertBatch
{
    private readonly RowEncoder _encoder;

    public BinaryRows(RowEncoder encoder, int rows)
    {
        _encoder = encoder;
        RowCount = rows;
        Parameters = new BinaryParameters(encoder.Types(rows));
    }

    public BinaryParameters Parameters { get; }

    public void Fill(RowBlock block, int from)
    {
        Parameters.Reset();
        for (var row = from; row < from + RowCount; row++)
        {
            _encoder.Add(block, row, Parameters);
        }
    }
}
