using System.Buffers;
using System.Globalization;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Rows as LOAD DATA reads them: tabs between, a line feed behind, <c>\N</c> for NULL (MySQL manual, "LOAD DATA Statement",
/// "Field and Line Handling"). Values of binary columns are hexadecimal digits, as <see cref="Sql.LoadDataSql"/> expects them.
/// </summary>
internal sealed class LoadDataText(IReadOnlyList<TableColumn> columns) : EncodedBatch
{
    private static readonly SearchValues<byte> Special = SearchValues.Create("\t\n\\\0"u8);

    /// <summary>What a number of ten digits takes, in cells of NULL.</summary>
    private const int CellsOfNumber = 4;

    private readonly bool[] _isBinary = [.. columns.Select(column => column.IsBinary)];
    private readonly bool _hasBinary = columns.Any(column => column.IsBinary);
    private byte[] _buffer = [];
    private int _length;

    public ReadOnlyMemory<byte> Content => _buffer.AsMemory(0, _length);

    /// <summary>Encodes so many of a block's rows from one on.</summary>
    public void Fill(RowBlock block, int from, int rows)
    {
        var bytes = block.BytesOf(from, rows);
        Reserve(bytes, rows * block.ColumnCount);
        var isPlain = !_hasBinary && !bytes.ContainsAny(Special);
        var output = _buffer.AsSpan();
        var length = 0;
        for (var row = from; row < from + rows; row++)
        {
            length = WriteRow(block, row, isPlain, output, length);
            output[length - 1] = (byte)'\n';
        }

        _length = length;
        RowCount = rows;
    }

    /// <summary>Encodes keys in their order, each with its number behind its values.</summary>
    public void Fill(KeyOrder keys)
    {
        var block = keys.Block;
        Reserve(keys.AllBytes, (long)keys.Count * (block.ColumnCount + CellsOfNumber));
        var output = _buffer.AsSpan();
        var length = 0;
        for (var key = 0; key < keys.Count; key++)
        {
            length = WriteRow(block, keys.RowOfBlock(key), isPlain: false, output, length);
            key.TryFormat(output[length..], out var digits, default, CultureInfo.InvariantCulture);
            length += digits;
            output[length++] = (byte)'\n';
        }

        _length = length;
        RowCount = keys.Count;
    }

    /// <summary>Writes a row's values, a tab behind each.</summary>
    /// <returns>where the next row begins</returns>
    private int WriteRow(RowBlock block, int row, bool isPlain, Span<byte> output, int length)
    {
        for (var column = 0; column < block.ColumnCount; column++)
        {
            switch (block.Get(row, column, out var value))
            {
                case CellState.Value when isPlain:
                    value.CopyTo(output[length..]);
                    length += value.Length;
                    break;
                case CellState.Value when _isBinary[column]:
                    length += WriteHex(value, output[length..]);
                    break;
                case CellState.Value:
                    length += Escape(value, output[length..]);
                    break;
                case CellState.Null:
                    output[length++] = (byte)'\\';
                    output[length++] = (byte)'N';
                    break;
                default:
                    throw new InvalidOperationException("LOAD DATA has no word for DEFAULT; the plan should have refused it");
            }

            output[length++] = (byte)'\t';
        }

        return length;
    }

    /// <summary>Room for the longest text that the rows can become: each byte escaped or as two digits, two bytes for NULL, one behind each value.</summary>
    private void Reserve(ReadOnlySpan<byte> bytes, long cells)
    {
        var escapes = bytes.Length;
        if (escapes > 1024 * 1024 && !_hasBinary)
        {
            // For large values counting costs less than room for the worst case.
            escapes = bytes.Count((byte)'\t') + bytes.Count((byte)'\n') + bytes.Count((byte)'\\') + bytes.Count((byte)0);
        }

        var most = (long)bytes.Length + escapes + (3L * cells);
        if (_buffer.Length < most)
        {
            _buffer = GC.AllocateUninitializedArray<byte>((int)Math.Min(Array.MaxLength, Math.Max(most, Math.Min(_buffer.Length * 2L, 4 * 1024 * 1024))));
        }
    }

    private static int WriteHex(ReadOnlySpan<byte> value, Span<byte> output) =>
        Convert.TryToHexString(value, output, out var length) ? length : throw new InvalidOperationException("the room is too small");

    private static int Escape(ReadOnlySpan<byte> value, Span<byte> output)
    {
        var length = 0;
        for (var next = value.IndexOfAny(Special); next >= 0; next = value.IndexOfAny(Special))
        {
            value[..next].CopyTo(output[length..]);
            length += next;
            output[length++] = (byte)'\\';
            output[length++] = value[next] switch { (byte)'\t' => (byte)'t', (byte)'\n' => (byte)'n', 0 => (byte)'0', _ => (byte)'\\' };
            value = value[(next + 1)..];
        }

        value.CopyTo(output[length..]);
        return length + value.Length;
    }
}
