using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Repairing;

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

        return isWhole && HoldsRecords(scanner, bytes[..scanner.RecordLength], expectedFields)
            ? RecordFaults.UnclosedLine(FirstQuoted(fields)) : null;
    }

    /// <summary>Whether the record is a bad line with good records behind it.</summary>
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
