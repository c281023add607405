using System.Buffers;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block as lists of keys, each with its DELETE.</summary>
/// <param name="sql">writes lists</param>
/// <param name="keys">puts them in order</param>
/// <param name="limits">of a list</param>
internal sealed class KeyBatch(KeySql sql, KeyOrder keys, ListLimits limits) : ListBatch(keys, limits, sql.KeyOverhead, listOverhead: 0)
{
    private readonly List<int> _ends = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The DELETE of a list.</summary>
    public ReadOnlyMemory<byte> Statement(int list) => _text.WrittenMemory[(list == 0 ? 0 : _ends[list - 1]).._ends[list]];

    protected override void Clear()
    {
        _ends.Clear();
        _text.ResetWrittenCount();
    }

    protected override void Add(int start, int count)
    {
        sql.WriteDelete(count, (key, column) => Keys.Value(start + key, column), _text);
        _ends.Add(_text.WrittenCount);
    }
}
