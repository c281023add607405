using CsvHelper;

namespace BulkLoad.Core.Reading;

/// <summary>
/// Reads records as RFC 4180 writes them, with any separator and quote. A line ends with LF, CRLF or a lone CR, within
/// quotes none of them does; the last line need not end at all. Empty lines are passed over, except where there is one
/// column: there an empty line is a record with one empty field. A quote may only stand around a whole field.
/// </summary>
internal sealed class DelimitedReader : IRecordReader
{
    private const int BufferBytes = 128 * 1024;
    private const int NoQuote = -1;

    private readonly CsvReader _csv;
    private readonly ReaderStart _start;
    private readonly int _maxRecordBytes;
    private readonly int _quote;
    private int _expectedFields;
    private CsvMalformedRecord? _malformed;

    /// <param name="content">UTF-8; stays the caller's</param>
    /// <param name="start">where the content begins</param>
    /// <param name="dialect">one that <see cref="Dialect.IsDelimited"/></param>
    /// <exception cref="InputException">the header breaks the format's rules</exception>
    public DelimitedReader(Stream content, ReaderStart start, Dialect dialect)
    {
        _start = start;
        _maxRecordBytes = dialect.MaxRecordBytes;
        _quote = dialect.Quote ?? NoQuote;
        var options = new CsvReaderOptions
        {
            Separator = (char)dialect.Delimiter,
            Mode = dialect.Quote is null ? CsvMode.NoEscape : CsvMode.Rfc4180,
            Quote = (char)(dialect.Quote ?? (byte)'"'),
            CommentPrefix = (char?)dialect.Comment,
            HasHeader = false,
            SkipEmptyLines = false,
            DetectSeparatorHint = false,
            TrackLineNumbers = true,
            BufferSize = BufferBytes,
            MaxRecordSize = dialect.MaxRecordBytes,
            MalformedData = CsvMalformedDataHandling.Recover,
            OnMalformedRecord = Note,
        };
        _csv = CsvReader.Create(content, options, leaveOpen: true);
        if (dialect.HasHeader)
        {
            FieldNames = ReadHeader();
        }
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _csv.FieldCount;

    public long RecordNumber { get; private set; }

    public long LineNumber => _csv.LineNumber + _start.LineNumber - 1;

    public long ByteOffset => _csv.ByteOffset + _start.ByteOffset;

    public ReadOnlySpan<byte> RawRecord => _csv.RawRecord;

    public bool Read()
    {
        if (!ReadRecord())
        {
            return false;
        }

        RecordNumber++;
        if (_csv.FieldCount != _expectedFields)
        {
            if (_expectedFields == 0)
            {
                _expectedFields = _csv.FieldCount;
            }
            else
            {
                Fault ??= RecordFaults.FieldCount(_csv.FieldCount, _expectedFields);
            }
        }

        return true;
    }

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        value = _csv.GetRawSpan(index);
        if (value.Length == 0 || value[0] != _quote)
        {
            return FieldKind.Bare;
        }

        value = _csv.GetSpan(index);
        return FieldKind.Quoted;
    }

    public void Dispose() => _csv.Dispose();

    private bool ReadRecord()
    {
        do
        {
            Fault = null;
            try
            {
                if (!_csv.Read())
                {
                    return false;
                }
            }
            catch (CsvFormatException e)
            {
                // Nothing else is thrown, as malformed records are recovered.
                throw RecordFaults.TooLarge(_start.Name, e.LineNumber + _start.LineNumber - 1, _maxRecordBytes);
            }
        }
        while (_csv.RawRecord.Length == 0 && _expectedFields != 1);

        if (_csv.RawRecord.Length > _maxRecordBytes)
        {
            throw RecordFaults.TooLarge(_start.Name, LineNumber, _maxRecordBytes);
        }

        if (_malformed is { } malformed)
        {
            Fault = FaultOf(malformed);
            _malformed = null;
        }

        return true;
    }

    private List<string> ReadHeader()
    {
        var names = new List<string>();
        if (!ReadRecord())
        {
            return names;
        }

        if (Fault is not null)
        {
            throw new InputException($"{_start.Name}:{LineNumber}: the header cannot be read: {Fault.Message}");
        }

        for (var i = 0; i < _csv.FieldCount; i++)
        {
            GetField(i, out var name);
            names.Add(RecordFaults.HeaderName(name, _start.Name, LineNumber));
        }

        _expectedFields = names.Count;
        return names;
    }

    private void Note(CsvMalformedRecord record) => _malformed = record;

    private RecordFault FaultOf(CsvMalformedRecord record)
    {
        var field = FieldAt(record.ByteOffset - _csv.ByteOffset);
        return record.Reason switch
        {
            CsvMalformedReason.StrayQuote => RecordFaults.StrayQuote(field),
            CsvMalformedReason.TextAfterClosingQuote => RecordFaults.TextAfterQuote(field),
            _ => RecordFaults.UnclosedQuote(field),
        };
    }

    private int FieldAt(long offset)
    {
        var field = 0;
        for (var end = (long)_csv.GetRawSpan(0).Length; end < offset && field + 1 < _csv.FieldCount;)
        {
            field++;
            end += 1 + _csv.GetRawSpan(field).Length;
        }

        return field;
    }
}
