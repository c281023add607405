using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

/// <summary>A row's key as bytes that compare as the server compares the key: byte by byte, equal ones only where the keys are
/// equal.</summary>
/// <param name="columns">of the key, with their 0-based places in the rows; <see cref="CanWrite"/></param>
internal sealed class ComparableKey(IReadOnlyList<(TableColumn Column, int Place)> columns)
{
    /// <summary>What stands for a value that the server makes, the next id: behind all that are in the input.</summary>
    private const byte Behind = 0xFF;

    private readonly (TableColumn Column, int Place)[] _columns = [.. columns];

    /// <summary>Whether the server's order of the column's values is the one that is written here.</summary>
    public static bool CanWrite(TableColumn column) =>
        column.Kind is ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Year or ColumnKind.Date
            or ColumnKind.DateTime or ColumnKind.Timestamp or ColumnKind.Binary or ColumnKind.Blob;

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

    /// <summary>Writes a row's key.</summary>
    /// <param name="to">at least <see cref="MostBytes"/></param>
    public int Write(RowBlock block, int row, Span<byte> to)
    {
        var at = 0;
        foreach (var (column, place) in _columns)
        {
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                to.Slice(at, sizeof(ulong)).Fill(Behind);
                at += sizeof(ulong);
                continue;
            }

            at += column.Kind switch
            {
                ColumnKind.Integer when Utf8Parser.TryParse(value, out long number, out _) =>
                    WriteNumber((ulong)number ^ (1UL << 63), to[at..]),
                ColumnKind.UnsignedInteger when Utf8Parser.TryParse(value, out ulong number, out _) => WriteNumber(number, to[at..]),
                _ => WriteText(value, to[at..]),
            };
        }

        return at;
    }

    private static int WriteNumber(ulong number, Span<byte> to)
    {
        BinaryPrimitives.WriteUInt64BigEndian(to, number);
        return sizeof(ulong);
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
