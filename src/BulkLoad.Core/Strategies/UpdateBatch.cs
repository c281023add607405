using System.Buffers;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block as lists, each with its UPDATE.</summary>
/// <param name="sql">writes lists</param>
/// <param name="keys">puts rows in order</param>
/// <param name="limits">of a list</param>
internal sealed class UpdateBatch(UpdateSql sql, KeyOrder keys, ListLimits limits) : EncodedBatch
{
    private readonly List<(int Start, int Count)> _lists = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The savepoint and behind it each list.</summary>
    public Pipeline Pipeline { get; } = new();

    public RowBlock Block => keys.Block;

    public int ListCount => _lists.Count;

    /// <summary>Rows that a later record stands for.</summary>
    public int Superseded => keys.Repeated;

    /// <summary>Bytes of the largest list's statement.</summary>
    public int MostBytes { get; private set; }

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        keys.Fill(block, from, rows);
        _lists.Clear();
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.MarkBatchBytes(0));
        MostBytes = 0;
        foreach (var (start, end) in limits.Cut(keys, sql.RowOverhead, sql.ListOverhead))
        {
            End(start, end);
        }
    }

    /// <summary>Rows of a list.</summary>
    public int RowsOf(int list) => _lists[list].Count;

    /// <summary>The row of a list's record, 0-based in the batch.</summary>
    public int Row(int list, int record) => keys.Row(_lists[list].Start + record);

    /// <summary>The row of a list's record, 0-based in the block.</summary>
    public int RowOfBlock(int list, int record) => keys.RowOfBlock(_lists[list].Start + record);

    /// <summary>A value of a list's record.</summary>
    public ReadOnlySpan<byte> Value(int list, int record, int column) => keys.Value(_lists[list].Start + record, column);

    private void End(int start, int end)
    {
        _text.ResetWrittenCount();
        sql.WriteList(_text, keys.Block, end - start, record => keys.RowOfBlock(start + record));
        Pipeline.Add(_text.WrittenSpan);
        MostBytes = Math.Max(MostBytes, _text.WrittenCount);
        _lists.Add((start, end - start));
    }
}
