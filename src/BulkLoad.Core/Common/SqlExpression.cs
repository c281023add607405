namespace BulkLoad.Core.Common;

/// <summary>An expression written by the user, before it becomes part of a statement (MySQL manual, "Expressions", "Comments", "String
/// Literals"). It is in parentheses there; what is looked for is anything that could end those, or turn the rest into something else. The
/// server is the judge of everything else.</summary>
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
        foreach (var (kind, start, _, name) in SqlTokens.Of(text))
        {
            var next = start + 1 < text.Length ? text[start + 1] : '\0';
            switch (text[start])
            {
                case var quote when kind == SqlTokenKind.Unclosed:
                    return $"has a {quote} that is never closed";
                case '@' when kind == SqlTokenKind.Variable && name.Length == 0:
                    return "has an @ without a name";
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
                    return "has a question mark outside quotes, which means a parameter";
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

    /// <summary>Whether a word is in the text outside of strings, in any case, in backticks or without; as the name of a function or of a
    /// variable it does not count.</summary>
    public static bool Mentions(string text, string word) =>
        SqlTokens.Of(text).Any(token => token.Kind == SqlTokenKind.Unclosed)
        || SqlTokens.NamesIn(text).Contains(word, StringComparer.OrdinalIgnoreCase);
}
