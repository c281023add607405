namespace BulkLoad.Core.Reading;

/// <summary>What a row has for a column.</summary>
internal enum CellState
{
    Value,
    Null,

    /// <summary>The column's default, to be worked out by the server.</summary>
    Default,
}

/// <summary>
/// Rows handed over in memory: canonical values as UTF-8 bytes in one buffer, ends and marks in arrays, and where each row came
/// from. Filled by one owner row after row, then only read; reused without allocating.
/// </summary>
internal sealed class RowBlock
{
    private const int NullMark = int.MinValue;
    private const int DefaultMark = 1 << 30;
    private const int EndMask = DefaultMark - 1;

    private byte[] _bytes;
    private int[] _ends;
    private long[] _records = new long[256];
    private long[] _lines = new long[256];
    private long[] _offsets = new long[256];
    private int _length;
    private int _cells;

    /// <param name="columns">values a row, at least 1</param>
    /// <param name="byteCapacity">bytes to start with; grows when a row needs more</param>
    public RowBlock(int columns, int byteCapacity)
    {
        ColumnCount = columns;
        _bytes = new byte[byteCapacity];
        _ends = new int[columns * 256];
    }

    /// <summary>Values a row.</summary>
    public int ColumnCount { get; }

    /// <summary>Whole rows.</summary>
    public int RowCount { get; private set; }

    /// <summary>Bytes of all values.</summary>
    public int ByteCount => _length;

    /// <summary>Bytes that the buffer holds without growing.</summary>
    public int ByteCapacity => _bytes.Length;

    /// <summary>Whether a row leaves a value to the column's default.</summary>
    public bool HasDefaults { get; private set; }

    /// <summary>0-based number of the input.</summary>
    public int Source { get; set; }

    /// <summary>Whether the chunk is complete with this block.</summary>
    public bool EndsChunk { get; set; }

    /// <summary>All values one behind the other.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.AsSpan(0, _length);

    /// <summary>1-based record of a row in its input.</summary>
    public long Record(int row) => _records[row];

    /// <summary>1-based line on which a row's record starts.</summary>
    public long Line(int row) => _lines[row];

    /// <summary>0-based offset of a row's record.</summary>
    public long Offset(int row) => _offsets[row];

    public CellState Get(int row, int column, out ReadOnlySpan<byte> value)
    {
        var cell = (row * ColumnCount) + column;
        var end = _ends[cell];
        var start = cell == 0 ? 0 : _ends[cell - 1] & EndMask;
        value = _bytes.AsSpan(start, (end & EndMask) - start);
        return end < 0 ? CellState.Null : (end & DefaultMark) != 0 ? CellState.Default : CellState.Value;
    }

    /// <summary>Bytes of the values of some rows.</summary>
    public long CountBytes(int from, int rows)
    {
        var start = from == 0 ? 0 : _ends[(from * ColumnCount) - 1] & EndMask;
        return rows == 0 ? 0 : (_ends[((from + rows) * ColumnCount) - 1] & EndMask) - start;
    }

    public void AddValue(ReadOnlySpan<byte> value)
    {
        value.CopyTo(Reserve(value.Length));
        Take(value.Length);
    }

    /// <summary>Room for a value whose length is known after it was written; <see cref="Take"/> makes it a value.</summary>
    public Span<byte> Reserve(int count)
    {
        if (_bytes.Length - _length < count)
        {
            Array.Resize(ref _bytes, (int)Math.Min(EndMask, Math.Max((long)_bytes.Length * 2, (long)_length + count)));
        }

        return _bytes.AsSpan(_length, count);
    }

    /// <summary>Makes the first bytes of what was reserved the next value.</summary>
    public void Take(int count)
    {
        _length += count;
        AddCell(0);
    }

    public void AddNull() => AddCell(NullMark);

    public void AddDefault()
    {
        HasDefaults = true;
        AddCell(DefaultMark);
    }

    /// <summary>Completes the row whose values were added.</summary>
    public void EndRow(long record, long line, long offset)
    {
        if (RowCount == _records.Length)
        {
            Array.Resize(ref _records, RowCount * 2);
            Array.Resize(ref _lines, RowCount * 2);
            Array.Resize(ref _offsets, RowCount * 2);
        }

        _records[RowCount] = record;
        _lines[RowCount] = line;
        _offsets[RowCount] = offset;
        RowCount++;
    }

    /// <summary>Forgets the values added since the last whole row.</summary>
    public void AbandonRow()
    {
        _cells = RowCount * ColumnCount;
        _length = _cells == 0 ? 0 : _ends[_cells - 1] & EndMask;
    }

    public void Clear()
    {
        _cells = 0;
        _length = 0;
        RowCount = 0;
        HasDefaults = false;
        EndsChunk = false;
    }

    private void AddCell(int mark)
    {
        if (_cells == _ends.Length)
        {
            Array.Resize(ref _ends, _cells * 2);
        }

        _ends[_cells++] = _length | mark;
    }
}
