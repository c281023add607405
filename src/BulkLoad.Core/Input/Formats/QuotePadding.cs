namespace BulkLoad.Core.Input.Formats;

/// <summary>Blanks between a quote and a delimiter.</summary>
internal static class QuotePadding
{
    /// <summary>Takes them out of a record, in its place.</summary>
    /// <returns>the length that is left</returns>
    public static int Cut(Span<byte> record, Dialect dialect)
    {
        var delimiter = dialect.WholeDelimiter;
        var isQuoted = false;
        var isFieldStart = true;
        var (length, judgedTo) = (0, 0);
        for (var i = 0; i < record.Length; i++)
        {
            var current = record[i];

            // All blanks of a row go or stay together, so that each is looked at once.
            if (!isQuoted && i >= judgedTo && IsBlank(current, dialect))
            {
                var end = EndOfBlanks(record, i, dialect);
                var goes = isFieldStart ? end < record.Length && record[end] == dialect.Quote
                    : length > 0 && record[length - 1] == dialect.Quote && (end == record.Length || record[end..].StartsWith(delimiter));
                if (goes)
                {
                    i = end - 1;
                    continue;
                }

                judgedTo = end;
            }

            if (current == dialect.Quote && (isQuoted || isFieldStart))
            {
                isQuoted = !isQuoted;
            }

            record[length++] = current;
            isFieldStart = !isQuoted && record[..length].EndsWith(delimiter);
        }

        return length;
    }

    private static int EndOfBlanks(ReadOnlySpan<byte> record, int at, Dialect dialect)
    {
        while (at < record.Length && IsBlank(record[at], dialect))
        {
            at++;
        }

        return at;
    }

    private static bool IsBlank(byte value, Dialect dialect) => value is (byte)' ' or (byte)'\t' && value != dialect.Delimiter;
}
