using System.Buffers;

namespace BulkLoad.Core.Rows;

/// <summary>A row as bytes: origin, each value with length and state, the record. Numbers are in groups of seven bits.</summary>
internal readonly ref struct SerializedRow
{
    private const int StateBits = 2;
    private const int MaxNumberBytes = 10;
    private const int OriginNumbers = 4;

    private readonly ReadOnlySpan<byte> _cells;
    private readonly int _columns;

    /// <summary>The bytes must not change while the row is used.</summary>
    public SerializedRow(ReadOnlySpan<byte> bytes, int columns)
    {
        Origin = new RowOrigin((int)ReadNumber(ref bytes), ReadNumber(ref bytes), ReadNumber(ref bytes), ReadNumber(ref bytes));
        _cells = bytes;
        _columns = columns;
        for (var column = 0; column < columns; column++)
        {
            bytes = bytes[(int)(ReadNumber(ref bytes) >> StateBits)..];
        }

        Original = bytes;
    }

    public RowOrigin Origin { get; }

    public ReadOnlySpan<byte> Original { get; }

    public static void Write(RowBlock block, int row, IBufferWriter<byte> to)
    {
        var original = block.Original(row);
        var room = to.GetSpan(((OriginNumbers + block.ColumnCount) * MaxNumberBytes) + block.ByteCountOf(row, 1) + original.Length);
        var origin = block.Origin(row);
        var at = WriteNumber(origin.Source, room);
        at += WriteNumber(origin.Record, room[at..]);
        at += WriteNumber(origin.Line, room[at..]);
        at += WriteNumber(origin.Offset, room[at..]);
        for (var column = 0; column < block.ColumnCount; column++)
        {
            var state = block.Get(row, column, out var value);
            at += WriteNumber(((long)value.Length << StateBits) | (long)state, room[at..]);
            value.CopyTo(room[at..]);
            at += value.Length;
        }

        original.CopyTo(room[at..]);
        to.Advance(at + original.Length);
    }

    /// <summary><paramref name="place"/> is the row's 1-based number in the block's order.</summary>
    public void AddTo(RowBlock block, long place, long offset)
    {
        var bytes = _cells;
        for (var column = 0; column < _columns; column++)
        {
            var head = ReadNumber(ref bytes);
            var length = (int)(head >> StateBits);
            switch ((CellState)(head & ((1 << StateBits) - 1)))
            {
                case CellState.Null:
                    block.AddNull();
                    break;
                case CellState.Default:
                    block.AddDefault();
                    break;
                case CellState.Absent:
                    block.AddAbsent();
                    break;
                default:
                    block.AddValue(bytes[..length]);
                    break;
            }

            bytes = bytes[length..];
        }

        block.EndRow(place, offset, Original, Origin);
    }

    private static int WriteNumber(long number, Span<byte> to)
    {
        var at = 0;
        var left = (ulong)number;
        for (; left >= 0x80; left >>= 7)
        {
            to[at++] = (byte)(left | 0x80);
        }

        to[at++] = (byte)left;
        return at;
    }

    private static long ReadNumber(ref ReadOnlySpan<byte> bytes)
    {
        var (number, at) = (0UL, 0);
        byte group;
        do
        {
            group = bytes[at];
            number |= (ulong)(group & 0x7F) << (7 * at);
            at++;
        }
        while (group >= 0x80);
        bytes = bytes[at..];
        return (long)number;
    }
}
