using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads fields between delimiters with our scanner: for formats with escapes, as LOAD DATA and SELECT ... INTO OUTFILE have them
/// (MySQL Reference Manual, "LOAD DATA Statement", field and line handling), for other line ends, and for what
/// <see cref="DelimitedReader"/> leaves to it. Fields may be in quotes, with quotes doubled or escaped inside; an escaped line end is part
/// of the field. <para>In the mysql format only <c>\N</c> is NULL (with quotes also the bare word NULL), and a quote within a field is
/// text. In csv and tsv it is a fault, and a field with an escape counts as quoted. Empty lines are skipped, unless there is one column.
/// The content stays the caller's.</para></summary>
internal class ScanningReader(Stream content, ReaderStart start, Dialect dialect) : IRecordReader
{
    /// <summary>No record has so many fields.</summary>
    private const int NoFields = -1;

    private readonly RecordScanner _scanner = new(dialect);
    private readonly EscapeSequences _escapes = new(dialect);
    private readonly LineEnds _lineEnds = new(dialect.Newline);
    private readonly Dialect _dialect = dialect;
    private readonly string _name = start.Name;
    private readonly CopyEnd? _copyEnd = CopyEnd.For(dialect, start.Name);
    private readonly UnclosedQuotes _unclosed = new(dialect, new LineEnds(dialect.Newline));
    private readonly DirtSigns? _signs = DirtSigns.For(dialect);
    private readonly EndOfTableDetector? _tableEnd = EndOfTableDetector.For(dialect);
    private RecordRepairer? _repairer;
    private bool _isRepaired;
    private byte[] _unescaped = [];
    private byte[]? _cut;
    private bool _isCut;
    private int _recordAt;
    private int _recordLength;
    private int _consumed;
    private int _consumedLines;

    public IReadOnlyList<string>? FieldNames { get; private set; }

    public RecordFault? Fault { get; private set; }

    public RecordRepair? Repair { get; private set; }

    public LinePassed? OnPassed { private get; set; }

    public bool JoinsSurplus { private get; set; }

    public int FieldCount { get; private set; }

    public long RecordNumber { get; private set; }

    public long LineNumber
    {
        get => LacksLines ? RowOrigin.UnknownLine : field;
        private set;
    }

    public long ByteOffset { get; private set; }

    public ReadOnlySpan<byte> RawRecord => _isCut ? _cut.AsSpan(0, _recordLength) : Buffer.Unread.Slice(_recordAt, _recordLength);

    /// <summary>Begins with the current record, or with a record before it if CsvHelper reads.</summary>
    protected RecordBuffer Buffer { get; } = new(content, start.ByteOffset, start.Origin);

    protected long NextLine { get; private set; } = start.LineNumber;

    protected bool LacksLines { get; } = start.LacksLines;

    /// <summary>0: not known yet.</summary>
    protected int ExpectedFields { get; private set; } = start.FieldCount;

    protected bool IsScanned { get; private set; }

    /// <summary>As it is written; null: there is none.</summary>
    protected byte[]? Header { get; set; }

    /// <summary>Reads the header, if any. Call it once, before the first record.</summary>
    public void Begin()
    {
        if (_dialect.HasHeader)
        {
            FieldNames = ReadHeader();
        }
    }

    public bool Read()
    {
        do
        {
            if (!ReadRecord())
            {
                return false;
            }
        }
        while (IsSkipped());

        RecordNumber++;
        if (_signs is { LooksForNewlines: true })
        {
            Fault ??= _signs.FindOtherNewline(AfterRecord);
        }

        if (!_isCut && (Fault is not null || _signs?.AreIn(this, RawRecord) == true))
        {
            Fix();
        }

        if (ExpectedFields == 0 && Fault is null)
        {
            ExpectedFields = FieldCount;
        }

        return true;
    }

    public virtual FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        if (_isRepaired)
        {
            return _repairer!.GetField(index, out value);
        }

        ref readonly var field = ref _scanner.Fields[index];
        value = RawRecord.Slice(field.Start, field.Length);
        var kind = _escapes.KindOf(field, value);
        if (kind == FieldKind.Null)
        {
            value = default;
        }
        else if (field.HasEscapes)
        {
            // Into the same place as in the record, where there is room, since text only becomes shorter.
            var place = _unescaped.AsSpan(field.Start, field.Length);
            value = place[.._escapes.Resolve(value, field.IsQuoted, place)];
        }

