using BulkLoad.Core.Input.Streams;
using CsvHelper;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads RFC 4180 with any separator and quote. A line ends with LF, CRLF or CR, but not in quotes; the last line need not end.
/// Quotes are only around a whole field. Empty lines are skipped, unless there is one column: then an empty line is a record with an empty
/// field. <para>CsvHelper reads windows of the buffer in place. The scanner reads records that a window does not hold, and all
/// faults.</para></summary>
internal sealed class DelimitedReader : ScanningReader, IDivisibleReader
{
    private const int WindowBytes = 128 * 1024;
    private const int NoQuote = -1;

    /// <summary>Number of records that the scanner reads after an unclosed quote: a new window costs more than few records.</summary>
    private const int ScannedAfterFault = 64;

    private readonly string _name;
    private readonly Dialect _dialect;
    private readonly CsvReaderOptions _options;
    private readonly int _quote;
    private CsvReader? _csv;
    private int _windowLength;
    private bool _isLastWindow;
    private bool _isMalformed;
    private bool _hasTaken;
    private int _takenStart;
    private int _takenEnd;
    private int _linesBeforeTaken;
    private int _leftToScanner;

    /// <summary>The dialect must be <see cref="Dialect.IsDelimited"/>.</summary>
    public DelimitedReader(Stream content, ReaderStart start, Dialect dialect) : base(content, start, dialect)
    {
        (_name, _dialect) = (start.Name, dialect);
        _quote = dialect.Quote ?? NoQuote;
        _options = new CsvReaderOptions
        {
            Separator = (char)dialect.Delimiter,
            Mode = dialect.Quote is null ? CsvMode.NoEscape : CsvMode.Rfc4180,
            Quote = (char)(dialect.Quote ?? (byte)'"'),
            CommentPrefix = (char?)dialect.Comment,
            HasHeader = false,
            SkipEmptyLines = false,
            DetectSeparatorHint = false,
            TrackLineNumbers = true,
            Encoding = Encoding.UTF8,
            MalformedData = CsvMalformedDataHandling.Recover,
            OnMalformedRecord = _ => _isMalformed = true,
        };
    }

    public bool IsDivisible => _dialect.Undivided is null;

    public bool CanLeaveRest => ExpectedFields > 0 && !Buffer.HasEnded;

    public ReadPlace LeaveRest(LookAheadStream content)
    {
        SkipRecord();
        if (_csv is not null)
        {
            CloseWindow();
        }

        content.GiveBack(Buffer.Unread);
        return new ReadPlace(Buffer.Offset, LacksLines ? 1 : NextLine, RecordNumber);
    }

    public void GoOn(ReadPlace place)
    {
        Buffer.MoveTo(place.Offset);
        GoOn(place.Line, place.Records);
    }

    public long Lines => LacksLines ? 0 : NextLine - 1;

    /// <summary>Behind the last line end with an even number of quotes before it.</summary>
    public int FindEnd(ReadOnlySpan<byte> bytes)
    {
        var end = bytes.LastIndexOf((byte)'\n') + 1;
        var isOpen = _dialect.Quote is { } first && bytes[..end].Count(first) % 2 != 0;
        while (isOpen && end > 0)
        {
            var start = bytes[..(end - 1)].LastIndexOf((byte)'\n') + 1;
            isOpen = bytes[start..end].Count(_dialect.Quote!.Value) % 2 == 0;
            end = start;
        }

        return end;
    }

    public IDivisibleReader ForPieces() =>
        new DelimitedReader(Stream.Null, new ReaderStart(_name, FieldCount: ExpectedFields) { LacksLines = LacksLines }, _dialect)
        {
            Header = Header,
        };

    public void BeginPiece(byte[] bytes, int length, long offset)
    {
        _csv?.Dispose();
        _csv = null;
        _leftToScanner = 0;
        Buffer.Hold(bytes, length, offset);
        GoOn(line: 1, records: 0);
    }

    public override FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        if (IsScanned)
        {
            return base.GetField(index, out value);
        }

        value = _csv!.GetRawSpan(index);
        if (value.Length == 0 || value[0] != _quote)
        {
            return FieldKind.Bare;
        }

        value = _csv.GetSpan(index);
        return FieldKind.Quoted;
    }

    protected override bool TryTakeFast(out FastRecord record)
    {
        record = default;
        if (_leftToScanner > 0)
        {
            _leftToScanner--;
            return false;
        }

        while (_csv is not null || TryOpenWindow())
        {
            if (TryRead(out record))
            {
                return true;
            }

            var hasTaken = _hasTaken;
            CloseWindow();
            if (!hasTaken)
            {
                // The record is larger than the window.
                return false;
            }
        }

        return false;
    }

    protected override void SwitchToScanner()
    {
        var start = (int)_csv!.ByteOffset;
        var lines = (int)_csv.LineNumber - 1;
        _csv.Dispose();
        _csv = null;
        Skip(start, lines);
        _leftToScanner = ScannedAfterFault;
    }

    protected override void Dispose(bool isDisposing)
    {
        _csv?.Dispose();
        base.Dispose(isDisposing);
    }

    private bool TryOpenWindow()
    {
        if (Buffer.Unread.Length < WindowBytes && !Buffer.HasEnded)
        {
            Buffer.FillAhead();
        }

        // CsvHelper removes what looks like a byte order mark, wherever a window begins.
        var window = Buffer.UnreadMemory;
        if (window.IsEmpty || window.Span[0] is 0xEF or 0xFE or 0xFF or 0)
        {
            return false;
        }

        _isLastWindow = Buffer.HasEnded && window.Length <= WindowBytes;
        _windowLength = Math.Min(window.Length, WindowBytes);
        _hasTaken = false;
        _csv = CsvReader.Create(window[.._windowLength], _options);
        return true;
    }

    private bool TryRead(out FastRecord record)
    {
        _isMalformed = false;
        if (!_csv!.Read())
        {
            record = default;
            return false;
        }

        var start = (int)_csv.ByteOffset;
        var length = _csv.RawRecord.Length;
        record = new FastRecord(start, length, _csv.LineNumber + NextLine - 1, _csv.FieldCount, _isMalformed);
        if (!_isLastWindow && !HasLineEnd(start + length))
        {
            return false;
        }

        _hasTaken = true;
        _takenStart = start;
        _takenEnd = start + length;
        _linesBeforeTaken = (int)_csv.LineNumber - 1;
        return true;
    }

    /// <summary>Whether the complete line end is in the window.</summary>
    private bool HasLineEnd(int at) => at + 2 <= _windowLength || (at < _windowLength && Buffer.Unread[at] == '\n');

    private void CloseWindow()
    {
        _csv!.Dispose();
        _csv = null;
        if (_hasTaken)
        {
            var unread = Buffer.Unread;
            var lineEnd = _takenEnd == unread.Length ? 0 : unread[_takenEnd..].StartsWith("\r\n"u8) ? 2 : 1;
            Skip(_takenEnd + lineEnd, _linesBeforeTaken + LineEnds.Any.CountIn(unread[_takenStart..(_takenEnd + lineEnd)]));
        }
    }
}
