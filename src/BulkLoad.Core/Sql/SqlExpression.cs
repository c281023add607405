namespace BulkLoad.Core.Sql;

/// <summary>
/// An expression written by the user, before it becomes part of a statement (MySQL manual, "Expressions", "Comments", "String
/// Literals"). It stands in parentheses there; what is looked for is anything that could end those, or turn the rest into
/// something else. The server is the judge of everything else.
/// </summary>
internal static class SqlExpression
{
    /// <summary>What keeps the text from being one expression, for people, reading on from it; null where nothing does.</summary>
    public static string? FindFault(string text)
    {
        if (string.IsNullOrWhiteSpace(text))
        {
            return "is no expression";
        }

        var depth = 0;
        for (var i = 0; i < text.Length; i++)
        {
            var next = i + 1 < text.Length ? text[i + 1] : '\0';
            switch (text[i])
            {
                case '\'' or '"' or '`':
                    var end = FindQuote(text, i);
                    if (end < 0)
                    {
                        return $"has a {text[i]} that is never closed";
                    }

                    i = end;
                    break;
                case '(':
                    depth++;
                    break;
                case ')' when --depth < 0:
                    return "has a ) that closes nothing";
                case ',' when depth == 0:
                    return "has a comma outside parentheses: give one --set for each column";
                case ';':
                    return "has a semicolon outside quotes";
                case '?':
                    return "has a question mark outside quotes, which stands for a parameter";
                case '#':
                case '-' when next == '-':
                case '/' when next == '*':
                    return "has a comment in it";
                case '\0':
                    return "has a NUL character";
            }
        }

        return depth > 0 ? "has a ( that is never closed" : null;
    }

    /// <summary>Whether a word stands in the text outside of strings, in any case, in backticks or without; as the name of a function or of a variable it does not count.</summary>
    public static bool Mentions(string text, string word)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] is '\'' or '"' or '`')
            {
                var end = FindQuote(text, i);
                if (end < 0)
                {
                    return true;
                }

                if (text[i] == '`' && Is(text[(i + 1)..end].Replace("``", "`", StringComparison.Ordinal)))
                {
                    return true;
                }

                i = end;
            }
            else if (IsLetter(text[i]))
            {
                var end = i;
                while (end < text.Length && IsLetter(text[end]))
                {
                    end++;
                }

                if (Is(text[i..end]) && !(i > 0 && text[i - 1] == '@') && !(end < text.Length && text[end] == '('))
                {
                    return true;
                }

                i = end - 1;
            }
        }

        return false;

        bool Is(string found) => found.Equals(word, StringComparison.OrdinalIgnoreCase);

        static bool IsLetter(char letter) => char.IsLetterOrDigit(letter) || letter is '_' or '$';
    }

    /// <summary>The place of the quote that ends the one at <paramref name="start"/>, or -1.</summary>
    private static int FindQuote(string text, int start)
    {
        for (var i = start + 1; i < text.Length; i++)
        {
            if (text[i] == '\\' && text[start] != '`')
            {
                i++;
            }
            else if (text[i] == text[start])
            {
                if (i + 1 == text.Length || text[i + 1] != text[start])
                {
                    return i;
                }

                i++;
            }
        }

        return -1;
    }
}
