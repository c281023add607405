using System.Buffers;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Finds the fields and the end of a record. Continues where it stopped, so it scans each byte once.</summary>
internal sealed class RecordScanner
{
    private const int NeedsMore = LineEnds.NeedsMore;

    private readonly Dialect _dialect;
    private readonly bool _isLenient;
    private readonly SearchValues<byte> _bareStops;
    private readonly SearchValues<byte> _quotedStops;
    private readonly LineEnds _lineEnds;
    private readonly byte[] _delimiter;
    private ScannedField[] _fields = new ScannedField[16];
    private int _count;
    private int _at;
    private Place _place;
    private int _fieldStart;
    private bool _isQuoted;
    private bool _hasEscapes;
    private bool _mayHoldLineEnds;
    private int _countedTo;
    private int _countedLines;

    /// <summary>Lenient: a quote in the wrong place is text, as always with escaped fields.</summary>
    public RecordScanner(Dialect dialect, bool isLenient = false)
    {
        _dialect = dialect;
        _isLenient = isLenient || dialect.Format.IsEscaped();
        _lineEnds = new LineEnds(dialect.Newline);
        _delimiter = dialect.WholeDelimiter;
        byte[] quoted = [.. new[] { dialect.Quote, dialect.Escape }.OfType<byte>()];
        _quotedStops = SearchValues.Create(quoted);
        _bareStops = SearchValues.Create([.. quoted, .. _lineEnds.FirstBytes, dialect.Delimiter]);
    }

    private enum Place
    {
        RecordStart,
        FieldStart,
        Bare,
        Quoted,
        FieldEnd,
        Comment,
    }

    public ReadOnlySpan<ScannedField> Fields => _fields.AsSpan(0, _count);

    public int RecordLength { get; private set; }

    /// <summary>With the line end; 0: there was none.</summary>
    public int ConsumedLength { get; private set; }

    public bool IsComment => _place == Place.Comment;

    public RecordFault? Fault { get; private set; }

    /// <summary>Number of scanned bytes.</summary>
    public int Position => _at;

    /// <summary>The quote that is still open; -1: none.</summary>
    public int OpenQuote => _place == Place.Quoted ? _fieldStart - 1 : -1;

    public void Begin()
    {
        _count = _at = RecordLength = ConsumedLength = 0;
        _place = Place.RecordStart;
        _mayHoldLineEnds = false;
        Fault = null;
    }

    /// <summary>False: more bytes are needed. The bytes begin with the record. With <paramref name="isAll"/>, the input ends with
    /// them.</summary>
    public bool Scan(ReadOnlySpan<byte> bytes, bool isAll)
    {
        while (_at < bytes.Length)
        {
            var step = _place switch
            {
                Place.RecordStart => BeginRecord(bytes[0]),
                Place.FieldStart => BeginField(bytes[_at]),
                Place.Quoted => ScanQuoted(bytes, isAll),
                Place.FieldEnd => ScanFieldEnd(bytes, isAll),
                Place.Comment => ScanComment(bytes, isAll),
                _ => ScanBare(bytes, isAll),
            };
            if (step == NeedsMore)
            {
                return false;
            }

            _at += step;
            if (ConsumedLength != 0)
            {
                return true;
            }
        }

        if (isAll)
        {
            EndAtEndOfInput(bytes.Length);
        }

        return isAll;
    }

    /// <summary>The record must have its line end.</summary>
    public int CountLines(ReadOnlySpan<byte> record) => _mayHoldLineEnds ? _lineEnds.CountIn(record) : 1;

    /// <summary>Index of the first quoted field, closed or open, with more line ends; -1: none.</summary>
    public int FirstFieldOfMoreLines(ReadOnlySpan<byte> bytes, int most)
    {
        for (var i = 0; _mayHoldLineEnds && i < _count; i++)
        {
            ref readonly var field = ref _fields[i];
            if (field.IsQuoted && field.Length > most && _lineEnds.CountIn(bytes.Slice(field.Start, field.Length)) > most)
            {
                return i;
            }
        }

        return OpenQuote >= 0 && _at - _fieldStart > most && CountOpenLines(bytes) > most ? _count : -1;
    }

    private int BeginRecord(byte first)
    {
        _place = first == _dialect.Comment ? Place.Comment : Place.FieldStart;
        return 0;
    }

    private int BeginField(byte first)
    {
        _isQuoted = first == _dialect.Quote;
        _hasEscapes = false;
        _place = _isQuoted ? Place.Quoted : Place.Bare;
        _mayHoldLineEnds |= _isQuoted;
        _fieldStart = _isQuoted ? _at + 1 : _at;
        _countedTo = _fieldStart;
        _countedLines = 0;
        return _isQuoted ? 1 : 0;
    }

    /// <summary>In the open field. Scans each byte once.</summary>
    private int CountOpenLines(ReadOnlySpan<byte> bytes)
    {
        // Half a CRLF waits for its other half, and longer line ends begin again before the place where they were cut.
        var end = _lineEnds.AreAny && bytes[_at - 1] == '\r' ? _at - 1 : _at;
        var overlap = _lineEnds.AreAny ? 0 : _lineEnds.Longest - 1;
        _countedLines += _lineEnds.CountIn(bytes[Math.Max(_fieldStart, _countedTo - overlap)..end]);
        _countedTo = end;
        return _countedLines;
    }

    private int ScanComment(ReadOnlySpan<byte> bytes, bool isAll)
    {
        var rest = bytes[_at..];
        var found = _lineEnds.IndexOfCandidate(rest);
        return found < 0 ? rest.Length : found > 0 ? found : EndAtLineEnd(bytes, isAll);
    }

