using System.Buffers.Text;
using BulkLoad.Core.Input.Repairing;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads one key a line, without quotes, escapes or NULL. Blanks around it may count. Empty lines are skipped by default.
/// <c>10..20</c> can be a record for each number.</summary>
internal sealed class KeyListReader : IRecordReader
{
    private readonly RecordBuffer _buffer;
    private readonly LineEnds _lineEnds;
    private readonly Dialect _dialect;
    private readonly string _name;
    private readonly byte[] _number = new byte[20];
    private byte[]? _cut;
    private bool _isCut;
    private int _numberLength;
    private long _next;
    private long _left;
    private int _lineLength;
    private int _consumed;

    public KeyListReader(Stream content, ReaderStart start, Dialect dialect)
    {
        _buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _lineEnds = new LineEnds(dialect.Newline);
        _dialect = dialect;
        _name = start.Name;
        LineNumber = start.LineNumber - 1;
        if (dialect.HasHeader)
        {
            FieldNames = ReadHeader();
        }
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public RecordFault? Fault { get; private set; }

    public LinePassed? OnPassed { private get; set; }

    public int FieldCount => 1;

    public long RecordNumber { get; private set; }

    public long LineNumber { get; private set; }

    public long ByteOffset { get; private set; }

    /// <summary>A line with its blanks. For a range, the number alone, which can be read again.</summary>
    public ReadOnlySpan<byte> RawRecord => _isCut ? _cut : _numberLength > 0 ? _number.AsSpan(0, _numberLength) : Line;

    private ReadOnlySpan<byte> Line => _buffer.Unread[.._lineLength];

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

    public void Dispose()
    {
        // Nothing of its own: the content is the caller's.
    }

    /// <summary>Checks the line, and begins a range.</summary>
    private bool IsSkipped()
    {
        Fault = null;
        if (_isCut)
        {
            Fault = RecordFaults.TooLarge(_dialect.MaxRecordBytes, _cut!.Length);
            return false;
        }

        var key = Key;
        if (key.IsEmpty)
        {
            return IsEmptySkipped();
        }

        if (key[0] == _dialect.Comment)
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

    private bool TakeLine()
    {
        _buffer.Consume(_consumed);
        _consumed = _lineLength = 0;
        _isCut = false;
        ByteOffset = _buffer.Offset;
        LineNumber++;
        while (true)
        {
            var unread = _buffer.Unread;
            var length = _lineEnds.IndexIn(unread, _buffer.HasEnded, out var lineEnd);
            if (lineEnd > 0 || _buffer.HasEnded)
            {
                (_lineLength, _consumed) = (length, length + lineEnd);
                return length > _dialect.MaxRecordBytes ? TakeCut() : _consumed > 0;
            }

            if (length > _dialect.MaxRecordBytes + _lineEnds.Longest)
            {
                return TakeCut();
            }

            _buffer.Fill();
        }
    }

    /// <summary>Keeps the beginning of a line that is too large, and skips the rest.</summary>
    private bool TakeCut()
    {
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _dialect.MaxRecordBytes));
        _buffer.Unread[.._cut.Length].CopyTo(_cut);
        _isCut = true;
        _lineLength = _consumed = 0;
        _buffer.ConsumeLine(0, _lineEnds);
        return true;
    }

    private List<string> ReadHeader()
    {
        while (TakeLine())
        {
            if (!_isCut && Trimmed is { IsEmpty: false } name && name[0] != _dialect.Comment)
            {
                return [RecordFaults.HeaderName(name, _name, LineNumber)];
            }
        }

        return [];
    }
}
