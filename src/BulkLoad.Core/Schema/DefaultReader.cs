namespace BulkLoad.Core.Schema;

/// <summary>Reads COLUMN_DEFAULT: MariaDB writes an SQL expression, MySQL the bare value.</summary>
internal static class DefaultReader
{
    public static (ColumnDefault Default, string? Text) Read(string? text, string extra, bool isNullable, bool isMariaDb)
    {
        if (text is null || (isMariaDb && text == "NULL"))
        {
            return (isNullable ? ColumnDefault.Null : ColumnDefault.None, null);
        }

        return isMariaDb ? ReadExpression(text) : ReadBare(text, extra);
    }

    private static (ColumnDefault Default, string? Text) ReadBare(string text, string extra) =>
        extra.Contains("DEFAULT_GENERATED", StringComparison.OrdinalIgnoreCase)
        || text.StartsWith("CURRENT_TIMESTAMP", StringComparison.OrdinalIgnoreCase)
        || text.StartsWith("b'", StringComparison.Ordinal) ? (ColumnDefault.Expression, null) : (ColumnDefault.Constant, text);

    private static (ColumnDefault Default, string? Text) ReadExpression(string text)
    {
        if (text.Length >= 2 && text[0] == '\'' && text[^1] == '\'')
        {
            return Unquote(text[1..^1]) is { } constant ? (ColumnDefault.Constant, constant) : (ColumnDefault.Expression, null);
        }

        return text.All(character => char.IsAsciiDigit(character) || character is '.' or '-')
            ? (ColumnDefault.Constant, text)
            : (ColumnDefault.Expression, null);
    }

    /// <summary>Null: a quote ends the literal early, so it is an expression.</summary>
    private static string? Unquote(string text)
    {
        var result = new StringBuilder();
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] is '\'' or '\\')
            {
                if (i + 1 == text.Length || (text[i] == '\'' && text[i + 1] != '\''))
                {
                    return null;
                }

                i++;
                result.Append(text[i - 1] == '\\' ? Unescape(text[i]) : '\'');
            }
            else
            {
                result.Append(text[i]);
            }
        }

        return result.ToString();
    }

    private static char Unescape(char escaped) =>
        escaped switch { '0' => '\0', 'n' => '\n', 'r' => '\r', 't' => '\t', 'b' => '\b', 'Z' => '\u001a', _ => escaped };
}
