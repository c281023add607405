namespace BulkLoad.Core.Input.Formats;

/// <summary>Escape sequences of fields (MySQL Reference Manual, "LOAD DATA Statement"; PostgreSQL Documentation, "COPY", text
/// format).</summary>
internal sealed class EscapeSequences(Dialect dialect)
{
    private readonly byte? _escape = dialect.Escape;
    private readonly byte? _quote = dialect.Quote;
    private readonly bool _isPostgres = dialect.Format == InputFormat.Postgres;
    private readonly bool _hasNullWord = dialect is { Format: InputFormat.Mysql, Quote: not null };
    private readonly bool _keepsEmpty = dialect.Format.IsEscaped();

    /// <summary>Decides by a field's bytes without quotes. If <c>\N</c> is NULL, an empty field is the empty string; another one may be a
    /// word of <c>--null-value</c>.</summary>
    public FieldKind KindOf(in ScannedField field, ReadOnlySpan<byte> value) =>
        !field.IsQuoted && IsNull(value) ? FieldKind.Null
        : field.IsQuoted || field.HasEscapes || (_keepsEmpty && value.IsEmpty) ? FieldKind.Quoted
        : FieldKind.Bare;

    /// <summary><c>\N</c>, and the bare word NULL in the mysql format with quotes.</summary>
    private bool IsNull(ReadOnlySpan<byte> field) =>
        (field.Length == 2 && field[0] == _escape && field[1] == 'N') || (_hasNullWord && field.SequenceEqual("NULL"u8));

    /// <summary>Resolves escapes, and doubled quotes within quotes. The target needs as many bytes as the field.</summary>
    public int Resolve(ReadOnlySpan<byte> field, bool isQuoted, Span<byte> target)
    {
        if (_isPostgres)
        {
            return CopyEscapes.Resolve(field, target);
        }

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

/// <summary>COPY has letters for control characters, and bytes by one to three octal or one or two hexadecimal digits. Another character
/// behind a backslash is itself.</summary>
internal static class CopyEscapes
{
    private const int MaxOctalDigits = 3;

    private const int MaxHexDigits = 2;

    /// <summary>Returns the bytes written.</summary>
    public static int Resolve(ReadOnlySpan<byte> field, Span<byte> target)
    {
        var length = 0;
        var i = 0;
        while (i < field.Length)
        {
            if (field[i] != '\\' || i + 1 == field.Length)
            {
                target[length++] = field[i++];
                continue;
            }

            target[length++] = Resolve(field[(i + 1)..], out var used);
            i += 1 + used;
        }

        return length;
    }

    private static byte Resolve(ReadOnlySpan<byte> sequence, out int used)
    {
        var first = sequence[0];
        if (first is >= (byte)'0' and <= (byte)'7')
        {
            return Number(sequence[..Math.Min(MaxOctalDigits, sequence.Length)], 8, out used);
        }

        if (first == 'x' && sequence.Length > 1 && char.IsAsciiHexDigit((char)sequence[1]))
        {
            var value = Number(sequence.Slice(1, Math.Min(MaxHexDigits, sequence.Length - 1)), 16, out var digits);
            used = 1 + digits;
            return value;
        }

        used = 1;
        return first switch
        {
            (byte)'b' => (byte)'\b',
            (byte)'f' => (byte)'\f',
            (byte)'n' => (byte)'\n',
            (byte)'r' => (byte)'\r',
            (byte)'t' => (byte)'\t',
            (byte)'v' => (byte)'\v',
            _ => first,
        };
    }

    /// <summary>Keeps the lowest bits of a number that is too large, as COPY does.</summary>
    private static byte Number(ReadOnlySpan<byte> bytes, int numberBase, out int digits)
    {
        var value = 0;
        for (digits = 0; digits < bytes.Length; digits++)
        {
            var digit = DigitOf(bytes[digits]);
            if (digit >= numberBase)
            {
                break;
            }

            value = (value * numberBase) + digit;
        }

        return (byte)value;
    }

    private static int DigitOf(byte character) => char.IsAsciiHexDigit((char)character)
        ? (character <= '9' ? character - '0' : (character | 0x20) - 'a' + 10)
        : int.MaxValue;
}

internal static class QuotePadding
{
    /// <summary>Removes them in place, and returns the new length.</summary>
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

/// <summary>The line <c>\.</c> that ends the data of PostgreSQL's COPY.</summary>
internal sealed class CopyEnd(string inputName)
{
    public static CopyEnd? For(Dialect dialect, string inputName) =>
        dialect.Format == InputFormat.Postgres ? new CopyEnd(inputName) : null;

    public static bool IsMark(ReadOnlySpan<byte> record) => record.SequenceEqual(@"\."u8);

    /// <summary>Throws if more than blanks and line ends follow, since it would be lost.</summary>
    public void RequireNothingMore(RecordBuffer buffer, long line)
    {
        do
        {
            var rest = buffer.Unread;
            if (rest.IndexOfAnyExcept(" \t\r\n"u8) is >= 0 and var at)
            {
                line += rest[..at].Count((byte)'\n');
                throw new InputException(
                    $@"{inputName}:{line}: text follows the line \. that ends the data of COPY; an input holds one table's data: save it " +
                    @"with psql -c ""\copy TABLE to 'FILE'"", or remove all lines after the \.");
            }

            line += rest.Count((byte)'\n');
            buffer.Consume(rest.Length);
        }
        while (buffer.Fill());
    }
}
