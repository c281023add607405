using System.Buffers;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Rows of a block as an UPDATE each in a pipeline, behind the batch's savepoint: those that have a value for every column as executions of
/// a prepared statement, others as text.
/// </summary>
/// <param name="sql">writes statements</param>
/// <param name="keys">puts rows in order</param>
/// <param name="encoder">of a row's values</param>
/// <param name="columns">the places of a row's values in the order of the prepared statement</param>
/// <param name="limits">the server's</param>
internal sealed class PipelinedUpdates(UpdateSql sql, KeyOrder keys, RowEncoder encoder, IReadOnlyList<int> columns, PipelineLimits limits) : EncodedBatch
{
    private readonly BinaryParameters _parameters = new(encoder.TypesOf(columns));
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly List<int> _sent = [];
    private int _before;

    /// <summary>What is sent.</summary>
    public Pipeline Pipeline { get; } = new();

    /// <summary>Whether <see cref="Pipeline"/> has the rows.</summary>
    public bool IsWritten { get; private set; }

    /// <summary>Whether a row needs the prepared statement.</summary>
    public bool NeedsStatement { get; private set; }

    /// <summary>Rows that a later record stands for.</summary>
    public int Superseded => keys.Repeated;

    /// <summary>Records that are not sent, since no packet holds them, with their bytes.</summary>
    public List<(int Key, long Bytes)> TooLarge { get; } = [];

    /// <summary>The row of one of these, 0-based in the batch.</summary>
    public int RowOfKey(int key) => keys.Row(key);

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        (RowCount, IsWritten) = (rows, false);
        keys.Fill(block, from, rows);
        NeedsStatement = limits.CanPrepare && keys.Count > 0;
    }

    /// <summary>Writes all rows.</summary>
    /// <param name="statement">of one row; null: none is needed</param>
    public void Write(PreparedStatement? statement)
    {
        TooLarge.Clear();
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.MarkBatchBytes(0));
        _sent.Clear();
        (IsWritten, _before) = (true, 1);
        Write(statement, 0);
    }

    /// <summary>How many rows were answered.</summary>
    public int Answered => Pipeline.Answered - _before;

    /// <summary>The answer to a row, of those that were answered.</summary>
    public Answer Answer(int number) => Pipeline.Answers[number + _before];

    /// <summary>The row that was answered, 0-based in the batch.</summary>
    public int Row(int number) => keys.Row(_sent[number]);

    /// <summary>Those of the rows answered that failed.</summary>
    public IEnumerable<(int Row, ServerException Error)> Failed => Pipeline.Faults.Select(fault => (Row(fault.Command - _before), fault.Error));

    /// <summary>Keeps only the rows that were not sent.</summary>
    /// <returns>whether there are any</returns>
    public bool KeepUnsent(PreparedStatement? statement)
    {
        if (Pipeline.Sent == Pipeline.Count)
        {
            return false;
        }

        var next = _sent[Pipeline.Sent - _before];
        TooLarge.RemoveAll(found => found.Key > next);
        Pipeline.Clear();
        _sent.Clear();
        _before = 0;
        Write(statement, next);
        return true;
    }

    private void Write(PreparedStatement? statement, int from)
    {
        for (var key = from; key < keys.Count; key++)
        {
            var row = keys.RowOfBlock(key);
            long bytes;
            if (statement is null || !IsWhole(row))
            {
                _text.ResetWrittenCount();
                sql.WriteRow(_text, keys.Block, row);
                bytes = _text.WrittenCount + 1;
                if (bytes < limits.MaxPacket)
                {
                    Pipeline.Add(_text.WrittenSpan);
                }
            }
            else
            {
                _parameters.Reset();
                foreach (var column in columns)
                {
                    encoder.Add(keys.Block, row, column, _parameters);
                }

                bytes = _parameters.PacketBytes;
                if (bytes < limits.MaxPacket)
                {
                    Pipeline.Add(statement, _parameters);
                }
            }

            if (bytes < limits.MaxPacket)
            {
                _sent.Add(key);
            }
            else
            {
                TooLarge.Add((key, bytes));
            }
        }
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
            if (keys.Block.Get(row, column, out _) is not (CellState.Value or CellState.Null))
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
