using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>The columns of a key with their 0-based places in the rows, and the order of their canonical values: integers by value, all
/// others byte by byte. Equal values are equal to the server; whether others are too, <see cref="KeyComparisons"/> knows.</summary>
internal sealed class KeyColumns(IEnumerable<(TableColumn Column, int Place)> columns)
{
    /// <summary>As a whole value: the next id, which sorts last. After a zero byte: the zero belongs to the text.</summary>
    private const byte MaxByte = 0xFF;

    private readonly (ValueOrder Order, int Place)[] _columns =
        [.. columns.Select(key => (key.Column.Behaviour.Order, key.Place))];

    /// <summary>Whether <see cref="Write"/> keeps the server's order of the column's values.</summary>
    public static bool CanWrite(TableColumn column) => column.Behaviour.Order != ValueOrder.Unknown;

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

        // Canonical integers have no leading zeros: of two that are not negative, the one with more digits is greater.
        return CompareNumbers(one, other, one.Length - other.Length);
    }

    /// <summary>Compares canonical decimals of a column, or times, by value.</summary>
    public static int CompareDecimals(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        return CompareNumbers(one, other, WholeLength(one) - WholeLength(other));

        static int WholeLength(ReadOnlySpan<byte> value) => value.IndexOf((byte)'.') is >= 0 and var point ? point : value.Length;
    }

    /// <summary>The first eight bytes of the first value, as a number with the same order.</summary>
    public ulong PrefixOf(RowBlock block, int row)
    {
        var (order, place) = _columns[0];
        block.Get(row, place, out var value);
        return TryGetNumber(value, order, out var number) ? number : PrefixSort.PrefixOf(value);
    }

    public int MaxBytes(RowBlock block, int row)
    {
        var size = 0;
        foreach (var (_, place) in _columns)
        {
            block.Get(row, place, out var value);
            size += sizeof(ulong) + (2 * value.Length) + 2;
        }

        return size;
    }

    /// <summary>Writes a row's key as bytes that have the server's order when compared byte by byte.</summary>
    public int Write(RowBlock block, int row, Span<byte> to)
    {
        var at = 0;
        foreach (var (order, place) in _columns)
        {
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                to.Slice(at, sizeof(ulong)).Fill(MaxByte);
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

    /// <param name="digits">how many more digits before the point one of them has</param>
    private static int CompareNumbers(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other, int digits)
    {
        var isNegative = one.StartsWith("-"u8);
        if (isNegative != other.StartsWith("-"u8))
        {
            return isNegative ? -1 : 1;
        }

        var magnitudes = digits != 0 ? digits : one.SequenceCompareTo(other);
        return isNegative ? -magnitudes : magnitudes;
    }

    /// <summary>Maps an integer to an unsigned number with the same order.</summary>
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

    /// <summary>Ends with two zeros, and marks each other zero, so that a text sorts before longer ones that begin with it.</summary>
    private static int WriteText(ReadOnlySpan<byte> value, Span<byte> to)
    {
        var at = 0;
        foreach (var one in value)
        {
            to[at++] = one;
            if (one == 0)
            {
                to[at++] = MaxByte;
            }
        }

        to[at++] = 0;
        to[at++] = 0;
        return at;
    }
}
