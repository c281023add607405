using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>The columns of a key with their 0-based places in the rows, and the order of their canonical values: integers by value, all
/// others byte by byte. Equal values are one to the server; whether others are too is <see cref="KeyComparisons"/>' business.</summary>
internal sealed class KeyColumns(IEnumerable<(TableColumn Column, int Place)> columns)
{
    /// <summary>The mark of a value that the server makes, the next id: it sorts behind all that are in the input.</summary>
    private const byte Behind = 0xFF;

    private readonly (ValueOrder Order, int Place)[] _columns =
        [.. columns.Select(key => (key.Column.Behaviour.Order, key.Place))];

    /// <summary>Whether the server's order of the column's values is the one that <see cref="Write"/> writes.</summary>
    public static bool CanWrite(TableColumn column) => column.Behaviour.Order != ValueOrder.Unknown;

    /// <summary>The order of two rows of a block that have a value in each column.</summary>
    public int Compare(RowBlock block, int one, int other)
    {
        foreach (var (order, place) in _columns)
        {
            block.Get(one, place, out var oneValue);
            block.Get(other, place, out var otherValue);
            if (Compare(oneValue, otherValue, order) is var compared and not 0)
            {
                return compared;
            }
        }

        return 0;
    }

    public static int Compare(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other, ValueOrder order)
    {
        if (order is not (ValueOrder.Signed or ValueOrder.Unsigned))
        {
            return one.SequenceCompareTo(other);
        }

        var isNegative = one.StartsWith("-"u8);
        if (isNegative != other.StartsWith("-"u8))
        {
            return isNegative ? -1 : 1;
        }

        // Canonical integers have no leading zeros: of two that are not negative, the one with more digits is greater.
        var magnitudes = one.Length != other.Length ? one.Length - other.Length : one.SequenceCompareTo(other);
        return isNegative ? -magnitudes : magnitudes;
    }

    /// <summary>Orders as a row's first value does, as far as eight bytes go.</summary>
    public ulong PrefixOf(RowBlock block, int row)
    {
        var (order, place) = _columns[0];
        block.Get(row, place, out var value);
        return TryGetNumber(value, order, out var number) ? number : PrefixSort.PrefixOf(value);
    }

    public int MostBytes(RowBlock block, int row)
    {
        var most = 0;
        foreach (var (_, place) in _columns)
        {
            block.Get(row, place, out var value);
            most += sizeof(ulong) + (2 * value.Length) + 2;
        }

        return most;
    }

    /// <summary>Writes a row's key as bytes that compare byte by byte as the server compares the key.</summary>
    public int Write(RowBlock block, int row, Span<byte> to)
    {
        var at = 0;
        foreach (var (order, place) in _columns)
        {
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                to.Slice(at, sizeof(ulong)).Fill(Behind);
                at += sizeof(ulong);
            }
            else if (TryGetNumber(value, order, out var number))
            {
                BinaryPrimitives.WriteUInt64BigEndian(to[at..], number);
                at += sizeof(ulong);
            }
            else
            {
                at += WriteText(value, to[at..]);
            }
        }

        return at;
    }

    /// <summary>An integer as a number without a sign that has the same order.</summary>
    private static bool TryGetNumber(ReadOnlySpan<byte> value, ValueOrder order, out ulong number)
    {
        if (order == ValueOrder.Signed && Utf8Parser.TryParse(value, out long signed, out _))
        {
            number = (ulong)signed ^ (1UL << 63);
            return true;
        }

        number = 0;
        return order == ValueOrder.Unsigned && Utf8Parser.TryParse(value, out number, out _);
    }

    /// <summary>Ends with two zeros, and has a mark behind each other zero, so that a value is before those that it begins.</summary>
    private static int WriteText(ReadOnlySpan<byte> value, Span<byte> to)
    {
        var at = 0;
        foreach (var one in value)
        {
            to[at++] = one;
            if (one == 0)
            {
                to[at++] = Behind;
            }
        }

        to[at++] = 0;
        to[at++] = 0;
        return at;
    }
}

/// <summary>Whether each record's key is greater than all before it, so that no two are the same.</summary>
/// <param name="mayRepeat">whether records of one chunk may have the same one</param>
internal sealed class RisingKeys(IReadOnlyList<(TableColumn Column, int Place)> columns, bool mayRepeat = false)
{
    private readonly (ValueOrder Order, int Place)[] _columns =
        [.. columns.Select(key => (key.Column.Behaviour.Order, key.Place))];

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
            var (order, place) = _columns[i];
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

            var compared = KeyColumns.Compare(value, before, order);
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
}
