using System.Runtime.CompilerServices;

namespace BulkLoad.Core.Rows;

/// <summary>What a row has for a column.</summary>
internal enum CellState
{
    Value,
    Null,

    /// <summary>The column's default, to be worked out by the server.</summary>
    Default,

    /// <summary>Nothing: of a row that is there, the column stays as it is.</summary>
    Absent,
}

/// <summary>Rows handed over in memory: canonical values as UTF-8 bytes in one buffer, ends and marks in arrays, and where each row came
/// from, with its record's own bytes. The records between them that could not become rows are with it too, as rejects. Filled by one owner
/// row after row, then only read; reused without allocating.
/// <para>Behind each value is <see cref="ValueEnd"/>, behind a row's last one <see cref="RowEnd"/>, and NULL is <see cref="Escape"/> and N.
/// So the buffer is what LOAD DATA reads with these signs, as it is, where no value has one of them.</para></summary>
/// <param name="columns">values a row, at least 1</param>
internal sealed class RowBlock(int columns, int byteCapacity, int rowCapacity = 256)
{
    /// <summary>The unit separator of ASCII, which hardly any text has.</summary>
    public const byte ValueEnd = 0x1f;

    /// <summary>The record separator of ASCII.</summary>
    public const byte RowEnd = 0x1e;

    /// <summary>What makes NULL of the N behind it, and would make text of a sign that ends one.</summary>
    public const byte Escape = 0x1b;

    private const int NullMark = int.MinValue;
    private const int DefaultMark = 1 << 30;
    private const int EndMask = DefaultMark - 1;

    /// <summary>What a reject or a repair takes beside its text.</summary>
    private const int BytesPerFinding = 256;

    private readonly List<Reject> _rejects = [];
    private readonly List<Repair> _repairs = [];
    private bool[] _superseded = [];
    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(byteCapacity);
    private int[] _ends = new int[columns * rowCapacity];
    private byte[] _originals = GC.AllocateUninitializedArray<byte>(byteCapacity);
    private int[] _originalEnds = new int[rowCapacity];
    private long _findingBytes;
    private int _bytesOfWholeRows;
    private long[] _records = new long[rowCapacity];
    private long[] _lines = new long[rowCapacity];
    private long[] _offsets = new long[rowCapacity];
    private RowOrigin[] _origins = [];
    private int _length;
    private int _cells;

    /// <summary>Values a row.</summary>
    public int ColumnCount { get; } = columns;

    public int RowCount { get; private set; }

    /// <summary>Bytes of all values.</summary>
    public int ByteCount { get; private set; }

    /// <summary>Bytes of all records, rejects included.</summary>
    public long OriginalByteCount => OriginalsLength + _findingBytes;

    /// <summary>Bytes of memory that it takes, about.</summary>
    public long HeldBytes => _bytes.Length + (long)_originals.Length + (sizeof(int) * ((long)_ends.Length + _originalEnds.Length))
        + (3L * sizeof(long) * _records.Length) + ((long)Unsafe.SizeOf<RowOrigin>() * _origins.Length) + _findingBytes +
            (BytesPerFinding * (long)(_rejects.Count + _repairs.Count));

    /// <summary><see cref="HeldBytes"/> of an empty block that is made with these capacities, before any sorted row.</summary>
    public static long BytesFor(int columns, int byteCapacity, int rowCapacity) =>
        (2L * byteCapacity) + ((sizeof(int) * (columns + 1L)) + (3 * sizeof(long))) * rowCapacity;

    /// <summary>Bytes that the larger of the buffers holds without growing.</summary>
    public int ByteCapacity => Math.Max(_bytes.Length, _originals.Length);

    /// <summary>Records that could not become rows, in the input's order.</summary>
    public IReadOnlyList<Reject> Rejects => _rejects;

    /// <summary>What was repaired of the rows' records, and lines that were skipped.</summary>
    public IReadOnlyList<Repair> Repairs => _repairs;

    public int RecordCount => RowCount + _rejects.Count;

    /// <summary>The highest number of a record that is here, as row or reject; 0 where there is none.</summary>
    public long LastRecord => Math.Max(RowCount == 0 ? 0 : _records[RowCount - 1], _rejects.Count == 0 ? 0 : _rejects[^1].Place.Record);

    /// <summary>The first and the last record that is here, as row or reject: number and offset. Of no meaning where there is
    /// none.</summary>
    public ((long Record, long Offset) First, (long Record, long Offset) Last) Extent
    {
        get
        {
            var firstReject = _rejects.Count == 0 ? (Record: long.MaxValue, Offset: 0L) : _rejects[0].Place;
            var lastReject = _rejects.Count == 0 ? default : _rejects[^1].Place;
            var firstRow = RowCount == 0 ? (Record: long.MaxValue, Offset: 0L) : (Record: _records[0], Offset: _offsets[0]);
            var lastRow = RowCount == 0 ? default : (Record: _records[RowCount - 1], Offset: _offsets[RowCount - 1]);
            return (firstRow.Record < firstReject.Record ? firstRow : firstReject,
                lastRow.Record > lastReject.Record ? lastRow : lastReject);
        }
    }

