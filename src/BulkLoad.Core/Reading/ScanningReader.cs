namespace BulkLoad.Core.Reading;

/// <summary>
/// Reads records whose fields are separated by a character, by our own scanner: all of them where special characters are
/// escaped, as LOAD DATA reads and SELECT ... INTO OUTFILE writes them (MySQL Reference Manual, "LOAD DATA Statement", field
/// and line handling), or where the line end is the user's own; else those that <see cref="DelimitedReader"/> leaves to it.
/// A field may be enclosed in quotes, a quote within them doubled or escaped; an escaped line end is part of the field. Of
/// the mysql format, a field is NULL only as <c>\N</c> (or, where there is a quote character, as the bare word NULL), and a
/// quote in the middle of a field is text, as the manual says; with csv and tsv it is a fault, and a bare field that holds
/// an escape sequence counts as quoted. Empty lines are passed over, except where there is one column.
/// </summary>
internal class ScanningReader : IRecordReader
{
    private readonly RecordScanner _scanner;
    private readonly EscapeSequences _escapes;
    private readonly LineEnds _lineEnds;
    private readonly Dialect _dialect;
    private readonly string _name;
    private readonly bool _isMysql;
    private RecordScanner? _probe;
    private byte[] _unescaped = [];
    private byte[]? _cut;
    private bool _isCut;
    private int _recordAt;
    private int _recordLength;
    private int _consumed;
    private int _consumedLines;

    /// <param name="content">UTF-8; stays the caller's</param>
    /// <param name="start">where the content begins</param>
    /// <param name="dialect">of any format but jsonl</param>
    /// <exception cref="InputException">the header breaks the format's rules</exception>
    public ScanningReader(Stream content, ReaderStart start, Dialect dialect)
    {
        Buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _scanner = new RecordScanner(dialect);
        _escapes = new EscapeSequences(dialect);
        _lineEnds = new LineEnds(dialect.Newline);
        _dialect = dialect;
        _name = start.Name;
        _isMysql = dialect.Format == InputFormat.Mysql;
        NextLine = start.LineNumber;
        ExpectedFields = start.FieldCount;
    }

    public IReadOnlyList<string>? FieldNames { get; private set; }

    public RecordFault? Fault { get; private set; }

    public int FieldCount { get; private set; }

    public long RecordNumber { get; private set; }

    public long LineNumber { get; private set; }

    public long ByteOffset { get; private set; }

    public ReadOnlySpan<byte> RawRecord =>
        _isCut ? _cut.AsSpan(0, _recordLength) : Buffer.Unread.Slice(_recordAt, _recordLength);

    /// <summary>From the current record on, or, with records taken quickly, from some record before it.</summary>
    protected RecordBuffer Buffer { get; }

    /// <summary>Line of the buffer's first byte.</summary>
    protected long NextLine { get; private set; }

    /// <summary>Fields that a record has to have; 0 where that is not known yet.</summary>
    protected int ExpectedFields { get; private set; }

    /// <summary>Whether the current record's fields are known by the scanner.</summary>
    protected bool IsScanned { get; private set; }

    /// <summary>Reads the header, where the dialect has one: to be called once, before the first record.</summary>
    /// <exception cref="InputException">it breaks the format's rules</exception>
    public void Begin()
    {
        if (_dialect.HasHeader)
        {
            FieldNames = ReadHeader();
        }
    }

    public bool Read()
    {
        if (!ReadRecord())
        {
            return false;
        }

        RecordNumber++;
        if (ExpectedFields == 0 && Fault is null)
        {
            ExpectedFields = FieldCount;
        }

        return true;
    }

