using System.Buffers.Text;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads a line at a time; of a line that is too large, only the beginning. The content stays the caller's.</summary>
internal abstract class LineReader(Stream content, ReaderStart start, Dialect dialect, LineEnds lineEnds)
{
    private long _line = start.LineNumber - 1;
    private byte[]? _cut;
    private int _lineLength;
    private int _consumed;

    public RecordFault? Fault { get; protected set; }

    public long RecordNumber { get; protected set; }

    public long LineNumber => LacksLines ? RowOrigin.UnknownLine : _line;

    public long ByteOffset { get; private set; }

    protected RecordBuffer Buffer { get; } = new(content, start.ByteOffset, start.Origin);

    protected int MaxRecordBytes { get; } = dialect.MaxRecordBytes;

    protected byte? Comment { get; } = dialect.Comment;

    protected bool LacksLines { get; } = start.LacksLines;

    protected bool IsCut { get; private set; }

    /// <summary>Without its end.</summary>
    protected ReadOnlySpan<byte> Line => IsCut ? _cut : Buffer.Unread[.._lineLength];

    /// <summary>False at the end of the input.</summary>
    protected bool TakeLine()
    {
        LeaveLine();
        ByteOffset = Buffer.Offset;
        _line++;
        for (var searched = 0; ; Buffer.Fill())
        {
            var length = searched + lineEnds.IndexIn(Buffer.Unread[searched..], Buffer.HasEnded, out var lineEnd);
            if (lineEnd > 0 || Buffer.HasEnded)
            {
                (_lineLength, _consumed) = (length, length + lineEnd);
                return length > MaxRecordBytes ? TakeCut() : _consumed > 0;
            }

            if (length > MaxRecordBytes + lineEnds.Longest)
            {
                return TakeCut();
            }

            // A part of the line end may be there.
            searched = Math.Max(0, length - lineEnds.Longest);
        }
    }

    /// <summary>Leaves the current line.</summary>
    protected void LeaveLine()
    {
        Buffer.Consume(_consumed);
        _consumed = _lineLength = 0;
        IsCut = false;
    }

    /// <summary>Continues with a line at the buffer's first byte.</summary>
    protected void GoOn(long line, long records)
    {
        _consumed = _lineLength = 0;
        IsCut = false;
        (_line, RecordNumber) = (line - 1, records);
    }

    private bool TakeCut()
    {
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, MaxRecordBytes));
        Buffer.Unread[.._cut.Length].CopyTo(_cut);
        IsCut = true;
        _lineLength = _consumed = 0;
        Buffer.ConsumeLine(0, lineEnds);
        return true;
    }
}

/// <summary>Reads one JSON object a line. Lines end with LF or CRLF; blank ones are skipped.</summary>
internal sealed class JsonLinesReader(Stream content, ReaderStart start, Dialect dialect, JsonFieldNames keys)
    : LineReader(content, start, dialect, LineEnds.LfOrCrlf), IDivisibleReader
{
    private readonly JsonFieldNames _keys = keys;
    private readonly Dialect _dialect = dialect;
    private readonly JsonObjectParser _parser = new(keys, dialect, areLines: true);

    public IReadOnlyList<string> FieldNames => _parser.Names;

    public int FieldCount => _parser.Names.Count;

    public ReadOnlySpan<byte> RawRecord => Line;

    public bool IsDivisible => _dialect.Undivided is null && _parser.KnowsAllFields;

    public bool CanLeaveRest => !Buffer.HasEnded;

    /// <summary>Of a piece, all lines and the end were read.</summary>
    public long Lines => LacksLines ? 0 : LineNumber - 1;

    public bool Read()
    {
        while (TakeLine())
        {
            var line = Line;
            if (!IsSkipped(line))
            {
                RecordNumber++;
                Fault = IsCut ? TooLarge(line.Length) : _parser.Parse(line, LineNumber);
                return true;
            }
        }

        Fault = null;
        return false;
    }

    public bool HasCome(int field) => _parser.HasCome(field);

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value) => _parser.GetField(index, Buffer.Unread, out value);

    public ReadPlace LeaveRest(LookAheadStream content)
    {
        LeaveLine();
        content.GiveBack(Buffer.Unread);
        return new ReadPlace(Buffer.Offset, LacksLines ? 1 : LineNumber + 1, RecordNumber);
    }

    public void GoOn(ReadPlace place)
    {
        Buffer.MoveTo(place.Offset);
        GoOn(place.Line, place.Records);
    }

    public int FindEnd(ReadOnlySpan<byte> bytes) => bytes.LastIndexOf((byte)'\n') + 1;

    public IDivisibleReader ForPieces() =>
        new JsonLinesReader(Stream.Null, new ReaderStart("") { LacksLines = LacksLines }, _dialect, _keys);

    public void BeginPiece(byte[] bytes, int length, long offset)
    {
        Buffer.Hold(bytes, length, offset);
        GoOn(line: 1, records: 0);
    }

    public void TakeUp(IDivisibleReader pieces) => _parser.TakeUp(pieces);

    private RecordFault TooLarge(int kept)
    {
        _parser.Forget();
        return RecordFaults.TooLarge(MaxRecordBytes, kept);
    }

    private bool IsSkipped(ReadOnlySpan<byte> line) =>
        line.IsEmpty || line[0] == Comment || (line[0] != '{' && line.IndexOfAnyExcept(" \t\r"u8) < 0);
}