    /// <summary>Whether a row leaves a value to the column's default.</summary>
    public bool HasDefaults { get; private set; }

    /// <summary>Rows that <see cref="IsSuperseded"/>.</summary>
    public int SupersededCount { get; private set; }

    /// <summary>0-based number of the input; 0 where <see cref="IsSorted"/>.</summary>
    public int Source { get; set; }

    /// <summary>Whether the rows come in another order than that of the inputs: their numbers and offsets are then those of all records one
    /// behind the other in that order, and <see cref="Origin"/> tells where they are.</summary>
    public bool IsSorted { get; private set; }

    public bool EndsChunk { get; set; }

    /// <summary>Whether the input is complete with this block; of sorted rows all inputs are.</summary>
    public bool EndsSource { get; set; }

    /// <summary>Whether no block follows.</summary>
    public bool EndsJob { get; set; }

    /// <summary>Whether a later record has the row's key, and its values are the ones that count.</summary>
    public bool IsSuperseded(int row) => SupersededCount > 0 && row < _superseded.Length && _superseded[row];

    /// <summary>Says that a later record has the row's key.</summary>
    public void Supersede(int row)
    {
        if (_superseded.Length < RowCount)
        {
            Array.Resize(ref _superseded, RowCount);
        }

        SupersededCount += _superseded[row] ? 0 : 1;
        _superseded[row] = true;
    }

    /// <summary>1-based record of a row in its input.</summary>
    public long Record(int row) => _records[row];

    /// <summary>1-based line on which a row's record starts.</summary>
    public long Line(int row) => _lines[row];

    /// <summary>0-based offset of a row's record.</summary>
    public long Offset(int row) => _offsets[row];

    /// <summary>Where a row's record is in the inputs, whatever order the rows come in.</summary>
    public RowOrigin Origin(int row) => IsSorted ? _origins[row] : new RowOrigin(Source, _records[row], _lines[row], _offsets[row]);

    /// <summary>A row's record as the reader had it: UTF-8, without its line end.</summary>
    public ReadOnlySpan<byte> Original(int row)
    {
        var start = row == 0 ? 0 : _originalEnds[row - 1];
        return _originals.AsSpan(start, _originalEnds[row] - start);
    }

    /// <summary>The records of some rows, one behind the other.</summary>
    public ReadOnlySpan<byte> OriginalsOf(int from, int rows)
    {
        var start = from == 0 ? 0 : _originalEnds[from - 1];
        return rows == 0 ? [] : _originals.AsSpan(start, _originalEnds[from + rows - 1] - start);
    }

    /// <summary>The offsets of some rows' records.</summary>
    public ReadOnlySpan<long> OffsetsOf(int from, int rows) => _offsets.AsSpan(from, rows);

    public CellState Get(int row, int column, out ReadOnlySpan<byte> value)
    {
        var cell = (row * ColumnCount) + column;
        var end = _ends[cell];
        if ((end & ~EndMask) == 0)
        {
            var start = cell == 0 ? 0 : (_ends[cell - 1] & EndMask) + 1;
            value = _bytes.AsSpan(start, end - start);
            return CellState.Value;
        }

        value = default;
        return end >= 0 ? CellState.Default : (end & DefaultMark) == 0 ? CellState.Null : CellState.Absent;
    }

    /// <summary>Some rows as they are in the buffer, with the signs that end values and rows; valid while the block is.</summary>
    public ReadOnlyMemory<byte> TextOf(int from, int rows)
    {
        var start = EndOf(from);
        return _bytes.AsMemory(start, EndOf(from + rows) - start);
    }

    /// <summary>Bytes of some rows' values; NULL has two.</summary>
    public int ByteCountOf(int from, int rows) => EndOf(from + rows) - EndOf(from) - (rows * ColumnCount);

    /// <summary>How many of some rows' values are NULL; -1 where one is neither that nor a value.</summary>
    public int CountNulls(int from, int rows)
    {
        var nulls = 0;
        var others = 0;
        foreach (var end in _ends.AsSpan(from * ColumnCount, rows * ColumnCount))
        {
            nulls += end >>> 31;
            others |= end & DefaultMark;
        }

        return others == 0 ? nulls : -1;
    }

    public void AddValue(ReadOnlySpan<byte> value)
    {
        value.CopyTo(Reserve(value.Length));
        Take(value.Length);
    }

