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
