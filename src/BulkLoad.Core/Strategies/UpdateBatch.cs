using System.Buffers;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block as lists of an UPDATE each: full ones as parameters of one prepared statement, others as text.</summary>
/// <param name="sql">writes lists</param>
/// <param name="keys">puts them in order</param>
/// <param name="encoder">of a row's values</param>
/// <param name="limits">of a list</param>
/// <param name="preparesFull">whether full lists are parameters</param>
internal sealed class UpdateBatch(UpdateSql sql, KeyOrder keys, RowEncoder encoder, ListLimits limits, bool preparesFull) : EncodedBatch
{
    /// <summary>Command, statement number, flags, count and the flag before the types, with room to spare.</summary>
    private const int PacketOverhead = 64;

    /// <summary>The length before a value, with room to spare.</summary>
    private const int LengthOverhead = 9;

    private static readonly byte[] Mark = System.Text.Encoding.ASCII.GetBytes(TransactionSql.MarkBatch(0));

    private readonly List<RowList> _lists = [];
    private readonly List<BinaryParameters> _full = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The savepoint and behind it each list, once <see cref="Write"/> was called.</summary>
    public Pipeline Pipeline { get; } = new();

    public RowBlock Block => keys.Block;

    public int ListCount => _lists.Count;

    /// <summary>Rows that a later record stands for.</summary>
    public int Superseded => keys.Repeated;

    /// <summary>Whether a list is parameters of the prepared statement.</summary>
    public bool NeedsStatement { get; private set; }

    /// <summary>Bytes of the largest list's packet.</summary>
    public long MostBytes { get; private set; }

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        keys.Fill(block, from, rows);
        _lists.Clear();
        _text.ResetWrittenCount();
        (NeedsStatement, MostBytes) = (false, 0);
        var bytes = 0L;
        var start = 0;
        for (var i = 0; i < keys.Count; i++)
        {
            var rowBytes = (keys.BytesOf(i) * 2L) + sql.RowOverhead + LengthOverhead;
            if (i > start && (i - start == limits.Keys || sql.ListOverhead + bytes + rowBytes > limits.Bytes))
            {
                End(start, i);
                (bytes, start) = (0, i);
            }

            bytes += rowBytes;
        }

        if (keys.Count > start)
        {
            End(start, keys.Count);
        }
    }

    /// <summary>Makes the pipeline of all lists.</summary>
    /// <param name="statement">of a full list; null: none is needed</param>
    public void Write(PreparedStatement? statement)
    {
        Pipeline.Clear();
        Pipeline.Add(Mark);
        foreach (var list in _lists)
        {
            if (list.Full is { } full)
            {
                Pipeline.Add(statement!, _full[full]);
            }
            else
            {
                Pipeline.Add(_text.WrittenSpan[list.TextStart..list.TextEnd]);
            }
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
        var count = end - start;
        if (!preparesFull || count < limits.Keys)
        {
            var textStart = _text.WrittenCount;
            sql.WriteList(_text, keys.Block, count, record => keys.RowOfBlock(start + record));
            _lists.Add(new RowList(start, count, null, textStart, _text.WrittenCount));
            MostBytes = Math.Max(MostBytes, _text.WrittenCount - textStart);
            return;
        }

        var full = _lists.Count(list => list.Full is not null);
        if (_full.Count == full)
        {
            _full.Add(new BinaryParameters(encoder.Types(limits.Keys)));
        }

        var parameters = _full[full];
        parameters.Reset();
        for (var i = start; i < end; i++)
        {
            encoder.Add(keys.Block, keys.RowOfBlock(i), parameters);
        }

        NeedsStatement = true;
        _lists.Add(new RowList(start, count, full, 0, 0));
        MostBytes = Math.Max(MostBytes, parameters.ByteCount + parameters.Types.Length + PacketOverhead);
    }

    /// <param name="Start">its first record among the sorted ones</param>
    /// <param name="Count">its records</param>
    /// <param name="Full">its number among the full ones; null: it is text</param>
    /// <param name="TextStart">in the text</param>
    /// <param name="TextEnd">behind it</param>
    private readonly record struct RowList(int Start, int Count, int? Full, int TextStart, int TextEnd);
}
