using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows with placeholders of their own.</summary>
/// <param name="encoder">of a row's values</param>
/// <param name="mostRows">it holds no more</param>
internal sealed class BinaryRows(RowEncoder encoder, int mostRows) : PreparedRows
{
    private readonly int _columns = encoder.Types(1).Length;

    public override BinaryParameters Parameters { get; } = new(encoder.Types(mostRows));

    public override int StatementRows => RowCount;

    public override void Fill(RowBlock block, int from, int rows)
    {
        Parameters.Reset(rows * _columns);
        RowCount = rows;
        for (var row = from; row < from + rows; row++)
        {
            encoder.Add(block, row, Parameters);
        }
    }
}
