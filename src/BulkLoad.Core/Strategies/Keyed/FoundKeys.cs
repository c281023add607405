using System.Buffers;
using System.Buffers.Text;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Asks the server which keys have rows: only the column's collation tells which texts are equal. No allocation per key.</summary>
internal sealed class FoundKeys(KeySql sql)
{
    /// <summary>A key's number, its number of rows, and a text that identifies these rows.</summary>
    private const int AnswerColumns = 3;

    private readonly RawResultSet _answer = new();
    private readonly List<int> _keys = [];
    private int[] _rowOf = [];

    public int Count => _answer.Count;

    /// <summary>0-based numbers of the keys that have rows, ascending; after <see cref="KeepFirst"/> those that count.</summary>
    public IReadOnlyList<int> Keys => _keys;

    /// <summary>Asks for the keys of a list, and locks their rows.</summary>
    public async ValueTask LookAsync(
        IServerSession session, int keys, KeyValue get, ArrayBufferWriter<byte> text, CancellationToken cancellationToken)
    {
        text.ResetWrittenCount();
        sql.WriteLook(keys, get, text);
        await session.QueryAsync(text.WrittenMemory, _answer, cancellationToken);
        Take(keys);
    }

    /// <summary>Adds the records whose keys have no rows.</summary>
    public void AddMissing(int keys, Func<int, int> recordOf, List<int> missing)
    {
        for (var key = 0; key < keys; key++)
        {
            if (_rowOf[key] < 0)
            {
                missing.Add(recordOf(key));
            }
        }
    }

    /// <summary>Of keys that the column takes for the same, and that so have the same rows, keeps that of the first record.</summary>
    /// <returns>number of rows of the remaining keys</returns>
    public long KeepFirst(Func<int, int> recordOf)
    {
        _keys.Sort((one, other) => Rows(one).SequenceCompareTo(Rows(other)) is var difference and not 0
            ? difference
            : recordOf(one).CompareTo(recordOf(other)));
        var (kept, rows) = (0, 0L);
        for (var i = 0; i < _keys.Count; i++)
        {
            if (i == 0 || !Rows(_keys[i]).SequenceEqual(Rows(_keys[kept - 1])))
            {
                rows += Number(_rowOf[_keys[i]], 1);
                _keys[kept++] = _keys[i];
            }
        }

        _keys.RemoveRange(kept, _keys.Count - kept);
        _keys.Sort();
        return rows;
    }

    private void Take(int keys)
    {
        if (_rowOf.Length < keys)
        {
            _rowOf = new int[keys];
        }

        if (_answer.Count > 0 && _answer.Columns != AnswerColumns)
        {
            throw ProtocolViolation.Of("it answers with other columns than were asked for");
        }

        _rowOf.AsSpan(0, keys).Fill(-1);
        for (var row = 0; row < _answer.Count; row++)
        {
            var key = Number(row, 0);
            if (key < 0 || key >= keys || _rowOf[key] >= 0)
            {
                throw ProtocolViolation.Of("it names a key that was not asked for, or one twice");
            }

            _rowOf[key] = row;
        }

        _keys.Clear();
        for (var key = 0; key < keys; key++)
        {
            if (_rowOf[key] >= 0)
            {
                _keys.Add(key);
            }
        }
    }

    /// <summary>A text that identifies a key's rows.</summary>
    private ReadOnlySpan<byte> Rows(int key) => _answer[_rowOf[key], 2];

    private long Number(int row, int column)
    {
        var text = _answer[row, column];
        return Utf8Parser.TryParse(text, out long number, out var used) && used == text.Length
            ? number
            : throw ProtocolViolation.Of("a number that was asked for is none");
    }
}
