namespace BulkLoad.Core.Input.Formats;

/// <summary>Repairs a record as the policies allow, or says which fault remains. One for each reader.</summary>
internal sealed class RecordRepairer(Dialect dialect)
{
    private const string QuotesAreText = "quotes within the field taken for text";

    private readonly Dialect _dialect = dialect;
    private readonly DirtPolicies _policies = dialect.Dirt;
    private readonly RecordScanner _strict = new(dialect);
    private readonly RecordScanner _lenient = new(dialect, isLenient: true);
    private readonly RecordScanner _literal = new(dialect with { Quote = null });
    private readonly RecordScanner _open = new(dialect);
    private readonly EscapeSequences _escapes = new(dialect);
    private readonly OtherDialects _others = new(dialect);
    private readonly List<(int Start, int Length, FieldKind Kind)> _fields = [];
    private byte[] _record = [];
    private byte[] _values = [];
    private int _length;
    private int _valuesLength;

    public RecordRepair? Repair { get; private set; }

    public int FieldCount => _fields.Count;

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        var (start, length, kind) = _fields[index];
        value = _values.AsSpan(start, length);
        return kind;
    }

    /// <summary>Returns the first fault that remains. The record has no line end. <paramref name="expected"/> 0: unknown. With
    /// <paramref name="joinsSurplus"/>, surplus fields may belong to the last field, a text.</summary>
    public RecordFault? Fix(ReadOnlySpan<byte> record, RecordFault? fault, int expected, bool joinsSurplus)
    {
        Repair = null;
        Begin(record);
        if (FixBytes() is { } unclean)
        {
            return unclean;
        }

        if (FindOther(expected) is >= 0 and var other)
        {
            // Where its own quotes can be read so, too, the meaning is not clear.
            Scan(_strict);
            return _strict.Fault is { } doubt && _strict.OpenQuote < 0 && FindReading(doubt, expected) is not null ? doubt
                : TakeOther(other, expected) ?? FixPadding();
        }

        // A quote that the reader took for unclosed may look closed within its line, by one that belongs elsewhere.
        Scan(_strict);
        var doubtful = _strict.Fault ?? (_strict.OpenQuote >= 0 ? RecordFaults.UnclosedLine(_strict.Fields.Length - 1) : null);
        var from = doubtful is null ? _length : _strict.Fields[Math.Min(doubtful.Field, _strict.Fields.Length - 1)].Start;
        var remaining = fault?.Code == RecordFaults.UnclosedQuoteCode || _strict.OpenQuote >= 0
            ? FixUnclosed(fault ?? RecordFaults.UnclosedLine(_strict.Fields.Length - 1))
            : FixQuotes(expected);
        if (remaining is null && doubtful is not null && expected > 0 && _fields.Count != expected
            && Record[from..].IndexOf(_dialect.WholeDelimiter) >= 0)
        {
            // What follows may be within quotes of which one is missing: fields that are added or joined would shift the others.
            return fault ?? doubtful;
        }

        return remaining ?? FixCount(expected, joinsSurplus) ?? FixPadding();
    }

    /// <summary>Whether the record has the expected fields only with another delimiter or quote.</summary>
    public bool IsOfOtherDialect(ReadOnlySpan<byte> record, int expected)
    {
        Begin(record);
        return FindOther(expected) >= 0;
    }

    private ReadOnlySpan<byte> Record => _record.AsSpan(0, _length);

    private void Begin(ReadOnlySpan<byte> record)
    {
        if (_record.Length < record.Length)
        {
            _record = new byte[Math.Max(record.Length, 2 * _record.Length)];
        }

        // Fields that are added or joined are never longer than the record, and all fields together are not either.
        if (_values.Length < record.Length)
        {
            _values = new byte[_record.Length];
        }

        record.CopyTo(_record);
        _length = record.Length;
    }

    private RecordFault? FixBytes()
    {
        if (DirtSigns.MayHaveMarks(_dialect) && DirtSigns.MarkLength(Record) is > 0 and var mark)
        {
            if (!MayRepair(DirtKind.ByteOrderMark, "byte order mark removed"))
            {
                return RecordFaults.ByteOrderMark;
            }

            Record[mark..].CopyTo(_record);
            _length -= mark;
        }

        if (_policies.Names(DirtKind.NulBytes) && Record.Contains((byte)0))
        {
            if (!MayRepair(DirtKind.NulBytes, "NUL bytes removed"))
            {
                return RecordFaults.NulBytes;
            }

            CutNulBytes();
        }

        Scan(_strict);
        if (_strict.Fault is not { Code: "stray-quote" or "text-after-quote" } fault || !HasPaddedQuotes())
        {
            return null;
        }

        if (!MayRepair(DirtKind.Padding, "blanks around quotes removed", fault.Field))
        {
            return RecordFaults.Padding(fault.Field);
        }

        CutPadding();
        return null;
    }

    private bool HasPaddedQuotes()
    {
        var (bytes, length) = (Record.ToArray(), _length);
        CutPadding();
        Scan(_strict);
        var isRepaired = _strict.Fault is null && _strict.OpenQuote < 0;
        bytes.CopyTo(_record, 0);
        _length = length;
        Scan(_strict);
        return isRepaired;
    }

    private void CutPadding() => _length = QuotePadding.Cut(_record.AsSpan(0, _length), _dialect);

    private void CutNulBytes()
    {
        var length = 0;
        foreach (var value in Record)
        {
            if (value != 0)
            {
                _record[length++] = value;
            }
        }

        _length = length;
    }

    private RecordFault? FixUnclosed(RecordFault fault)
    {
        if (!MayRepair(DirtKind.UnclosedQuote, "the quote taken for text", fault.Field))
        {
            return fault;
        }

        // Fields before the quote stay; from there on, quotes are text.
        var opened = _strict.OpenQuote;
        if (opened < 0)
        {
            Scan(_literal);
            Take(_literal, _escapes, from: 0);
            return null;
        }

        var before = _strict.Fields.Length - 1;
        if (TakeQuotesForText(before) is { } earlier)
        {
            return earlier;
        }

        Take(_strict, _escapes, from: 0, count: before);
        _literal.Begin();
        _literal.Scan(Record[opened..], isAll: true);
        Take(_literal, _escapes, opened, continues: true);
        return null;
    }

    private RecordFault? FixQuotes(int expected)
    {
        // Over several lines, another record's quote may close the quote.
        if (_strict.Fault is { } fault && Record.IndexOfAny((byte)'\r', (byte)'\n') >= 0)
        {
            return fault;
        }

        var fields = _strict.Fields.Length;
        if (TakeQuotesForText(fields) is { } remaining)
        {
            return remaining;
        }

        if (FindFollowed(fields) < 0)
        {
            Take(_strict, _escapes, from: 0);
        }
        else if (FindReading(_strict.Fault!, expected) is { } reading)
        {
            Take(reading, _escapes, from: 0);
        }
        else
        {
            Scan(_lenient);
            var scanner = _lenient.OpenQuote < 0 ? _lenient : _literal;
            Scan(scanner);
            Take(scanner, _escapes, from: 0);
        }

        return null;
    }

    /// <summary>Takes misplaced quotes in the first fields for text, if allowed. Returns the first fault that remains.</summary>
    private RecordFault? TakeQuotesForText(int fields)
    {
        if (_strict.Fault is not { } fault || fault.Field >= fields)
        {
            return null;
        }

        if (DirtPolicies.Find(fault.Code) is not { } kind || !MayRepair(kind, QuotesAreText, fault.Field))
        {
            return fault;
        }

        var followed = FindFollowed(fields);
        return followed >= 0 && kind != DirtKind.TextAfterQuote && !MayRepair(DirtKind.TextAfterQuote, QuotesAreText, followed)
            ? RecordFaults.TextAfterQuote(followed) : null;
    }

    /// <summary>The first field with text behind its closing quote; -1: none.</summary>
    private int FindFollowed(int fields)
    {
        for (var i = 0; i < fields; i++)
        {
            if (IsFollowed(_strict.Fields[i]))
            {
                return i;
            }
        }

        return -1;
    }

    private bool IsFollowed(ScannedField field) => field.IsQuoted
        && (field.Start + field.Length == _length || _record[field.Start + field.Length] != _dialect.Quote);

    /// <summary>The reading of text behind a closing quote that has the expected fields. Either a quote closes only before a delimiter, as
    /// in LOAD DATA; or the opening quote is one too many; or such fields are text.</summary>
    private RecordScanner? FindReading(RecordFault fault, int expected)
    {
        if (expected == 0)
        {
            return null;
        }

        Scan(_lenient);
        if (_lenient.OpenQuote < 0 && _lenient.Fields.Length == expected)
        {
            return _lenient;
        }

        if (fault.Field < _strict.Fields.Length && _strict.Fields[fault.Field].IsQuoted)
        {
            // A byte without a meaning replaces the quote meanwhile.
            var opened = _strict.Fields[fault.Field].Start - 1;
            var quote = _record[opened];
            _record[opened] = (byte)'x';
            Scan(_open);
            _record[opened] = quote;
            if (_open.Fault is null && _open.OpenQuote < 0 && _open.Fields.Length == expected)
            {
                return _open;
            }
        }

        return _strict.Fields.Length == expected ? _strict : null;
    }

    private RecordFault? TakeOther(int other, int expected)
    {
        if (!MayRepair(DirtKind.OtherDialect, "read with another delimiter or quote"))
        {
            return RecordFaults.OtherDialect(_strict.Fields.Length, expected);
        }

        var (scanner, escapes) = _others.Scan(other, Record);
        Take(scanner, escapes, from: 0);
        return null;
    }

    private RecordFault? FixCount(int expected, bool joinsSurplus)
    {
        var found = _fields.Count;
        if (expected == 0 || found == expected)
        {
            return null;
        }

        var fault = RecordFaults.FieldCount(found, expected);
        return found < expected ? AddMissing(expected, fault) : TakeSurplus(expected, joinsSurplus, fault);
    }

    private RecordFault? AddMissing(int expected, RecordFault fault)
    {
        if (!MayRepair(DirtKind.FewFields, $"{expected - _fields.Count} missing fields take their defaults", _fields.Count))
        {
            return fault;
        }

        while (_fields.Count < expected)
        {
            _fields.Add((0, 0, FieldKind.Missing));
        }

        return null;
    }

    private RecordFault? TakeSurplus(int expected, bool joinsSurplus, RecordFault fault)
    {
        var isEmpty = _fields.Skip(expected).All(field => field.Length == 0);
        var what = isEmpty ? "empty fields at the end dropped" : "surplus fields joined to the last one";
        if ((!isEmpty && !joinsSurplus) || !MayRepair(DirtKind.ManyFields, what, expected))
        {
            return fault;
        }

        if (!isEmpty)
        {
            Join(expected);
        }

        _fields.RemoveRange(expected, _fields.Count - expected);
        return null;
    }

    /// <summary>Joins with the delimiters between them. The values are adjacent.</summary>
    private void Join(int expected)
    {
        var joined = new List<byte>();
        for (var i = expected - 1; i < _fields.Count; i++)
        {
            if (i >= expected)
            {
                joined.AddRange(_dialect.WholeDelimiter);
            }

            joined.AddRange(_values.AsSpan(_fields[i].Start, _fields[i].Length));
        }

        var start = _fields[expected - 1].Start;
        joined.CopyTo(_values, start);
        _fields[expected - 1] = (start, joined.Count, FieldKind.Quoted);
    }

    private RecordFault? FixPadding()
    {
        if (_policies[DirtKind.Padding] != DirtAction.Repair)
        {
            return null;
        }

        for (var i = 0; i < _fields.Count; i++)
        {
            var (start, length, kind) = _fields[i];
            var value = _values.AsSpan(start, length);
            var trimmed = value.Trim(" \t"u8);
            if (kind == FieldKind.Bare && trimmed.Length < length)
            {
                MayRepair(DirtKind.Padding, "blanks around the field removed", i);
                _fields[i] = (start + value.IndexOf(trimmed), trimmed.Length, kind);
            }
        }

        return null;
    }

    /// <summary>The only other dialect with the expected fields; -1: none, or its own fits.</summary>
    private int FindOther(int expected)
    {
        Scan(_strict);
        return _strict.Fields.Length == expected ? -1 : _others.Find(Record, expected);
    }

    private void Scan(RecordScanner scanner)
    {
        scanner.Begin();
        scanner.Scan(Record, isAll: true);
    }

    private void Take(RecordScanner scanner, EscapeSequences escapes, int from, int count = int.MaxValue, bool continues = false)
    {
        if (!continues)
        {
            _fields.Clear();
            _valuesLength = 0;
        }

        foreach (ref readonly var scanned in scanner.Fields[..Math.Min(count, scanner.Fields.Length)])
        {
            // With its opening quote.
            var field = scanner == _strict && IsFollowed(scanned)
                ? new ScannedField(scanned.Start - 1, scanned.Length + 1, IsQuoted: false, scanned.HasEscapes) : scanned;
            var value = Record.Slice(from + field.Start, field.Length);
            var kind = escapes.KindOf(field, value);
            var length = kind == FieldKind.Null ? 0 : escapes.Resolve(value, field.IsQuoted, _values.AsSpan(_valuesLength));
            _fields.Add((_valuesLength, length, kind));
            _valuesLength += length;
        }
    }

    private bool MayRepair(DirtKind kind, string what, int field = -1)
    {
        if (_policies[kind] != DirtAction.Repair)
        {
            return false;
        }

        Repair = Repair is null
            ? new RecordRepair(DirtPolicies.NameOf(kind), what, field)
            : Repair.Message.Contains(what, StringComparison.Ordinal) ? Repair
            : Repair with { Message = $"{Repair.Message}; {what}" };
        return true;
    }
}
