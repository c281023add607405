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

/// <summary>The fields of the input that an expression of <c>--set</c> reads, written <c>@name</c> as LOAD DATA has it. Names ignore
/// case.</summary>
internal static class SetFields
{
    public static StringComparer Names => StringComparer.OrdinalIgnoreCase;

    /// <summary>Whether a word of <c>--columns</c> or <c>--map</c> means a field that goes to no column.</summary>
    public static bool IsField(string target) => target.StartsWith('@');

    /// <summary>The name of each field that an expression reads, without the <c>@</c>, once for each place where it does.</summary>
    public static IEnumerable<string> In(string expression) =>
        SqlTokens.Of(expression).Where(token => token.Kind == SqlTokenKind.Variable).Select(token => token.Name);

    /// <summary>The first variable to which an expression assigns a value, without the <c>@</c>; null: it assigns none.</summary>
    public static string? FindAssigned(string expression)
    {
        SqlToken before = default;
        foreach (var token in SqlTokens.Of(expression))
        {
            if (before.Kind == SqlTokenKind.Variable && token.Kind == SqlTokenKind.Sign && expression.AsSpan(token.Start).StartsWith(":="))
            {
                return before.Name;
            }

            before = token;
        }

        return null;
    }
}
