namespace BulkLoad.Core.Common;

internal enum SqlTokenKind
{
    Text,

    /// <summary>A quote that is never closed, up to the end.</summary>
    Unclosed,

    /// <summary>With or without backticks; <see cref="SqlToken.Name"/> is without.</summary>
    Name,

    /// <summary>A user variable such as <c>@name</c>; <see cref="SqlToken.Name"/> has neither the sign nor quotes.</summary>
    Variable,

    /// <summary>Such as <c>@@name</c>.</summary>
    SystemVariable,

    Comment,

    Number,

    Sign,
}

/// <summary><paramref name="Name"/> is empty but for names and variables.</summary>
internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int End, string Name = "");

/// <summary>Splits SQL as both servers do in a session without ANSI_QUOTES and NO_BACKSLASH_ESCAPES (MySQL manual, "Language Structure").
/// White space separates tokens.</summary>
internal static class SqlTokens
{
    public static IEnumerable<SqlToken> Of(string text)
    {
        for (var i = 0; i < text.Length;)
        {
            if (char.IsWhiteSpace(text[i]))
            {
                i++;
                continue;
            }

            var token = Read(text, i);
            yield return token;
            i = token.End;
        }
    }

    /// <summary>Names that are values: key words are among them, functions are not. Each part of a qualified name.</summary>
    public static IEnumerable<string> NamesIn(string text)
    {
        SqlToken? name = null;
        foreach (var token in Of(text))
        {
            if (name is { } waiting && !(token.Kind == SqlTokenKind.Sign && text[token.Start] == '('))
            {
                yield return waiting.Name;
            }

            name = token.Kind == SqlTokenKind.Name ? token : null;
        }

        if (name is { } last)
        {
            yield return last.Name;
        }
    }

    private static SqlToken Read(string text, int at)
    {
        var next = at + 1 < text.Length ? text[at + 1] : '\0';
        switch (text[at])
        {
            case '\'' or '"':
                return Quoted(text, at, at, SqlTokenKind.Text) with { Name = "" };
            case '`':
                return Quoted(text, at, at, SqlTokenKind.Name);
            case '#':
            case '-' when next == '-' && (at + 2 == text.Length || char.IsWhiteSpace(text[at + 2]) || char.IsControl(text[at + 2])):
                return new SqlToken(SqlTokenKind.Comment, at, text.IndexOf('\n', at) is >= 0 and var line ? line + 1 : text.Length);
            case '/' when next == '*':
                return new SqlToken(SqlTokenKind.Comment, at, text.IndexOf("*/", at + 2, StringComparison.Ordinal) is >= 0 and var end
                    ? end + 2 : text.Length);
            case '@' when next == '@':
                return new SqlToken(SqlTokenKind.SystemVariable, at, EndOfName(text, at + 2));
            case '@' when next is '\'' or '"' or '`':
                return Quoted(text, at, at + 1, SqlTokenKind.Variable);
            case '@':
                var variable = EndOfName(text, at + 1);
                return new SqlToken(SqlTokenKind.Variable, at, variable, text[(at + 1)..variable]);
            case >= '0' and <= '9':
                var number = at;
                while (number < text.Length && (IsInName(text[number]) || text[number] == '.'))
                {
                    number++;
                }

                return new SqlToken(SqlTokenKind.Number, at, number);
            case var letter when IsInName(letter):
                var name = at;
                while (name < text.Length && IsInName(text[name]))
                {
                    name++;
                }

                return new SqlToken(SqlTokenKind.Name, at, name, text[at..name]);
            default:
                return new SqlToken(SqlTokenKind.Sign, at, at + 1);
        }
    }

    private static SqlToken Quoted(string text, int start, int quote, SqlTokenKind kind)
    {
        for (var i = quote + 1; i < text.Length; i++)
        {
            if (text[i] == '\\' && text[quote] != '`')
            {
                i++;
            }
            else if (text[i] == text[quote])
            {
                if (i + 1 == text.Length || text[i + 1] != text[quote])
                {
                    return new SqlToken(kind, start, i + 1, text[(quote + 1)..i].Replace(
                        new string(text[quote], 2), text[quote].ToString(), StringComparison.Ordinal));
                }

                i++;
            }
        }

        return new SqlToken(SqlTokenKind.Unclosed, quote, text.Length);
    }

    /// <summary>The name of a variable may have dots.</summary>
    private static int EndOfName(string text, int at)
    {
        while (at < text.Length && (IsInName(text[at]) || text[at] == '.'))
        {
            at++;
        }

        return at;
    }

    private static bool IsInName(char letter) => char.IsLetterOrDigit(letter) || letter is '_' or '$' || letter >= '\u0080';
}