    /// <summary>Room for a value whose length is known after it was written; <see cref="Take"/> makes it a value.</summary>
    public Span<byte> Reserve(int count)
    {
        // And room for the sign behind it.
        if (_bytes.Length - _length <= count)
        {
            Array.Resize(ref _bytes, (int)Math.Min(EndMask, Math.Max((long)_bytes.Length * 2, (long)_length + count + 1)));
        }

        return _bytes.AsSpan(_length, count);
    }

    /// <summary>Makes the first bytes of what was reserved the next value.</summary>
    public void Take(int count)
    {
        _length += count;
        ByteCount += count;
        AddCell(0);
    }

    public void AddNull()
    {
        var room = Reserve(2);
        room[1] = (byte)'N';
        room[0] = Escape;
        _length += 2;
        AddCell(NullMark);
    }

    public void AddDefault()
    {
        HasDefaults = true;
        Reserve(0);
        AddCell(DefaultMark);
    }

    public void AddAbsent()
    {
        Reserve(0);
        AddCell(NullMark | DefaultMark);
    }

    /// <summary>Completes the row whose values were added.</summary>
    /// <param name="record">1-based number in the input</param>
    /// <param name="line">1-based line on which it starts</param>
    /// <param name="offset">0-based offset in the undecoded input</param>
    public void EndRow(long record, long line, long offset, ReadOnlySpan<byte> original)
    {
        if (RowCount == _records.Length)
        {
            Array.Resize(ref _records, RowCount * 2);
            Array.Resize(ref _lines, RowCount * 2);
            Array.Resize(ref _offsets, RowCount * 2);
            Array.Resize(ref _originalEnds, RowCount * 2);
        }

        var length = OriginalsLength;
        if (_originals.Length - length < original.Length)
        {
            Array.Resize(
                ref _originals, (int)Math.Min(Array.MaxLength, Math.Max((long)_originals.Length * 2, (long)length + original.Length)));
        }

        original.CopyTo(_originals.AsSpan(length));
        _bytes[_length - 1] = RowEnd;
        _bytesOfWholeRows = ByteCount;
        _records[RowCount] = record;
        _lines[RowCount] = line;
        _offsets[RowCount] = offset;
        _originalEnds[RowCount] = length + original.Length;
        RowCount++;
    }

    /// <summary>Completes a row that comes in another order than that of the inputs.</summary>
    /// <param name="place">1-based number in that order</param>
    public void EndRow(long place, long offset, ReadOnlySpan<byte> original, RowOrigin origin)
    {
        EndRow(place, origin.Line, offset, original);
        if (_origins.Length < RowCount)
        {
            Array.Resize(ref _origins, _records.Length);
        }

        _origins[RowCount - 1] = origin;
        IsSorted = true;
    }

    /// <summary>Takes note of a record that is none of the rows.</summary>
    public void AddReject(Reject reject)
    {
        _rejects.Add(reject);
        _findingBytes += reject.Text.Length;
    }

    public void AddRepair(Repair repair)
    {
        _repairs.Add(repair);
        _findingBytes += repair.Text.Length;
    }

    /// <summary>Forgets the values added since the last whole row.</summary>
    public void AbandonRow()
    {
        _cells = RowCount * ColumnCount;
        _length = EndOf(RowCount);
        ByteCount = _bytesOfWholeRows;
    }

    public void Clear()
    {
        _rejects.Clear();
        _repairs.Clear();
        _findingBytes = 0;
        _cells = 0;
        _length = 0;
        ByteCount = _bytesOfWholeRows = 0;
        RowCount = 0;
        SupersededCount = 0;
        Array.Clear(_superseded);
        HasDefaults = false;
        IsSorted = false;
        EndsChunk = false;
        EndsSource = false;
        EndsJob = false;
    }

    private int OriginalsLength => RowCount == 0 ? 0 : _originalEnds[RowCount - 1];

    /// <summary>Where so many rows end in the buffer.</summary>
    private int EndOf(int rows) => rows == 0 ? 0 : (_ends[(rows * ColumnCount) - 1] & EndMask) + 1;

    private void AddCell(int mark)
    {
        if (_cells == _ends.Length)
        {
            Array.Resize(ref _ends, _cells * 2);
        }

        _ends[_cells++] = _length | mark;
        _bytes[_length++] = ValueEnd;
    }
}

/// <summary>Where a row's record is in the inputs.</summary>
/// <param name="Source">0-based number of the input</param>
/// <param name="Record">1-based number in there</param>
/// <param name="Line">1-based line on which it starts</param>
/// <param name="Offset">0-based offset in the undecoded input</param>
internal readonly record struct RowOrigin(int Source, long Record, long Line, long Offset);
