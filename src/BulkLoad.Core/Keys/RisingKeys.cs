using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

/// <summary>Whether each record's key is greater than all before it, so that no two are the same.</summary>
/// <param name="columns">of the key, with their 0-based places in the rows</param>
/// <param name="mayRepeat">whether records of one chunk may have the same one</param>
internal sealed class RisingKeys(IReadOnlyList<(TableColumn Column, int Place)> columns, bool mayRepeat = false)
{
    private readonly (TableColumn Column, int Place)[] _columns = [.. columns];

    /// <summary>The greatest key's values; none before the first row.</summary>
    private byte[][] _greatest = [];

    /// <summary>Whether it belongs to a chunk that is over.</summary>
    private bool _isOver;

    /// <summary>Whether all did so far.</summary>
    public bool Rise => Fall is null;

    /// <summary>The first record whose key did not, or is not known: 0-based input, 1-based record; null: there is none.</summary>
    public (int Source, long Record)? Fall { get; private set; }

    /// <summary>The first record whose key is not known, being NULL or the server's to make, from which on nothing is; null: there is
    /// none.</summary>
    public (int Source, long Record)? Unknown { get; private set; }

    /// <summary>Whether an order is known in which no two values of the columns are the same to the server unless they are here.</summary>
    public static bool CanTell(IEnumerable<TableColumn> columns) =>
        columns.All(column => !column.IsCharacter && KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact);

    /// <returns>whether the keys of all of them are greater than all before</returns>
    public bool Take(RowBlock block)
    {
        var rise = Unknown is null;
        var greatest = -1;
        for (var row = 0; row < block.RowCount && Unknown is null; row++)
        {
            if (IsGreater(block, row, greatest))
            {
                greatest = row;
                continue;
            }

            rise = false;
            var origin = block.Origin(row);
            Fall ??= (origin.Source, origin.Record);
            Unknown = IsKnown(block, row) ? null : (origin.Source, origin.Record);
        }

        if (greatest >= 0)
        {
            _greatest = [.. _columns.Select(column => ValueOf(block, greatest, column.Place))];
            _isOver = false;
        }

        _isOver |= block.EndsChunk;
        return rise;
    }

    /// <summary>What comes next was taken already, or comes behind that.</summary>
    public void Rewind() => (_greatest, _isOver) = ([], false);

    /// <param name="greatest">the row before it that has the greatest key; -1: it is of a block before</param>
    private bool IsGreater(RowBlock block, int row, int greatest)
    {
        var isGreater = greatest < 0 && _greatest.Length == 0;
        for (var i = 0; i < _columns.Length; i++)
        {
            var (column, place) = _columns[i];
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                return false;
            }

            if (isGreater)
            {
                continue;
            }

            ReadOnlySpan<byte> before;
            if (greatest < 0)
            {
                before = _greatest[i];
            }
            else
            {
                block.Get(greatest, place, out before);
            }

            var compared = Compare(value, before, column.Kind);
            if (compared < 0)
            {
                return false;
            }

            isGreater = compared > 0;
        }

        return isGreater || (mayRepeat && (greatest >= 0 || !_isOver));
    }

    private bool IsKnown(RowBlock block, int row)
    {
        foreach (var (_, place) in _columns)
        {
            if (block.Get(row, place, out _) != CellState.Value)
            {
                return false;
            }
        }

        return true;
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