    public virtual FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        ref readonly var field = ref _scanner.Fields[index];
        value = RawRecord.Slice(field.Start, field.Length);
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
        Dispose(isDisposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>The content is the caller's; here is nothing to dispose of.</summary>
    protected virtual void Dispose(bool isDisposing)
    {
    }

    /// <summary>Takes the next record by a faster way than the scanner's; false where it has to be the scanner's.</summary>
    /// <param name="record">where it lies; its line end is known to be there</param>
    protected virtual bool TryTakeQuickly(out QuickRecord record)
    {
        record = default;
        return false;
    }

    /// <summary>Moves the buffer to the current record, if it was taken quickly: what follows is read by the scanner.</summary>
    protected virtual void LeaveQuickWay()
    {
    }

    /// <summary>Gives up bytes of the buffer that hold whole lines.</summary>
    protected void Pass(int bytes, int lines)
    {
        Buffer.Consume(bytes);
        NextLine += lines;
    }

    /// <summary>With one column, an empty line is a record with an empty field.</summary>
    private bool IsEmptyLine => _recordLength == 0 && ExpectedFields != 1;

    private bool ReadRecord()
    {
        do
        {
            Fault = null;
            _isCut = false;
            PassRecord();
            if (TryTakeQuickly(out var quick))
            {
                Take(quick);
            }
            else if (!Scan())
            {
                return false;
            }
        }
        while (IsEmptyLine);

        return true;
    }

    private void PassRecord()
    {
        Pass(_consumed, _consumedLines);
        _recordAt = _consumed = _consumedLines = 0;
    }

    private void Take(in QuickRecord record)
    {
        _recordAt = record.Start;
        _recordLength = record.Length;
        ByteOffset = Buffer.Offset + record.Start;
        LineNumber = record.LineNumber;
        FieldCount = record.FieldCount;
        IsScanned = false;
        var hasOtherCount = FieldCount != ExpectedFields && ExpectedFields != 0 && !IsEmptyLine;
        if (record.IsMalformed || hasOtherCount || _recordLength > _dialect.MaxQuotedLines || _recordLength > _dialect.MaxRecordBytes)
        {
            LookCloser();
        }
    }

    /// <summary>Scans a record that was taken quickly: where it stands, or again from its beginning where it may end elsewhere.</summary>
    private void LookCloser()
    {
        var record = RawRecord;
        _scanner.Begin();
        _scanner.Scan(record, isAll: true);
        if (record.Length <= _dialect.MaxRecordBytes && FindUnclosedQuote(record, isWhole: true, out _) is null)
        {
            TakeScanned();
            return;
        }

        LeaveQuickWay();
        _recordAt = 0;
        Scan();
    }

    /// <summary>Takes the next record by the scanner; false at the end of the input.</summary>
    private bool Scan()
    {
        while (true)
        {
            ByteOffset = Buffer.Offset;
            LineNumber = NextLine;
            var isWhole = ScanToEnd(out var bytes);
            if (isWhole && _scanner.ConsumedLength == 0)
            {
                return false;
            }

            if (!_scanner.IsComment)
            {
                TakeAny(bytes, isWhole);
                return true;
            }

            if (isWhole)
            {
                Pass(_scanner.ConsumedLength, 1);
            }
            else
            {
                PassLine(_scanner.Position);
            }
        }
    }

    /// <summary>False where the record is over a limit before its end is seen. Looks at the same bytes however they come.</summary>
    private bool ScanToEnd(out ReadOnlySpan<byte> bytes)
    {
        var most = _dialect.MaxRecordBytes + _lineEnds.Longest;
        _scanner.Begin();
        while (true)
        {
            bytes = Buffer.Unread;
            var isOver = bytes.Length >= most;
            bytes = isOver ? bytes[..most] : bytes;
            if (_scanner.Scan(bytes, isAll: Buffer.HasEnded && !isOver))
            {
                return true;
            }

            if (isOver || _scanner.FirstFieldOfMoreLines(bytes, _dialect.MaxQuotedLines) >= 0)
            {
                return false;
            }

            Buffer.Fill();
        }
    }

    private void TakeAny(ReadOnlySpan<byte> bytes, bool isWhole)
    {
        if (FindUnclosedQuote(bytes, isWhole, out var quote) is { } fault)
        {
            var length = quote + _lineEnds.IndexIn(bytes[quote..], isWhole, out var lineEnd);
            if (length <= _dialect.MaxRecordBytes && (isWhole || lineEnd > 0))
            {
                TakeLines(length, lineEnd, fault);
                return;
            }
        }
        else if (isWhole && _scanner.RecordLength <= _dialect.MaxRecordBytes)
        {
            TakeScanned();
            _consumed = _scanner.ConsumedLength;
            _consumedLines = _scanner.CountLines(bytes[.._consumed]);
            return;
        }

        TakeCut(bytes);
    }

    private void TakeScanned()
    {
        IsScanned = true;
        _recordLength = _scanner.RecordLength;
        FieldCount = _scanner.Fields.Length;
        Fault = _scanner.Fault ?? (IsEmptyLine || HasExpectedFields(_scanner) ? null : RecordFaults.FieldCount(FieldCount, ExpectedFields));
        if (_unescaped.Length < _recordLength)
        {
            _unescaped = GC.AllocateUninitializedArray<byte>(Math.Max(_recordLength, 2 * _unescaped.Length));
        }
    }

    /// <summary>Takes the lines up to that of an unclosed quote; reading goes on behind them.</summary>
    private void TakeLines(int length, int lineEnd, RecordFault fault)
    {
        IsScanned = true;
        Fault = fault;
        FieldCount = 0;
        _recordLength = length;
        _consumed = length + lineEnd;
        _consumedLines = _lineEnds.CountIn(Buffer.Unread[.._consumed]);
    }

    /// <summary>Takes the beginning of a record that is too large, and passes over the rest of it, to the end of the line.</summary>
    private void TakeCut(ReadOnlySpan<byte> bytes)
    {
        IsScanned = true;
        FieldCount = 0;
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _dialect.MaxRecordBytes));
        _isCut = true;
        _recordLength = _cut.Length;
        bytes[.._cut.Length].CopyTo(_cut);
        Fault = RecordFaults.TooLarge(_dialect.MaxRecordBytes, _cut.Length);
        PassLine(_scanner.ConsumedLength > 0 ? _scanner.RecordLength : _scanner.Position);
    }

    private void PassLine(int from)
    {
        var lines = 1 + _lineEnds.CountIn(Buffer.Unread[..from]);
        Buffer.ConsumeLine(from, _lineEnds);
        Pass(0, lines);
    }

    /// <summary>
    /// Says whether the scanned record holds a quote that counts as unclosed: one whose field has too many lines, or is not
    /// closed at all; or one whose field ends badly, while each line that it took in is a record of its own.
    /// </summary>
    /// <param name="bytes">as the scanner was given them</param>
    /// <param name="isWhole">whether the record's end was seen</param>
    /// <param name="quote">where the quote stands, or the record's start where something was wrong with it before</param>
    private RecordFault? FindUnclosedQuote(ReadOnlySpan<byte> bytes, bool isWhole, out int quote)
    {
        quote = 0;
        var hasEnded = false;
        var fields = _scanner.Fields;
        var field = _scanner.FirstFieldOfMoreLines(bytes, _dialect.MaxQuotedLines);
        if (field < 0 && _scanner.OpenQuote >= 0)
        {
            hasEnded = isWhole;
            field = isWhole ? fields.Length - 1 : fields.Length;
        }

        if (field >= 0)
        {
            if (_scanner.Fault is not { } fault || fault.Field >= field)
            {
                quote = (field < fields.Length ? fields[field].Start : _scanner.OpenQuote + 1) - 1;
            }

            return RecordFaults.UnclosedQuote(field, _dialect.MaxQuotedLines, _dialect.MaxRecordBytes, hasEnded);
        }

        return isWhole && HoldsRecords(bytes[.._scanner.RecordLength]) ? RecordFaults.UnclosedLine(FirstQuoted(fields)) : null;
    }

    /// <summary>Whether a record that cannot be taken consists of a bad line and of good records behind it.</summary>
    private bool HoldsRecords(ReadOnlySpan<byte> record)
    {
        if (ExpectedFields < 2 || (_scanner.Fault is null && HasExpectedFields(_scanner)))
        {
            return false;
        }

        var found = 0;
        var at = _lineEnds.IndexIn(record, isAll: true, out var lineEnd) + lineEnd;
        _probe ??= new RecordScanner(_dialect);
        while (at < record.Length)
        {
            _probe.Begin();
            _probe.Scan(record[at..], isAll: true);
            at += _probe.ConsumedLength;
            if (_probe.OpenQuote >= 0)
            {
                // The last one goes on behind this record. By itself it must at least have begun like one.
                return found > 0 || (_probe.Fault is null && _probe.Fields.Length > 1 && _probe.Fields.Length <= ExpectedFields);
            }

            if (_probe.RecordLength != 0 && !_probe.IsComment)
            {
                found++;
                if (_probe.Fault is not null || !HasExpectedFields(_probe))
                {
                    return false;
                }
            }
        }

        return found > 0;
    }

    private bool HasExpectedFields(RecordScanner scanner) => ExpectedFields == 0 || scanner.Fields.Length == ExpectedFields;

    private static int FirstQuoted(ReadOnlySpan<ScannedField> fields)
    {
        var field = 0;
        while (field < fields.Length - 1 && !fields[field].IsQuoted)
        {
            field++;
        }

        return field;
    }

    private List<string> ReadHeader()
    {
        var names = new List<string>();
        ExpectedFields = 0;
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

        ExpectedFields = names.Count;
        return names;
    }
}