        return kind;
    }

    public void Dispose()
    {
        Dispose(isDisposing: true);
        GC.SuppressFinalize(this);
    }

    protected virtual void Dispose(bool isDisposing)
    {
    }

    /// <summary>Takes a record without the scanner. Its line end is known to be there.</summary>
    protected virtual bool TryTakeFast(out FastRecord record)
    {
        record = default;
        return false;
    }

    /// <summary>Moves the buffer to the current record: the scanner reads on.</summary>
    protected virtual void SwitchToScanner()
    {
    }

    protected void Skip(int bytes, int lines)
    {
        Buffer.Consume(bytes);
        NextLine += lines;
    }

    /// <summary>Continues at the buffer's first byte, where a record starts.</summary>
    /// <param name="records">number of records before it</param>
    protected void GoOn(long line, long records)
    {
        _recordAt = _recordLength = _consumed = _consumedLines = 0;
        _isCut = false;
        (NextLine, RecordNumber) = (line, records);
    }

    protected void SkipRecord()
    {
        Skip(_consumed, _consumedLines);
        _recordAt = _consumed = _consumedLines = 0;
    }

    /// <summary>With one column, an empty line is a record with an empty field.</summary>
    private bool IsEmptyLine => _recordLength == 0 && ExpectedFields != 1;

    private bool ReadRecord()
    {
        Fault = null;
        Repair = null;
        _isCut = _isRepaired = false;
        SkipRecord();
        if (!TryTakeFast(out var fast))
        {
            return Scan() && !EndsData();
        }

        Take(fast);
        return true;
    }

    private bool EndsData()
    {
        if (_copyEnd is null || !CopyEnd.IsMark(RawRecord))
        {
            return false;
        }

        SkipRecord();
        _copyEnd.RequireNothingMore(Buffer, NextLine);
        return true;
    }

    /// <summary>An empty line, a repeated header, or a line behind the table's end.</summary>
    private bool IsSkipped()
    {
        if (KindOfLine() is not { } kind)
        {
            return false;
        }

        // An empty line has nothing that could be lost: it is reported only if asked for. Another table's lines always are.
        var isPassed = kind != DirtKind.SeveralTables
            && (_dialect.Dirt[kind] == DirtAction.Repair || (IsEmptyLine && !_dialect.Dirt.Names(kind)));
        if (isPassed)
        {
            OnPassed?.Invoke(kind, LineNumber, ByteOffset, RawRecord);
            return true;
        }

        Fault = RecordFaults.Line(kind);
        return false;
    }

    private DirtKind? KindOfLine()
    {
        var isEmpty = IsEmptyLine;
        if (_tableEnd is not null && (isEmpty || (FieldCount > 0 && (Fault is not null || _tableEnd.MayBeTotal(RawRecord)))))
        {
            CheckForEnd(_tableEnd);
        }

        return isEmpty ? DirtKind.EmptyLines
            : _tableEnd?.Kind is { } kind && !_isCut && (Fault is not null || kind == DirtKind.Footer) ? kind
            : Header is not null && _recordLength >= Header.Length && IsHeader(Header) ? DirtKind.RepeatedHeader
            : null;
    }

    private bool IsHeader(byte[] header) => RawRecord[DirtSigns.MarkLength(RawRecord)..].SequenceEqual(header);

    private void CheckForEnd(EndOfTableDetector end)
    {
        if (end.Kind is null && !Buffer.HasEnded && Buffer.Unread.Length - _recordAt <= EndOfTableDetector.LookAheadBytes)
        {
            // The fast parser holds places in the buffer, which Fill moves.
            if (!_isCut && _consumed == 0)
            {
                SwitchToScanner();
                _recordAt = 0;
                Scan();
            }

            while (Buffer.Unread.Length <= EndOfTableDetector.LookAheadBytes && Buffer.Fill())
            {
            }
        }

        var ahead = Buffer.Unread[_recordAt..];
        var isAll = Buffer.HasEnded && ahead.Length <= EndOfTableDetector.LookAheadBytes;
        end.Inspect(
            isAll ? ahead : ahead[..Math.Min(ahead.Length, EndOfTableDetector.LookAheadBytes)], isAll, ByteOffset, ExpectedFields, Header);
        if (end.Kind == DirtKind.SeveralTables)
        {
            // No later record belongs to this table, whatever it looks like.
            ExpectedFields = NoFields;
        }
    }

    private void Fix()
    {
        var fault = Fault;
        if (fault is null || !RecordFaults.IsOfLine(fault))
        {
            _repairer ??= new RecordRepairer(_dialect);
            fault = _repairer.Fix(RawRecord, fault, ExpectedFields, JoinsSurplus);
            if (fault is null && _repairer.Repair is { } repair)
            {
                Repair = repair;
                FieldCount = _repairer.FieldCount;
                _isRepaired = IsScanned = true;
            }
        }
        else if (fault == RecordFaults.MixedNewlines && _dialect.Dirt[DirtKind.MixedNewlines] == DirtAction.Repair)
        {
            Repair = new RecordRepair(fault.Code, "taken as it is");
            fault = null;
        }

        Fault = fault;
        if (fault is not null && DirtPolicies.Find(fault.Code) is { } kind && _dialect.Dirt[kind] == DirtAction.Fail)
        {
            throw new InputException($"{_name}:{LineNumber}: {fault.Message} (--dirt {fault.Code}=fail)");
        }
    }

    private ReadOnlySpan<byte> AfterRecord => Buffer.Unread[(_recordAt + _recordLength)..];

    private void Take(in FastRecord record)
    {
        _recordAt = record.Start;
        _recordLength = record.Length;
        ByteOffset = Buffer.Offset + record.Start;
        LineNumber = record.LineNumber;
        FieldCount = record.FieldCount;
        IsScanned = false;
        var hasOtherCount = FieldCount != ExpectedFields && ExpectedFields != 0 && !IsEmptyLine;
        if (record.IsMalformed || hasOtherCount || _recordLength > _dialect.MaxRecordBytes
            || (_recordLength > _dialect.MaxQuotedLines && RawRecord.ContainsAny((byte)'\n', (byte)'\r')))
        {
            RescanRecord();
        }
    }

    /// <summary>Scans a record of CsvHelper, again from its beginning if it may end elsewhere.</summary>
    private void RescanRecord()
    {
        var record = RawRecord;
        _scanner.Begin();
        _scanner.Scan(record, isAll: true);
        if (record.Length <= _dialect.MaxRecordBytes && _unclosed.Find(_scanner, record, isWhole: true, ExpectedFields, out _) is null)
        {
            TakeScanned();
            return;
        }

        SwitchToScanner();
        _recordAt = 0;
        Scan();
    }

    /// <summary>False at the end of the input.</summary>
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
                Skip(_scanner.ConsumedLength, 1);
            }
            else
            {
                SkipLine(_scanner.Position);
            }
        }
    }

    /// <summary>False: a limit is exceeded. Scans the same bytes however they arrive.</summary>
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
        if (_unclosed.Find(_scanner, bytes, isWhole, ExpectedFields, out var quote) is { } fault)
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
        Fault = _scanner.Fault ?? (IsEmptyLine || HasExpectedFields ? null : RecordFaults.FieldCount(FieldCount, ExpectedFields));
        if (_unescaped.Length < _recordLength)
        {
            _unescaped = GC.AllocateUninitializedArray<byte>(Math.Max(_recordLength, 2 * _unescaped.Length));
        }
    }

    /// <summary>Takes the lines up to that of an unclosed quote. Reading continues behind them.</summary>
    private void TakeLines(int length, int lineEnd, RecordFault fault)
    {
        IsScanned = true;
        Fault = fault;
        FieldCount = 0;
        _recordLength = length;
        _consumed = length + lineEnd;
        _consumedLines = _lineEnds.CountIn(Buffer.Unread[.._consumed]);
    }

    /// <summary>Keeps the beginning of a record that is too large, and skips the rest of its last line.</summary>
    private void TakeCut(ReadOnlySpan<byte> bytes)
    {
        IsScanned = true;
        FieldCount = 0;
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _dialect.MaxRecordBytes));
        _isCut = true;
        _recordLength = _cut.Length;
        bytes[.._cut.Length].CopyTo(_cut);
        Fault = RecordFaults.TooLarge(_dialect.MaxRecordBytes, _cut.Length);
        SkipLine(_scanner.ConsumedLength > 0 ? _scanner.RecordLength : _scanner.Position);
    }

    private void SkipLine(int from)
    {
        var lines = 1 + _lineEnds.CountIn(Buffer.Unread[..from]);
        Buffer.ConsumeLine(from, _lineEnds);
        Skip(0, lines);
    }

    private bool HasExpectedFields => ExpectedFields == 0 || FieldCount == ExpectedFields;

    private List<string> ReadHeader()
    {
        var names = new List<string>();
        ExpectedFields = 0;
        do
        {
            if (!ReadRecord())
            {
                return names;
            }
        }
        while (IsEmptyLine);

        if (Fault is not null && !_isCut)
        {
            // Names must be right: only blanks around them can be removed.
            var action = _dialect.Dirt[DirtKind.Padding];
            _repairer = new RecordRepairer(_dialect with { Dirt = DirtPolicies.None.With(DirtKind.Padding, action) });
            Fault = _repairer.Fix(RawRecord, Fault, expected: 0, joinsSurplus: false);
            FieldCount = _repairer.FieldCount;
            _isRepaired = IsScanned = true;
        }

        if (Fault is not null)
        {
            throw new InputException($"{_name}:{LineNumber}: the header cannot be read: {Fault.Message}");
        }

        for (var i = 0; i < FieldCount; i++)
        {
            var kind = GetField(i, out var name);
            name = kind == FieldKind.Bare && _dialect.Dirt[DirtKind.Padding] == DirtAction.Repair ? name.Trim(" \t"u8) : name;
            names.Add(RecordFaults.HeaderName(name, _name, LineNumber));
        }

        _repairer = null;
        _isRepaired = false;
        ExpectedFields = names.Count;
        Header = RawRecord.ToArray();
        _signs?.FindOtherNewline(AfterRecord);
        return names;
    }
}
