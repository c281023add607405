using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Repairing;

/// <summary>Tells a quote that is not closed from a field of many lines.</summary>
internal sealed class UnclosedQuotes(Dialect dialect, LineEnds lineEnds)
{
    private RecordScanner? _probe;

    /// <summary>Says whether the scanned record holds a quote that counts as unclosed: one whose field has too many lines, or is not closed
    /// at all; or one whose field ends badly, while each line that it took in is its own record.</summary>
    /// <param name="quote">where the quote stands, or the record's start where something was wrong with it before</param>
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

        return isWhole && HoldsRecords(scanner, bytes[..scanner.RecordLength], expectedFields)
            ? RecordFaults.UnclosedLine(FirstQuoted(fields)) : null;
    }

    /// <summary>Whether a record that cannot be taken consists of a bad line and of good records behind it.</summary>
    private bool HoldsRecords(RecordScanner scanner, ReadOnlySpan<byte> record, int expectedFields)
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
                // The last one continues behind this record. By itself it must at least have begun like one.
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

    private static int FirstQuoted(ReadOnlySpan<ScannedField> fields)
    {
        var field = 0;
        while (field < fields.Length - 1 && !fields[field].IsQuoted)
        {
            field++;
        }

        return field;
    }
}
