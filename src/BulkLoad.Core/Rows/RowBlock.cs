using System.Numerics;
using System.Runtime.CompilerServices;

namespace BulkLoad.Core.Rows;

internal enum CellState
{
    Value,
    Null,

    /// <summary>The server computes the column's default.</summary>
    Default,

    /// <summary>No value: in an existing row the column does not change.</summary>
    Absent,
}

/// <summary>Rows in memory: canonical values as UTF-8 in one buffer, with each row's origin and its record's bytes. Records that could not
/// become rows are there as rejects. One owner fills it row by row; then it is only read. Reused without allocating.
/// <para>Each value ends with <see cref="ValueEnd"/>, each row with <see cref="RowEnd"/>, and NULL is <see cref="Escape"/> and N. So LOAD
/// DATA reads the buffer as it is, if no value has one of these bytes.</para></summary>
/// <param name="byteCapacity">bytes of values that most blocks hold</param>
/// <param name="rowCapacity">rows that most blocks hold</param>
internal sealed class RowBlock(int columns, int byteCapacity, int rowCapacity = 256)
{
    /// <summary>ASCII's unit separator, which text hardly ever has.</summary>
    public const byte ValueEnd = 0x1f;

    public const byte RowEnd = 0x1e;

    /// <summary>Before an N it means NULL; before an end it would make that text.</summary>
    public const byte Escape = 0x1b;

    private const int NullMark = int.MinValue;
    private const int DefaultMark = 1 << 30;
    private const int EndMask = DefaultMark - 1;

    /// <summary>Memory of a reject or a repair without its text, about.</summary>
    private const int BytesPerFinding = 256;

    /// <summary>Enough for blocks of small files, of which a chunk may have a thousand.</summary>
    private const int FirstBytes = 4 * 1024;

    private const int FirstRows = 64;

    private readonly List<Reject> _rejects = [];
    private readonly List<Repair> _repairs = [];
    private bool[] _superseded = [];
    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(Math.Min(byteCapacity, FirstBytes));
    private int[] _ends = new int[columns * Math.Min(rowCapacity, FirstRows)];
    private byte[] _originals = GC.AllocateUninitializedArray<byte>(Math.Min(byteCapacity, FirstBytes));
    private int[] _originalEnds = new int[Math.Min(rowCapacity, FirstRows)];
    private long _findingBytes;
    private int _bytesOfWholeRows;
    private bool _wholeRowsHaveDefaults;
    private long[] _records = new long[Math.Min(rowCapacity, FirstRows)];
    private long[] _lines = new long[Math.Min(rowCapacity, FirstRows)];
    private long[] _offsets = new long[Math.Min(rowCapacity, FirstRows)];
    private RowOrigin[] _origins = [];
    private int _length;
    private int _cells;

    public int ColumnCount { get; } = columns;

    public int RowCount { get; private set; }

    public int ByteCount { get; private set; }

    /// <summary>Includes the bytes of rejects.</summary>
    public long OriginalByteCount => OriginalsLength + _findingBytes;

    /// <summary>Estimate of the block's memory, in bytes.</summary>
    public long HeldBytes => _bytes.Length + (long)_originals.Length + (sizeof(int) * ((long)_ends.Length + _originalEnds.Length))
        + (3L * sizeof(long) * _records.Length) + ((long)Unsafe.SizeOf<RowOrigin>() * _origins.Length) + _findingBytes +
            (BytesPerFinding * (long)(_rejects.Count + _repairs.Count));

    /// <summary><see cref="HeldBytes"/> of a block that is full.</summary>
    public static long BytesFor(int columns, int byteCapacity, int rowCapacity) =>
        (2L * byteCapacity) + ((sizeof(int) * (columns + 1L)) + (3 * sizeof(long))) * rowCapacity;

    /// <summary>Bytes of the larger buffer.</summary>
    public int ByteCapacity => Math.Max(_bytes.Length, _originals.Length);

    /// <summary>Records that could not become rows, in the input's order.</summary>
    public IReadOnlyList<Reject> Rejects => _rejects;

    public IReadOnlyList<Repair> Repairs => _repairs;

    public int RecordCount => RowCount + _rejects.Count;

    /// <summary>The highest number of a row or reject; 0: none.</summary>
    public long LastRecord => Math.Max(RowCount == 0 ? 0 : _records[RowCount - 1], _rejects.Count == 0 ? 0 : _rejects[^1].Place.Record);

    /// <summary>Number and offset of the first and the last row or reject. Undefined if there is none.</summary>
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

    /// <summary>Whether a value is left to the column's default.</summary>
    public bool HasDefaults { get; private set; }

    public int SupersededCount { get; private set; }

    /// <summary>0-based number of the input; 0 if <see cref="IsSorted"/>.</summary>
    public int Source { get; set; }

    /// <summary>Whether the rows have another order than the inputs. Their numbers and offsets are then those of that order, and
    /// <see cref="Origin"/> has their place in the inputs.</summary>
    public bool IsSorted { get; private set; }

    public bool EndsChunk { get; set; }

