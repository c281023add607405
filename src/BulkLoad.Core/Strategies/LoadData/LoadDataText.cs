using System.Buffers;
using System.Security.Cryptography;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies.Keyed;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>Rows as LOAD DATA reads them with the signs of <see cref="RowBlock"/>: one behind each value and each row, and an escape before
/// an N for NULL and before each of the signs where it is text (MySQL manual, "LOAD DATA Statement", "Field and Line Handling"). Values of
/// binary columns are hexadecimal digits, as <see cref="Sql.LoadDataSql"/> expects them. Mostly the rows are sent as they stand in their
/// block.</summary>
internal sealed class LoadDataText(IReadOnlyList<TableColumn> columns) : EncodedBatch
{
    private static readonly SearchValues<byte> Signs = SearchValues.Create(RowBlock.ValueEnd, RowBlock.RowEnd, RowBlock.Escape);

    /// <summary>What a number of ten digits takes, in cells of NULL.</summary>
    private const int CellsOfNumber = 4;

    private readonly bool[] _isBinary = [.. columns.Select(column => column.IsBinary)];
    private readonly bool _hasBinary = columns.Any(column => column.IsBinary);
    private byte[] _buffer = [];

    /// <summary>A name that nobody can guess: the server may ask for this stream and for nothing else.</summary>
    public static string NewFileName() => $"bulkload-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16))}";

    /// <summary>Valid as long as the block whose rows they are.</summary>
    public ReadOnlyMemory<byte> Content { get; private set; }

    /// <summary>Whose rows they are, and the first of them.</summary>
    public (RowBlock Block, int From)? Rows { get; private set; }

    public void Fill(RowBlock block, int from, int rows)
    {
        (RowCount, Rows) = (rows, (block, from));
        Content = block.TextOf(from, rows);
        if (IsText(block, from, rows))
        {
            return;
        }

        Reserve(Content.Span, rows * block.ColumnCount);
        var output = _buffer.AsSpan();
        var length = 0;
        for (var row = from; row < from + rows; row++)
        {
            length = WriteRow(block, row, output, length);
            output[length - 1] = RowBlock.RowEnd;
        }

        Content = _buffer.AsMemory(0, length);
    }

    /// <summary>Encodes keys in their order, each with its number behind its values.</summary>
    public void Fill(KeyOrder keys)
    {
        var block = keys.Block;
        Reserve(keys.Text, (long)keys.Count * (block.ColumnCount + CellsOfNumber));
        var output = _buffer.AsSpan();
        var length = 0;
        for (var key = 0; key < keys.Count; key++)
        {
            length = WriteRow(block, keys.RowOfBlock(key), output, length);
            key.TryFormat(output[length..], out var digits, default, CultureInfo.InvariantCulture);
            length += digits;
            output[length++] = RowBlock.RowEnd;
        }

        Content = _buffer.AsMemory(0, length);
        RowCount = keys.Count;
    }

    /// <summary>Whether the rows stand in their block as LOAD DATA reads them: as many of each sign are there as they need
    /// themselves.</summary>
    private bool IsText(RowBlock block, int from, int rows)
    {
        if (_hasBinary)
        {
            return false;
        }

        var text = Content.Span;
        return text.Count(RowBlock.RowEnd) == rows
            && text.Count(RowBlock.ValueEnd) == rows * (block.ColumnCount - 1)
            && text.Count(RowBlock.Escape) == block.CountNulls(from, rows);
    }

    /// <summary>Writes a row's values, the sign that ends one behind each.</summary>
    /// <returns>where the next row begins</returns>
    private int WriteRow(RowBlock block, int row, Span<byte> output, int length)
    {
        for (var column = 0; column < block.ColumnCount; column++)
        {
            switch (block.Get(row, column, out var value))
            {
                case CellState.Value when _isBinary[column]:
                    length += WriteHex(value, output[length..]);
                    break;
                case CellState.Value:
                    length += WriteText(value, output[length..]);
                    break;
                case CellState.Null:
                    output[length++] = RowBlock.Escape;
                    output[length++] = (byte)'N';
                    break;
                default:
                    throw new InvalidOperationException("LOAD DATA has no word for DEFAULT; the plan should have refused it");
            }

            output[length++] = RowBlock.ValueEnd;
        }

        return length;
    }

    /// <summary>Room for the longest text that the rows can become: each byte escaped or as two digits, two bytes for NULL, one behind each
    /// value.</summary>
    private void Reserve(ReadOnlySpan<byte> text, long cells)
    {
        var escapes = text.Length;
        if (escapes > 1024 * 1024 && !_hasBinary)
        {
            // For large values counting costs less than room for the worst case.
            escapes = text.Count(RowBlock.ValueEnd) + text.Count(RowBlock.RowEnd) + text.Count(RowBlock.Escape);
        }

        var most = (long)text.Length + escapes + (3L * cells);
        if (_buffer.Length < most)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(
                (int)Math.Min(Array.MaxLength, Math.Max(most, Math.Min(_buffer.Length * 2L, 4 * 1024 * 1024))));
        }
    }

    private static int WriteHex(ReadOnlySpan<byte> value, Span<byte> output) =>
        Convert.TryToHexString(value, output, out var length) ? length : throw new InvalidOperationException("the room is too small");

    private static int WriteText(ReadOnlySpan<byte> value, Span<byte> output)
    {
        var length = 0;
        for (var next = value.IndexOfAny(Signs); next >= 0; next = value.IndexOfAny(Signs))
        {
            value[..next].CopyTo(output[length..]);
            length += next;
            output[length++] = RowBlock.Escape;
            output[length++] = value[next];
            value = value[(next + 1)..];
        }

        value.CopyTo(output[length..]);
        return length + value.Length;
    }
}
