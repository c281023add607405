namespace BulkLoad.Core.Input.Formats;

/// <summary>What stands for what within a field (MySQL Reference Manual, "LOAD DATA Statement", escape sequences).</summary>
internal sealed class EscapeSequences(Dialect dialect)
{
    private readonly byte? _escape = dialect.Escape;
    private readonly byte? _quote = dialect.Quote;

    /// <summary>Whether a field without quotes is NULL: <c>\N</c> and, in the mysql format with a quote character, the word NULL.</summary>
    public bool IsNull(ReadOnlySpan<byte> field, bool isMysql) =>
        (field.Length == 2 && field[0] == _escape && field[1] == 'N')
        || (isMysql && _quote is not null && field.SequenceEqual("NULL"u8));

    /// <summary>Resolves escape sequences and, within quotes, doubled quotes.</summary>
    /// <param name="field">without its enclosing quotes</param>
    /// <param name="target">room for as many bytes as the field has</param>
    public int Resolve(ReadOnlySpan<byte> field, bool isQuoted, Span<byte> target)
    {
        var length = 0;
        for (var i = 0; i < field.Length; i++)
        {
            var current = field[i];
            var hasNext = i + 1 < field.Length;
            if (hasNext && current == _escape)
            {
                current = Escaped(field[++i]);
            }
            else if (hasNext && isQuoted && current == _quote && field[i + 1] == _quote)
            {
                i++;
            }

            target[length++] = current;
        }

        return length;
    }

    private static byte Escaped(byte character) => character switch
    {
        (byte)'0' => 0,
        (byte)'b' => (byte)'\b',
        (byte)'n' => (byte)'\n',
        (byte)'r' => (byte)'\r',
        (byte)'t' => (byte)'\t',
        (byte)'Z' => 0x1A,
        _ => character,
    };
}

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
