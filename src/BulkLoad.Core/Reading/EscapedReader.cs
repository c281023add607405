namespace BulkLoad.Core.Reading;

/// <summary>
/// Reads records whose special characters are escaped, as LOAD DATA reads and SELECT ... INTO OUTFILE writes them (MySQL
/// Reference Manual, "LOAD DATA Statement", field and line handling), and records with a line end of their own. A field may
/// be enclosed in quotes, a quote within them doubled or escaped; an escaped line end is part of the field. Of the mysql
/// format, a field is NULL only as <c>\N</c> (or, where there is a quote character, as the bare word NULL), and a quote
/// in the middle of a field is text, as the manual says; with csv and tsv it is a fault, and a bare field that holds an
/// escape sequence counts as quoted. Empty lines are passed over, except where there is one column.
/// </summary>
internal sealed class EscapedReader : IRecordReader
{
    private readonly RecordBuffer _buffer;
    private readonly RecordScanner _scanner;
    private readonly EscapeSequences _escapes;
    private readonly Dialect _dialect;
    private readonly string _name;
    private readonly bool _isMysql;
    private byte[] _unescaped = [];
    private int _consumed;
    private int _expectedFields;

    /// <param name="content">UTF-8; stays the caller's</param>
    /// <param name="start">where the content begins</param>
    /// <param name="dialect">of any format but jsonl</param>
    /// <exception cref="InputException">the header breaks the format's rules</exception>
    public EscapedReader(Stream content, ReaderStart start, Dialect dialect)
    {
        _buffer = new RecordBuffer(content, start.ByteOffset);
        _scanner = new RecordScanner(dialect);
        _escapes = new EscapeSequences(dialect);
        _dialect = dialect;
        _name = start.Name;
        _isMysql = dialect.Format == InputFormat.Mysql;
        LineNumber = start.LineNumber;
        if (dialect.HasHeader)
        {
            FieldNames = ReadHeader();
        }
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _scanner.Fields.Length;

    public long RecordNumber { get; private set; }

    public long LineNumber { get; private set; }

    public long ByteOffset => _buffer.Offset;

    public ReadOnlySpan<byte> RawRecord => _buffer.Unread[.._scanner.RecordLength];

    public bool Read()
    {
        if (!ReadRecord())
        {
            return false;
        }

        RecordNumber++;
        if (FieldCount != _expectedFields)
        {
            if (_expectedFields == 0)
            {
                _expectedFields = FieldCount;
            }
            else
            {
                Fault ??= RecordFaults.FieldCount(FieldCount, _expectedFields);
            }
        }

        return true;
    }

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        ref readonly var field = ref _scanner.Fields[index];
        value = _buffer.Unread.Slice(field.Start, field.Length);
        var isNullWord = !field.IsQuoted && _escapes.IsNull(value, _isMysql);
        if (isNullWord)
        {
            value = default;
            return FieldKind.Null;
        }

        if (!field.HasEscapes)
        {
            // In the mysql format an empty field is the empty string; any other may be a word that --null-value names.
            return field.IsQuoted || (_isMysql && value.IsEmpty) ? FieldKind.Quoted : FieldKind.Bare;
        }

        // Into the same place as in the record, where there is room, since text only gets shorter.
        var place = _unescaped.AsSpan(field.Start, field.Length);
        value = place[.._escapes.Resolve(value, field.IsQuoted, place)];
        return FieldKind.Quoted;
    }

    public void Dispose()
    {
        // Nothing of its own: the content is the caller's.
    }

    private bool ReadRecord()
    {
        do
        {
            LineNumber += _consumed == 0 ? 0 : _scanner.CountLines(_buffer.Unread[.._consumed]);
            _buffer.Consume(_consumed);
            _consumed = ScanRecord();
            Fault = _scanner.Fault;
            if (_consumed == 0)
            {
                return false;
            }
        }
        while (_scanner.IsComment || (_scanner.RecordLength == 0 && _expectedFields != 1));

        if (_unescaped.Length < _scanner.RecordLength)
        {
            _unescaped = GC.AllocateUninitializedArray<byte>(Math.Max(_scanner.RecordLength, 2 * _unescaped.Length));
        }

        return true;
    }

    /// <summary>The length of the record with its line end; 0 at the end of the input.</summary>
    private int ScanRecord()
    {
        _scanner.Begin();
        var hasEnded = false;
        while (!_scanner.Scan(_buffer.Unread, hasEnded))
        {
            RequireLimit(_buffer.Unread.Length - _scanner.LongestLineEnd);
            hasEnded = !_buffer.Fill();
        }

        RequireLimit(_scanner.RecordLength);
        return _scanner.ConsumedLength;
    }

    private void RequireLimit(int recordBytes)
    {
        if (recordBytes > _dialect.MaxRecordBytes)
        {
            throw RecordFaults.TooLarge(_name, LineNumber, _dialect.MaxRecordBytes);
        }
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
            throw new InputException($"{_name}:{LineNumber}: the header cannot be read: {Fault.Message}");
        }

        for (var i = 0; i < FieldCount; i++)
        {
            GetField(i, out var name);
            names.Add(RecordFaults.HeaderName(name, _name, LineNumber));
        }

        _expectedFields = names.Count;
        return names;
    }
}
