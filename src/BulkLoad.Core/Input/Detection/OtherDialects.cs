using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

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

            // Of the quotes, the first will do: the others do not occur.
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
