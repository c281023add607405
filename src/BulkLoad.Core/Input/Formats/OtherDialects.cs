namespace BulkLoad.Core.Input.Formats;

/// <summary>Other delimiters and quotes that one record may have.</summary>
internal sealed class OtherDialects
{
    private static readonly byte[] Delimiters = [(byte)',', (byte)';', (byte)'\t', (byte)'|'];
    private static readonly byte[] Quotes = [(byte)'"', (byte)'\''];

    private readonly (bool IsOwnDelimiter, byte[] Delimiter, RecordScanner Scanner, EscapeSequences Escapes)[] _others;

    public OtherDialects(Dialect dialect)
    {
        var own = dialect.WholeDelimiter;
        _others =
        [
            .. from delimiter in Delimiters.Select(one => new[] { one }).Where(one => !one.AsSpan().SequenceEqual(own)).Append(own)
               let isOwn = delimiter == own
               from quote in Quotes.Select(quote => (byte?)quote).Append(dialect.Quote).Distinct()
               where (!isOwn || quote != dialect.Quote) && delimiter[0] != quote && dialect.Escape != delimiter[0]
                   && dialect.Escape != quote
               let other = dialect with { Delimiter = delimiter[0], WholeDelimiter = delimiter, Quote = quote }
               select (isOwn, delimiter, new RecordScanner(other), new EscapeSequences(other)),
        ];
    }

    /// <summary>The only dialect in which the record is complete and has the expected fields; -1: none.</summary>
    public int Find(ReadOnlySpan<byte> record, int expected)
    {
        var found = -1;
        for (var i = 0; expected > 1 && i < _others.Length; i++)
        {
            var (scanner, _) = Scan(i, record);
            var fields = scanner.Fields;
            var isOther = !_others[i].IsOwnDelimiter || HasQuoted(fields);
            if (!isOther || scanner.Fault is not null || scanner.OpenQuote >= 0 || fields.Length != expected)
            {
                continue;
            }

            if (found >= 0 && _others[found].Delimiter != _others[i].Delimiter)
            {
                return -1;
            }

            // The first quote is enough: the others do not occur.
            found = found < 0 ? i : found;
        }

        return found;
    }

    public (RecordScanner Scanner, EscapeSequences Escapes) Scan(int other, ReadOnlySpan<byte> record)
    {
        var (_, _, scanner, escapes) = _others[other];
        scanner.Begin();
        scanner.Scan(record, isAll: true);
        return (scanner, escapes);
    }

    private static bool HasQuoted(ReadOnlySpan<ScannedField> fields)
    {
        foreach (ref readonly var field in fields)
        {
            if (field.IsQuoted)
            {
                return true;
            }
        }

        return false;
    }
}

/// <summary>Distinguishes an unclosed quote from a field of many lines.</summary>
internal sealed class UnclosedQuotes(Dialect dialect, LineEnds lineEnds)
{
    private RecordScanner? _probe;

    /// <summary>Finds a quote that counts as unclosed: its field has too many lines, never ends, or ends badly while each line within is a
    /// record. <paramref name="quote"/> is its place, or the record's start after an earlier fault.</summary>
    public RecordFault? Find(RecordScanner scanner, ReadOnlySpan<byte> bytes, bool isWhole, int expectedFields, out int quote)
    {
        quote = 0;
        var hasEnded = false;
        var fields = scanner.Fields;
        var field = scanner.FirstFieldOfMoreLines(bytes, dialect.MaxQuotedLines);
        if (field < 0 && scanner.OpenQuote >= 0)
        {
            hasEnded = isWhole;
            field = isWhole ? fields.Length - 1 : fields.Length;
        }

        if (field >= 0)
        {
            if (scanner.Fault is not { } fault || fault.Field >= field)
            {
                quote = (field < fields.Length ? fields[field].Start : scanner.OpenQuote + 1) - 1;
            }

            return RecordFaults.UnclosedQuote(field, dialect.MaxQuotedLines, dialect.MaxRecordBytes, hasEnded);
        }

        return isWhole && ContainsRecords(scanner, bytes[..scanner.RecordLength], expectedFields)
            ? RecordFaults.UnclosedLine(QuotedAt(fields, lineEnds.IndexIn(bytes, isAll: true, out _))) : null;
    }

    private bool ContainsRecords(RecordScanner scanner, ReadOnlySpan<byte> record, int expectedFields)
    {
        if (expectedFields < 2 || (scanner.Fault is null && scanner.Fields.Length == expectedFields))
        {
            return false;
        }

        var found = 0;
        var at = lineEnds.IndexIn(record, isAll: true, out var lineEnd) + lineEnd;
        _probe ??= new RecordScanner(dialect);
        while (at < record.Length)
        {
            _probe.Begin();
            _probe.Scan(record[at..], isAll: true);
            at += _probe.ConsumedLength;
            if (_probe.OpenQuote >= 0)
            {
                // The last one continues behind this record: it must at least have begun like a record.
                return found > 0 || (_probe.Fault is null && _probe.Fields.Length > 1 && _probe.Fields.Length <= expectedFields);
            }

            if (_probe.RecordLength != 0 && !_probe.IsComment)
            {
                found++;
                if (_probe.Fault is not null || _probe.Fields.Length != expectedFields)
                {
                    return false;
                }
            }
        }

        return found > 0;
    }

    /// <summary>The last quoted field that begins before a place; the last field where none does.</summary>
    private static int QuotedAt(ReadOnlySpan<ScannedField> fields, int place)
    {
        for (var field = fields.Length - 1; field >= 0; field--)
        {
            if (fields[field].IsQuoted && fields[field].Start <= place)
            {
                return field;
            }
        }

        return fields.Length - 1;
    }
}