    /// <summary>With several sessions: whether its rows are sent only after all chunks before its own are committed.</summary>
    public bool WaitsForTurn { get; set; }

    /// <summary>The input is complete with this block. For sorted rows, all inputs are.</summary>
    public bool EndsSource { get; set; }

    public bool EndsJob { get; set; }

    /// <summary>Whether a later record has the row's key, and replaces its values.</summary>
    public bool IsSuperseded(int row) => SupersededCount > 0 && row < _superseded.Length && _superseded[row];

    public void Supersede(int row)
    {
        if (_superseded.Length < RowCount)
        {
            Array.Resize(ref _superseded, RowCount);
        }

        SupersededCount += _superseded[row] ? 0 : 1;
        _superseded[row] = true;
    }

    /// <summary>1-based number in its input.</summary>
    public long Record(int row) => _records[row];

    /// <summary>1-based line on which the record starts.</summary>
    public long Line(int row) => _lines[row];

    /// <summary>0-based.</summary>
    public long Offset(int row) => _offsets[row];

    /// <summary>The place in the inputs, also of sorted rows.</summary>
    public RowOrigin Origin(int row) => IsSorted ? _origins[row] : new RowOrigin(Source, _records[row], _lines[row], _offsets[row]);

    /// <summary>The record as UTF-8, without its line end.</summary>
    public ReadOnlySpan<byte> Original(int row)
    {
        var start = row == 0 ? 0 : _originalEnds[row - 1];
        return _originals.AsSpan(start, _originalEnds[row] - start);
    }

    public ReadOnlySpan<byte> OriginalsOf(int from, int rows)
    {
        var start = from == 0 ? 0 : _originalEnds[from - 1];
        return rows == 0 ? [] : _originals.AsSpan(start, _originalEnds[from + rows - 1] - start);
    }

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

    /// <summary>The bytes of the buffer, with the ends of values and rows.</summary>
    public ReadOnlyMemory<byte> TextOf(int from, int rows)
    {
        var start = EndOf(from);
        return _bytes.AsMemory(start, EndOf(from + rows) - start);
    }

    /// <summary>Bytes of the values, without their ends. A NULL counts as two.</summary>
    public int ByteCountOf(int from, int rows) => EndOf(from + rows) - EndOf(from) - (rows * ColumnCount);

    /// <summary>-1: there is a default or an absent value.</summary>
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
        var (bytes, ends, end) = (_bytes, _ends, _length + value.Length);
        if ((uint)end >= (uint)bytes.Length || (uint)_cells >= (uint)ends.Length)
        {
            value.CopyTo(Reserve(value.Length));
            Take(value.Length);
            return;
        }

