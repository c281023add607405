using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Any number of rows for the placeholders of one.</summary>
internal sealed class BulkRows(RowEncoder encoder) : PreparedRows
{
    private readonly BulkParameters _parameters = new(encoder.Types(1));

    public override BinaryParameters Parameters => _parameters;

    public override int StatementRows => 1;

    public override void Fill(RowBlock block, int from, int rows)
    {
        _parameters.Reset();
        RowCount = rows;
        for (var row = from; row < from + rows; row++)
        {
            if (block.HasDefaults)
            {
                encoder.AddWithDefaults(block, row, _parameters);
            }
            else
            {
                encoder.Add(block, row, _parameters);
            }
        }
    }
}