    private int ScanBare(ReadOnlySpan<byte> bytes, bool isAll)
    {
        var rest = bytes[_at..];
        var found = rest.IndexOfAny(_bareStops);
        if (found != 0)
        {
            return found < 0 ? rest.Length : found;
        }

        var stop = rest[0];
        if (stop == _dialect.Delimiter)
        {
            var delimiter = DelimiterAt(rest, isAll);
            if (delimiter <= 0)
            {
                // Only the beginning of a longer delimiter: text.
                return delimiter == 0 ? 1 : NeedsMore;
            }

            EndField(_at);
            _place = Place.FieldStart;
            return delimiter;
        }

        if (stop == _dialect.Escape)
        {
            return ScanEscape(rest, isAll);
        }

        if (stop == _dialect.Quote)
        {
            Fault ??= _isLenient ? null : RecordFaults.StrayQuote(_count);
            return 1;
        }

        return EndAtLineEnd(bytes, isAll);
    }

    private int ScanQuoted(ReadOnlySpan<byte> bytes, bool isAll)
    {
        var rest = bytes[_at..];
        var found = rest.IndexOfAny(_quotedStops);
        if (found != 0)
        {
            return found < 0 ? rest.Length : found;
        }

        return rest[0] == _dialect.Quote ? ScanQuote(bytes, isAll) : ScanEscape(rest, isAll);
    }

    private int ScanFieldEnd(ReadOnlySpan<byte> bytes, bool isAll)
    {
        if (bytes[_at] == _dialect.Delimiter)
        {
            // The whole delimiter was found before the field was closed.
            _place = Place.FieldStart;
            return _delimiter.Length;
        }

        return EndAtLineEnd(bytes, isAll);
    }

    /// <summary>The quote is doubled, closing, or text.</summary>
    private int ScanQuote(ReadOnlySpan<byte> bytes, bool isAll)
    {
        var next = _at + 1;
        if (next == bytes.Length)
        {
            return isAll ? Close() : NeedsMore;
        }

        if (bytes[next] == _dialect.Quote)
        {
            _hasEscapes = true;
            return 2;
        }

        var endLength = bytes[next] == _dialect.Delimiter ? DelimiterAt(bytes[next..], isAll) : _lineEnds.LengthAt(bytes[next..], isAll);
        if (endLength != 0)
        {
            return endLength == NeedsMore ? NeedsMore : Close();
        }

        if (!_isLenient)
        {
            Fault ??= RecordFaults.TextAfterQuote(_count);
            _place = Place.Bare;
        }

        return 1;
    }

    private int Close()
    {
        EndField(_at);
        _place = Place.FieldEnd;
        return 1;
    }

    private int ScanEscape(ReadOnlySpan<byte> rest, bool isAll)
    {
        if (rest.Length == 1)
        {
            Fault ??= isAll ? RecordFaults.UnclosedEscape(_count) : null;
            return isAll ? 1 : NeedsMore;
        }

        _hasEscapes = true;
        _mayHoldLineEnds = true;
        if (rest[1] != '\r' || !_lineEnds.AreAny)
        {
            return 2;
        }

        // Where any line end will do, CRLF is escaped as one.
        return rest.Length == 2 ? (isAll ? 2 : NeedsMore) : rest[2] == '\n' ? 3 : 2;
    }

    /// <summary>0: no delimiter, or <see cref="NeedsMore"/>.</summary>
    private int DelimiterAt(ReadOnlySpan<byte> bytes, bool isAll) =>
        _delimiter.Length == 1 || bytes.StartsWith(_delimiter) ? _delimiter.Length
        : !isAll && bytes.Length < _delimiter.Length && _delimiter.AsSpan().StartsWith(bytes) ? NeedsMore
        : 0;

    private int EndAtLineEnd(ReadOnlySpan<byte> bytes, bool isAll)
    {
        var lineEnd = _lineEnds.LengthAt(bytes[_at..], isAll);
        if (lineEnd <= 0)
        {
            // Only the beginning of a longer line end: text.
            return lineEnd == 0 ? 1 : NeedsMore;
        }

        if (_place == Place.Bare)
        {
            EndField(_at);
        }

        End(_at, lineEnd);
        return lineEnd;
    }

    private void EndField(int end)
    {
        if (_count == _fields.Length)
        {
            Array.Resize(ref _fields, 2 * _count);
        }

        _fields[_count++] = new ScannedField(_fieldStart, end - _fieldStart, _isQuoted, _hasEscapes);
    }

    private void EndAtEndOfInput(int end)
    {
        if (_place == Place.FieldStart)
        {
            _isQuoted = _hasEscapes = false;
            _fieldStart = end;
        }

        if (_place is Place.FieldStart or Place.Bare or Place.Quoted)
        {
            EndField(end);
        }

        End(end, lineEnd: 0);
    }

    private void End(int recordLength, int lineEnd)
    {
        RecordLength = recordLength;
        ConsumedLength = recordLength + lineEnd;
    }
}

/// <summary><paramref name="Start"/> is behind the opening quote. With escapes, the bytes are not the value.</summary>
internal readonly record struct ScannedField(int Start, int Length, bool IsQuoted, bool HasEscapes);

/// <summary>Its place in the buffer. Malformed: a quote is in the wrong place.</summary>
internal readonly record struct FastRecord(int Start, int Length, long LineNumber, int FieldCount, bool IsMalformed);
