namespace BulkLoad.Core.Common;

/// <summary>Checks an expression of the user (MySQL manual, "Expressions", "Comments", "String Literals"). It will be in parentheses in a
/// statement: anything that could end those, or change the rest, is refused. The server checks the rest.</summary>
internal static class SqlExpression
{
    /// <summary>Why the text is not one expression, as the end of a sentence.</summary>
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

    /// <summary>Whether a word is in the text outside of strings, in any case. Names of functions and variables do not count.</summary>
    public static bool Mentions(string text, string word) =>
        SqlTokens.Of(text).Any(token => token.Kind == SqlTokenKind.Unclosed)
        || SqlTokens.NamesIn(text).Contains(word, StringComparer.OrdinalIgnoreCase);
}

/// <summary>The fields of the input in an expression of <c>--set</c>, written <c>@name</c> as in LOAD DATA. Names ignore case.</summary>
internal static class SetFields
{
    public static StringComparer Names => StringComparer.OrdinalIgnoreCase;

    /// <summary>Whether a target of <c>--columns</c> or <c>--map</c> is a field that goes to no column.</summary>
    public static bool IsField(string target) => target.StartsWith('@');

    /// <summary>The fields that an expression reads, without the <c>@</c>, once for each place.</summary>
    public static IEnumerable<string> In(string expression) =>
        SqlTokens.Of(expression).Where(token => token.Kind == SqlTokenKind.Variable).Select(token => token.Name);

    /// <summary>The first variable that an expression assigns a value to, without the <c>@</c>.</summary>
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
