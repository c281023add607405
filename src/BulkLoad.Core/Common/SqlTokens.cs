namespace BulkLoad.Core.Common;

internal enum SqlTokenKind
{
    /// <summary>A string in single or double quotes.</summary>
    Text,

    /// <summary>A quote that is never closed, up to the end.</summary>
    Unclosed,

    /// <summary>A name or a key word, with or without backticks; <see cref="SqlToken.Name"/> is without.</summary>
    Name,

    /// <summary>A user variable, <c>@name</c>, with or without quotes; <see cref="SqlToken.Name"/> is without both.</summary>
    Variable,

    /// <summary>A system variable, <c>@@name</c>.</summary>
    SystemVariable,

    Comment,

    /// <summary>A number that begins with a digit.</summary>
    Number,

    Sign,
}

/// <param name="Name">of a name or a variable; else empty</param>
internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int End, string Name = "");

/// <summary>An expression taken apart as both servers do it in a session without ANSI_QUOTES and NO_BACKSLASH_ESCAPES (MySQL manual,
/// "Language Structure"): everything else here that looks into an expression relies on it. What is between two tokens is white
/// space.</summary>
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

    /// <summary>Names that stand for a value: key words are among them, functions are not. Of a qualified name each part.</summary>
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

    /// <summary>A token that ends with the quote which begins at a place.</summary>
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

    /// <summary>A variable's name has dots, too.</summary>
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
