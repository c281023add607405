using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Checking;

/// <summary>Whether each record's key is greater than the one before it, so that no two are the same.</summary>
/// <param name="columns">of the key, with their 0-based places in the rows</param>
/// <param name="mayRepeat">whether records of one chunk may have the same one</param>
internal sealed class RisingKeys(IReadOnlyList<(TableColumn Column, int Place)> columns, bool mayRepeat = false)
{
    /// <summary>The values that came last; none before the first row.</summary>
    private byte[][] _last = [];
    private bool _isChunkOver;

    /// <summary>Whether all did so far.</summary>
    public bool Rise => Fall is null;

    /// <summary>The first record whose key did not, or is NULL: 0-based input, 1-based record; null: there is none.</summary>
    public (int Source, long Record)? Fall { get; private set; }

    /// <summary>Whether an order is known in which no two values of the columns are the same to the server unless they are here.</summary>
    public static bool CanTell(IEnumerable<TableColumn> columns) =>
        columns.All(column => !column.IsCharacter && KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact);

    /// <summary>Takes a block's rows.</summary>
    public void Take(RowBlock block)
    {
        if (!Rise || block.RowCount == 0)
        {
            _isChunkOver |= block.EndsChunk;
            return;
        }

        for (var row = 0; row < block.RowCount; row++)
        {
            if (!IsGreater(block, row))
            {
                var origin = block.Origin(row);
                Fall = (origin.Source, origin.Record);
                return;
            }
        }

        _last = [.. columns.Select(column => ValueOf(block, block.RowCount - 1, column.Place))];
        _isChunkOver = block.EndsChunk;
    }

    /// <summary>What comes next was taken already, or comes behind that.</summary>
    public void Rewind() => (_last, _isChunkOver) = ([], false);

    private bool IsGreater(RowBlock block, int row)
    {
        var isGreater = row == 0 && _last.Length == 0;
        for (var i = 0; i < columns.Count; i++)
        {
            var (column, place) = columns[i];
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                return false;
            }

            if (isGreater)
            {
                continue;
            }

            ReadOnlySpan<byte> before;
            if (row == 0)
            {
                before = _last[i];
            }
            else
            {
                block.Get(row - 1, place, out before);
            }

            var compared = Compare(value, before, column.Kind);
            if (compared < 0)
            {
                return false;
            }

            isGreater = compared > 0;
        }

        return isGreater || (mayRepeat && (row > 0 || !_isChunkOver));
    }

    private static byte[] ValueOf(RowBlock block, int row, int place)
    {
        block.Get(row, place, out var value);
        return value.ToArray();
    }

    private static int Compare(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other, ColumnKind kind) =>
        kind is ColumnKind.Integer or ColumnKind.UnsignedInteger ? CompareIntegers(one, other) : one.SequenceCompareTo(other);

    /// <summary>Canonical integers have no leading zeros: of two that are not negative, the one with more digits is greater.</summary>
    private static int CompareIntegers(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        var isNegative = one[0] == '-';
        if (isNegative != (other[0] == '-'))
        {
            return isNegative ? -1 : 1;
        }

        var magnitudes = one.Length != other.Length ? one.Length - other.Length : one.SequenceCompareTo(other);
        return isNegative ? -magnitudes : magnitudes;
    }
}
