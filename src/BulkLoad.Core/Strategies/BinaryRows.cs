using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Strategies;

/// <summary>Always the same number of rows, each with placeholders of its own.</summary>
internal sealed class BinaryRows : PreparedRows
{
    private readonly RowEncoder _encoder;

    public BinaryRows(RowEncoder encoder, int rows)
    {
        _encoder = encoder;
        RowCount = rows;
        Parameters = new BinaryParameters(encoder.Types(rows));
    }

    public override BinaryParameters Parameters { get; }

    public override int StatementRows => RowCount;

    public override void Fill(RowBlock block, int from, int rows) => Fill(block, from);

    public void Fill(RowBlock block, int from)
    {
        Parameters.Reset();
        for (var row = from; row < from + RowCount; row++)
        {
            _encoder.Add(block, row, Parameters);
        }
    }
}
