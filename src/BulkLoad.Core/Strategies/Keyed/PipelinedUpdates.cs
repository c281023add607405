using System.Buffers;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// Rows of a block as an UPDATE each in a pipeline: those that have a value for every column as executions of a prepared statement, others
/// as text.
/// </summary>
/// <param name="keys">puts rows in order</param>
/// <param name="statement">of one row</param>
/// <param name="sql">writes statements</param>
/// <param name="encoder">of a row's values</param>
/// <param name="columns">the places of a row's values in the order of the prepared statement</param>
/// <param name="limits">the server's</param>
internal sealed class PipelinedUpdates(KeyOrder keys, LazyStatement statement, UpdateSql sql, RowEncoder encoder, int[] columns, PipelineLimits limits)
    : PipelinedBatch(keys, statement)
{
    private readonly BinaryParameters _parameters = new(encoder.TypesOf(columns));
    private readonly ArrayBufferWriter<byte> _text = new();

    protected override bool NeedsStatement => limits.CanPrepare && Keys.Count > 0;

    protected override long? Add(int key, PreparedStatement? statement)
    {
        var row = Keys.RowOfBlock(key);
        if (statement is null || !IsWhole(row))
        {
            _text.ResetWrittenCount();
            sql.WriteRow(_text, Keys.Block, row);
            var bytes = _text.WrittenCount + 1L;
            if (bytes >= limits.MaxPacket)
            {
                return bytes;
            }

            Pipeline.Add(_text.WrittenSpan);
            return null;
        }

        _parameters.Reset();
        encoder.Add(Keys.Block, row, columns, _parameters);
        if (_parameters.PacketBytes >= limits.MaxPacket)
        {
            return _parameters.PacketBytes;
        }

        Pipeline.Add(statement, _parameters);
        return null;
    }

    /// <summary>Whether the row has a value or NULL for every column.</summary>
    private bool IsWhole(int row)
    {
        if (!limits.RowsCanLackValues)
        {
            return true;
        }

        foreach (var column in columns)
        {
            if (Keys.Block.Get(row, column, out _) is not (CellState.Value or CellState.Null))
            {
                return false;
            }
        }

        return true;
    }
}

/// <summary>What bounds a pipeline's commands.</summary>
/// <param name="CanPrepare">whether the server keeps prepared statements</param>
/// <param name="RowsCanLackValues">whether a row can leave a column alone, or to its default</param>
/// <param name="MaxPacket">bytes that the server takes in one packet</param>
internal sealed record PipelineLimits(bool CanPrepare, bool RowsCanLackValues, long MaxPacket);
