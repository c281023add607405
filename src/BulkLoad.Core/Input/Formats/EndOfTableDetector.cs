namespace BulkLoad.Core.Input.Formats;

/// <summary>Finds a footer or another table behind the table. Is asked only about lines that are empty or have another number of fields;
/// then looks ahead, up to a limit.</summary>
internal sealed class EndOfTableDetector
{
    /// <summary>The limit of a footer, and of the look-ahead.</summary>
    public const int LookAheadBytes = 64 * 1024;

    private static readonly byte[][] TotalWords =
    [
        "total"u8.ToArray(), "totals"u8.ToArray(), "grand total"u8.ToArray(), "subtotal"u8.ToArray(), "sum"u8.ToArray(),
        "summe"u8.ToArray(), "gesamt"u8.ToArray(), "gesamtsumme"u8.ToArray(), "totale"u8.ToArray(), "totaal"u8.ToArray(),
        "total general"u8.ToArray(),
    ];

    private readonly Dialect _dialect;
    private readonly RecordScanner _scanner;
    private RecordRepairer? _repairer;
    private long _behindEmptyLine = -1;
    private long _noFooterBefore;
    private long _noTableBefore;

    private EndOfTableDetector(Dialect dialect)
    {
        _dialect = dialect;
        _scanner = new RecordScanner(dialect);
    }

    /// <summary>The kind of this line and of all that follow, but empty ones; null: the table continues.</summary>
    public DirtKind? Kind { get; private set; }

    public static EndOfTableDetector? For(Dialect dialect) =>
        dialect.Dirt.Names(DirtKind.Footer) || dialect.Dirt.Names(DirtKind.SeveralTables) ? new EndOfTableDetector(dialect) : null;