/// <summary>Reads one key a line, without quotes, escapes or NULL. Blanks around it may count. Empty lines are skipped by default.
/// <c>10..20</c> can be a record for each number.</summary>
internal sealed class KeyListReader : LineReader, IRecordReader
{
    private readonly Dialect _dialect;
    private readonly string _name;
    private readonly byte[] _number = new byte[20];
    private int _numberLength;
    private long _next;
    private long _left;

    public KeyListReader(Stream content, ReaderStart start, Dialect dialect)
        : base(content, start, dialect, new LineEnds(dialect.Newline))
    {
        (_dialect, _name) = (dialect, start.Name);
        FieldNames = dialect.HasHeader ? ReadHeader() : null;
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public LinePassed? OnPassed { private get; set; }

    public int FieldCount => 1;

    /// <summary>A line with its blanks. Of a range, the number alone, which can be read again.</summary>
    public ReadOnlySpan<byte> RawRecord => _numberLength > 0 ? _number.AsSpan(0, _numberLength) : Line;

    private ReadOnlySpan<byte> Key => _dialect.KeepsBlanks ? Line : Trimmed;

    private ReadOnlySpan<byte> Trimmed => Line.Trim(" \t"u8);

    public bool Read()
    {
        if (_left > 0)
        {
            TakeNumber();
            return true;
        }

        _numberLength = 0;
        while (TakeLine())
        {
            if (!IsSkipped())
            {
                RecordNumber++;
                return true;
            }
        }

        Fault = null;
        return false;
    }

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        value = _numberLength > 0 ? _number.AsSpan(0, _numberLength) : Key;
        return FieldKind.Quoted;
    }

    private bool IsSkipped()
    {
        Fault = null;
        if (IsCut)
        {
            Fault = RecordFaults.TooLarge(MaxRecordBytes, Line.Length);
            return false;
        }

        var key = Key;
        if (key.IsEmpty)
        {
            return IsEmptySkipped();
        }

        if (key[0] == Comment)
        {
            return true;
        }

        if (_dialect.ReadsRanges && key.IndexOf(".."u8) is >= 0 and var dots)
        {
            TakeRange(key[..dots].Trim((byte)' '), key[(dots + 2)..].Trim((byte)' '));
        }

        return false;
    }

    private bool IsEmptySkipped()
    {
        var isPassed = !_dialect.Dirt.Names(DirtKind.EmptyLines) || _dialect.Dirt[DirtKind.EmptyLines] == DirtAction.Repair;
        if (isPassed)
        {
            OnPassed?.Invoke(DirtKind.EmptyLines, LineNumber, ByteOffset, Line);
            return true;
        }

        Fault = RecordFaults.Line(DirtKind.EmptyLines);
        return _dialect.Dirt[DirtKind.EmptyLines] == DirtAction.Fail
            ? throw new InputException($"{_name}:{LineNumber}: {Fault.Message} (--dirt {Fault.Code}=fail)")
            : false;
    }

    private void TakeRange(ReadOnlySpan<byte> first, ReadOnlySpan<byte> last)
    {
        if (!TryParse(first, out var from) || !TryParse(last, out var to) || from > to || (ulong)(to - from) >= long.MaxValue)
        {
            Fault = new RecordFault(
                "bad-range", $"{FieldText.Show(Key)} is not a range of whole numbers from a smaller to a larger one, such as 10..20", 0);
            return;
        }

        _next = from;
        _left = to - from + 1;
        RecordNumber--;
        TakeNumber();

        static bool TryParse(ReadOnlySpan<byte> text, out long number) =>
            Utf8Parser.TryParse(text, out number, out var used) && used == text.Length;
    }

    private void TakeNumber()
    {
        _left--;
        RecordNumber++;
        _ = Utf8Formatter.TryFormat(_next, _number, out _numberLength);
        _next = _left == 0 ? 0 : _next + 1;
    }

    private List<string> ReadHeader()
    {
        while (TakeLine())
        {
            if (!IsCut && Trimmed is { IsEmpty: false } name && name[0] != Comment)
            {
                return [RecordFaults.HeaderName(name, _name, LineNumber)];
            }
        }

        return [];
    }
}
