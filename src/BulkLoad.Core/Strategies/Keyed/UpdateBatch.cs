using System.Buffers;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block as lists, each with its UPDATE.</summary>
/// <param name="sql">writes lists</param>
/// <param name="keys">puts rows in order</param>
/// <param name="limits">of a list</param>
internal sealed class UpdateBatch(UpdateSql sql, KeyOrder keys, ListLimits limits) : ListBatch(keys, limits, sql.RowOverhead, sql.ListOverhead)
{
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The savepoint and behind it each list.</summary>
    public Pipeline Pipeline { get; } = new();

    public RowBlock Block => Keys.Block;

    /// <summary>Bytes of the largest list's statement.</summary>
    public int MostBytes { get; private set; }

    protected override void Clear()
    {
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.SavepointBytes(0));
        MostBytes = 0;
    }

    protected override void Add(int start, int count)
    {
        _text.ResetWrittenCount();
        sql.WriteList(_text, Keys.Block, count, record => Keys.RowOfBlock(start + record));
        Pipeline.Add(_text.WrittenSpan);
        MostBytes = Math.Max(MostBytes, _text.WrittenCount);
    }
}