    /// <summary>Whether the first field that is not empty is a word for a sum, such as Total.</summary>
    public bool MayBeTotal(ReadOnlySpan<byte> record)
    {
        if (!_dialect.Dirt.Names(DirtKind.Footer))
        {
            return false;
        }

        var start = 0;
        while (start < record.Length && (record[start] == _dialect.Delimiter || record[start] == _dialect.Quote || record[start] == ' '))
        {
            start++;
        }

        var text = record[start..];
        if (text.IsEmpty || text[0] is not ((byte)'T' or (byte)'t' or (byte)'G' or (byte)'g' or (byte)'S' or (byte)'s'))
        {
            return false;
        }

        foreach (var word in TotalWords)
        {
            if (text.Length >= word.Length && System.Text.Ascii.EqualsIgnoreCase(text[..word.Length], word))
            {
                var behind = text[word.Length..].TrimStart(": "u8);
                if (behind.IsEmpty || behind[0] == _dialect.Delimiter || behind[0] == _dialect.Quote)
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>Inspects such a line, from its first byte on. Fewer than 2 <paramref name="expected"/> fields prove nothing.</summary>
    public void Inspect(ReadOnlySpan<byte> bytes, bool isAll, long offset, int expected, byte[]? header)
    {
        if (Kind is not null || expected < 2)
        {
            return;
        }

        if (_dialect.Dirt.Names(DirtKind.SeveralTables) && offset >= _noTableBefore && IsTable(bytes, isAll, offset, expected, header))
        {
            Kind = DirtKind.SeveralTables;
        }
        else if (_dialect.Dirt.Names(DirtKind.Footer) && isAll && offset >= _noFooterBefore && IsFooter(bytes, offset, expected))
        {
            Kind = DirtKind.Footer;
        }

        var at = 0;
        if (Next(bytes, isAll, ref at) && _scanner.RecordLength == 0)
        {
            _behindEmptyLine = offset + at;
        }
    }

    /// <summary>Empty lines, a title, or both, and then a header.</summary>
    private bool IsTable(ReadOnlySpan<byte> bytes, bool isAll, long offset, int expected, byte[]? header)
    {
        var (at, start) = (0, 0);
        var (isApart, hasTitle) = (false, false);
        while (Next(bytes, isAll, ref at) && (_scanner.RecordLength == 0 || (!hasTitle && _scanner.Fields.Length == 1)))
        {
            // Notes on empty lines are made for each of them.
            hasTitle |= _scanner.RecordLength > 0;
            _noTableBefore = hasTitle ? _noTableBefore : offset + at;
            (isApart, start) = (true, at);
        }

        return isApart && start < bytes.Length && at > start && IsHeader(bytes[start..], isAll, expected, header);
    }

    /// <summary>Whether the scanned record names the columns of another table.</summary>
    private bool IsHeader(ReadOnlySpan<byte> bytes, bool isAll, int expected, byte[]? header)
    {
        var fields = _scanner.Fields;
        var count = fields.Length;
        if (_scanner.Fault is not null || _scanner.OpenQuote >= 0 || count < 2 || !AreNames(bytes, fields))
        {
            return false;
        }

        if (count == expected)
        {
            return header is not null && IsLike(bytes, fields, header) && !bytes[.._scanner.RecordLength].SequenceEqual(header);
        }

        // Its records must be behind it, and none of the first table's.
        var at = _scanner.ConsumedLength;
        var records = 0;
        while (Next(bytes, isAll, ref at) && _scanner.RecordLength > 0)
        {
            if (_scanner.Fields.Length == expected || (records == 0 && _scanner.Fields.Length != count))
            {
                return false;
            }

            records++;
        }

        return records > 0;
    }

    /// <summary>Whether all begin like names, and all are different.</summary>
    private static bool AreNames(ReadOnlySpan<byte> bytes, ReadOnlySpan<ScannedField> fields)
    {
        var names = new HashSet<string>(fields.Length);
        foreach (ref readonly var field in fields)
        {
            var name = bytes.Slice(field.Start, field.Length);
            if (name.IsEmpty || !(char.IsAsciiLetter((char)name[0]) || name[0] is (byte)'_' or >= 0x80)
                || !names.Add(Encoding.Latin1.GetString(name)))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether a name has the same place in the first header. Values do not name their columns.</summary>
    private bool IsLike(ReadOnlySpan<byte> bytes, ReadOnlySpan<ScannedField> fields, byte[] header)
    {
        var first = new RecordScanner(_dialect);
        first.Begin();
        first.Scan(header, isAll: true);
        for (var i = 0; i < Math.Min(fields.Length, first.Fields.Length); i++)
        {
            if (bytes.Slice(fields[i].Start, fields[i].Length).SequenceEqual(header.AsSpan(first.Fields[i].Start, first.Fields[i].Length)))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsFooter(ReadOnlySpan<byte> bytes, long offset, int expected)
    {
        var isFooter = true;
        var (at, start) = (0, 0);
        while (Next(bytes, isAll: true, ref at))
        {
            if (start == 0 && !CanBegin(bytes, offset, expected))
            {
                return false;
            }

            if (_scanner.RecordLength > 0 && IsRecord(bytes[start..], expected))
            {
                isFooter = false;
                _noFooterBefore = offset + at;
            }

            start = at;
        }

        return isFooter;
    }

    /// <summary>Whether the scanned line can begin a footer. If a repair would make a record of it, more is needed.</summary>
    private bool CanBegin(ReadOnlySpan<byte> bytes, long offset, int expected)
    {
        var count = _scanner.Fields.Length;
        var kind = count < expected ? DirtKind.FewFields : DirtKind.ManyFields;
        return _scanner.RecordLength > 0
            && (count == expected || _dialect.Dirt[kind] != DirtAction.Repair || count == 1 || offset == _behindEmptyLine
                || MayBeTotal(bytes[.._scanner.RecordLength]));
    }

    private bool IsRecord(ReadOnlySpan<byte> bytes, int expected)
    {
        if (_scanner.Fields.Length == expected || _scanner.OpenQuote >= 0)
        {
            return !MayBeTotal(bytes[.._scanner.RecordLength]);
        }

        _repairer ??= new RecordRepairer(_dialect);
        return _repairer.IsOfOtherDialect(bytes[.._scanner.RecordLength], expected);
    }

    /// <summary>Scans the next record or empty line; false: there is none, or it is incomplete.</summary>
    private bool Next(ReadOnlySpan<byte> bytes, bool isAll, ref int at)
    {
        do
        {
            if (at == bytes.Length)
            {
                return false;
            }

            _scanner.Begin();
            if (!_scanner.Scan(bytes[at..], isAll))
            {
                return false;
            }

            at += _scanner.ConsumedLength;
        }
        while (_scanner.IsComment);

        return true;
    }
}