        value.CopyTo(bytes.AsSpan(_length));
        bytes[end] = ValueEnd;
        ends[_cells++] = end;
        _length = end + 1;
        ByteCount += value.Length;
    }

    /// <summary>Room for a value of unknown length; <see cref="Take"/> makes it a value.</summary>
    public Span<byte> Reserve(int count)
    {
        // One more byte is for the sign after the value.
        if (_bytes.Length - _length <= count)
        {
            Array.Resize(ref _bytes, (int)Math.Min(EndMask, Math.Max(NextLength(_bytes.Length, byteCapacity), (long)_length + count + 1)));
        }

        return _bytes.AsSpan(_length, count);
    }

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

    /// <summary>Completes a row. 1-based record and line, 0-based offset in the undecoded input.</summary>
    public void EndRow(long record, long line, long offset, ReadOnlySpan<byte> original)
    {
        if (RowCount == _records.Length)
        {
            SetRowRoom((int)NextLength(RowCount, rowCapacity));
        }

        var length = OriginalsLength;
        original.CopyTo(RoomForOriginals(original.Length));
        _bytes[_length - 1] = RowEnd;
        _bytesOfWholeRows = ByteCount;
        _wholeRowsHaveDefaults = HasDefaults;
        _records[RowCount] = record;
        _lines[RowCount] = line;
        _offsets[RowCount] = offset;
        _originalEnds[RowCount] = length + original.Length;
        RowCount++;
    }

    /// <summary>Adds whole rows of another block with the same columns, whose numbers and lines begin with 1 behind a place.</summary>
    public void AddRows(RowBlock other, int from, int rows, long recordsBefore, long linesBefore)
    {
        var (start, end) = (other.EndOf(from), other.EndOf(from + rows));
        other._bytes.AsSpan(start, end - start).CopyTo(Reserve(end - start));
        var (first, cells) = (from * ColumnCount, rows * ColumnCount);
        if (_ends.Length - _cells < cells)
        {
            Array.Resize(ref _ends, (int)Math.Max(NextLength(_ends.Length, (long)ColumnCount * rowCapacity), _cells + (long)cells));
        }

        var ends = other._ends.AsSpan(first, cells);
        CopyPlus(_length - start, ends, _ends.AsSpan(_cells));
        if (other.HasDefaults)
        {
            HasDefaults |= HasDefault(ends);
        }

        _cells += cells;
        _length += end - start;
        ByteCount += rows == other.RowCount ? other.ByteCount : other.ByteCountOf(from, rows) - (2 * CountNulls(ends));
        _bytesOfWholeRows = ByteCount;
        _wholeRowsHaveDefaults = HasDefaults;
        if (_records.Length - RowCount < rows)
        {
            SetRowRoom((int)Math.Max(NextLength(_records.Length, rowCapacity), RowCount + (long)rows));
        }

        var length = OriginalsLength;
        var originals = other.OriginalsOf(from, rows);
        originals.CopyTo(RoomForOriginals(originals.Length));
        var originalsBefore = from == 0 ? 0 : other._originalEnds[from - 1];
        CopyPlus(length - originalsBefore, other._originalEnds.AsSpan(from, rows), _originalEnds.AsSpan(RowCount));
        CopyPlus(recordsBefore, other._records.AsSpan(from, rows), _records.AsSpan(RowCount));
        CopyPlus(linesBefore, other._lines.AsSpan(from, rows), _lines.AsSpan(RowCount));
        other._offsets.AsSpan(from, rows).CopyTo(_offsets.AsSpan(RowCount));
        RowCount += rows;
    }

    /// <summary>Converts the offsets of the last rows.</summary>
    public void ConvertOffsets(int rows, Func<long, long> convert)
    {
        foreach (ref var offset in _offsets.AsSpan(RowCount - rows, rows))
        {
            offset = convert(offset);
        }
    }

    /// <summary>Completes a row in another order than the inputs'. <paramref name="place"/> is its 1-based number there.</summary>
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

    /// <summary>Removes the values since the last whole row.</summary>
    public void AbandonRow()
    {
        _cells = RowCount * ColumnCount;
        _length = EndOf(RowCount);
        ByteCount = _bytesOfWholeRows;
        HasDefaults = _wholeRowsHaveDefaults;
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
        HasDefaults = _wholeRowsHaveDefaults = false;
        IsSorted = false;
        EndsChunk = false;
        WaitsForTurn = false;
        EndsSource = false;
        EndsJob = false;
    }

    private int OriginalsLength => RowCount == 0 ? 0 : _originalEnds[RowCount - 1];

    /// <summary>Twice the length, but neither beyond the capacity nor just below it.</summary>
    private static long NextLength(long length, long capacity) =>
        length < capacity && length * 4 > capacity ? capacity : length * 2;

    private int EndOf(int rows) => rows == 0 ? 0 : (_ends[(rows * ColumnCount) - 1] & EndMask) + 1;

    private void SetRowRoom(int rows)
    {
        Array.Resize(ref _records, rows);
        Array.Resize(ref _lines, rows);
        Array.Resize(ref _offsets, rows);
        Array.Resize(ref _originalEnds, rows);
    }

    private Span<byte> RoomForOriginals(int count)
    {
        var length = OriginalsLength;
        if (_originals.Length - length < count)
        {
            var longer = Math.Max(NextLength(_originals.Length, byteCapacity), (long)length + count);
            Array.Resize(ref _originals, (int)Math.Min(Array.MaxLength, longer));
        }

        return _originals.AsSpan(length, count);
    }

    private static void CopyPlus<T>(T added, ReadOnlySpan<T> from, Span<T> to)
        where T : struct, INumber<T>
    {
        var at = 0;
        for (var many = new Vector<T>(added); at <= from.Length - Vector<T>.Count; at += Vector<T>.Count)
        {
            (new Vector<T>(from[at..]) + many).CopyTo(to[at..]);
        }

        for (; at < from.Length; at++)
        {
            to[at] = from[at] + added;
        }
    }

    private static bool HasDefault(ReadOnlySpan<int> ends)
    {
        foreach (var end in ends)
        {
            if ((end & (NullMark | DefaultMark)) == DefaultMark)
            {
                return true;
            }
        }

        return false;
    }

    private static int CountNulls(ReadOnlySpan<int> ends)
    {
        var nulls = 0;
        foreach (var end in ends)
        {
            nulls += (end & (NullMark | DefaultMark)) == NullMark ? 1 : 0;
        }

        return nulls;
    }

    private void AddCell(int mark)
    {
        if (_cells == _ends.Length)
        {
            Array.Resize(ref _ends, (int)NextLength(_cells, (long)ColumnCount * rowCapacity));
        }

        _ends[_cells++] = _length | mark;
        _bytes[_length++] = ValueEnd;
    }
}

/// <summary>A record's place in the inputs: 0-based input, 1-based record and line, 0-based offset in the undecoded input. Line 0: the
/// input has no lines.</summary>
internal readonly record struct RowOrigin(int Source, long Record, long Line, long Offset)
{
    /// <summary>The line of a record that has one, which nobody has counted.</summary>
    public const long UnknownLine = -1;

    /// <param name="name">the input's</param>
    public string In(string name) => Line > 0 ? $"{name}:{Line}"
        : Line == UnknownLine ? $"{name}, byte {Offset:N0}" : $"{name}, record {Record:N0}";
}
