using System.Buffers;
using System.Security.Cryptography;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies.Keyed;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>Rows in the text form of LOAD DATA, with the signs of <see cref="RowBlock"/>: one after each value and each row, and an escape
/// before the N of NULL and before each sign that is text (MySQL manual, "LOAD DATA Statement", "Field and Line Handling"). Values of
/// binary columns are hexadecimal digits, as <see cref="Sql.LoadDataSql"/> expects them. Most rows are sent as they stand in their
/// block.</summary>
internal sealed class LoadDataText(IReadOnlyList<TableColumn> columns) : EncodedBatch
{
    private static readonly SearchValues<byte> Signs = SearchValues.Create(RowBlock.ValueEnd, RowBlock.RowEnd, RowBlock.Escape);

    /// <summary>Bytes of a number of ten digits, in units of a NULL cell.</summary>
    private const int CellsOfNumber = 4;

    private readonly bool[] _isBinary = [.. columns.Select(column => column.IsBinary)];
    private readonly bool _hasBinary = columns.Any(column => column.IsBinary);
    private byte[] _buffer = [];

    /// <summary>A name that nobody can guess: the server may ask for this stream and for nothing else.</summary>
    public static string NewFileName() => $"bulkload-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16))}";

    /// <summary>Valid as long as the block of the rows.</summary>
    public ReadOnlyMemory<byte> Content { get; private set; }

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

    /// <summary>Encodes keys in their order, each followed by its number.</summary>
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

    /// <summary>Whether the block has the rows as LOAD DATA reads them: each sign occurs only as often as the rows need it.</summary>
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

    /// <summary>Writes a row's values, each with its end sign.</summary>
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

    /// <summary>Makes room for the longest text: each byte escaped or as two digits, two bytes for NULL, one after each value.</summary>
    private void Reserve(ReadOnlySpan<byte> text, long cells)
    {
        var escapes = text.Length;
        if (escapes > 1024 * 1024 && !_hasBinary)
        {
            // For large values, counting costs less than room for the worst case.
            escapes = text.Count(RowBlock.ValueEnd) + text.Count(RowBlock.RowEnd) + text.Count(RowBlock.Escape);
        }

        var longest = (long)text.Length + escapes + (3L * cells);
        if (_buffer.Length < longest)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(
                (int)Math.Min(Array.MaxLength, Math.Max(longest, Math.Min(_buffer.Length * 2L, 4 * 1024 * 1024))));
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
