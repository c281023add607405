using System.Diagnostics.CodeAnalysis;

namespace BulkLoad.Core.Common;

/// <summary>Which server's SQL a text is.</summary>
internal enum SqlDialect
{
    MySql,
    MariaDb,
}

/// <summary>A place in a statement: reads it word by word. Comments that the server executes are part of it, others are not.</summary>
internal sealed class SqlCursor
{
    /// <summary>MariaDB passes over what MySQL marks for its versions from 5.7 on (its documentation, "Comment Syntax").</summary>
    private const int FirstNotOfMariaDb = 50_700;

    /// <summary>What is marked for versions from this one on is for no server that there is.</summary>
    private const int FirstOfNobody = 99_999;

    private readonly string _text;
    private readonly string _name;
    private readonly int _line;
    private readonly List<SqlToken> _tokens;
    private int _at;

    /// <param name="statement">one statement</param>
    /// <param name="line">on which it begins; 0: it is one line, which messages do not number</param>
    /// <param name="name">of the file, for messages</param>
    /// <param name="dialect">decides which comments are executed</param>
    public SqlCursor(string statement, int line, string name, SqlDialect dialect)
    {
        (_line, _name, _text) = (line, name, Execute(statement, dialect));
        _tokens = [.. SqlTokens.Of(_text).Where(token => token.Kind != SqlTokenKind.Comment)];
    }

    public bool IsAtEnd => _at >= _tokens.Count;

    /// <summary>A number for the place, to come back to.</summary>
    public int Place
    {
        get => _at;
        set => _at = value;
    }

    /// <summary>The line that is read, from 1.</summary>
    public int Line => _line + _text.AsSpan(0, _tokens.Count == 0 ? 0 : _tokens[Math.Min(_at, _tokens.Count - 1)].Start).Count('\n');

    /// <summary>What is read next, for messages.</summary>
    public string Shown => IsAtEnd ? "the end of the statement" : $"'{Raw(_tokens[_at])}'";

    /// <summary>Whether these words come next; reads them if they do.</summary>
    public bool TryWords(params ReadOnlySpan<string> words)
    {
        for (var i = 0; i < words.Length; i++)
        {
            if (!IsWord(_at + i, words[i]))
            {
                return false;
            }
        }

        _at += words.Length;
        return true;
    }

    /// <summary>Whether a word comes next.</summary>
    public bool IsWord(string word) => IsWord(_at, word);

    /// <summary>Reads one of some words.</summary>
    /// <returns>as it is listed; null: none of them comes next</returns>
    public string? TryAny(params ReadOnlySpan<string> words)
    {
        foreach (var word in words)
        {
            if (TryWords(word))
            {
                return word;
            }
        }

        return null;
    }

    /// <summary>Whether a sign comes next; reads it if it does.</summary>
    public bool TrySign(char sign)
    {
        var found = IsSign(sign);
        _at += found ? 1 : 0;
        return found;
    }

    public bool IsSign(char sign) => !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Sign && _text[_tokens[_at].Start] == sign;

    /// <exception cref="PlanException">another one comes next</exception>
    public void Sign(char sign)
    {
        if (!TrySign(sign))
        {
            throw Fault($"'{sign}' was expected, and there is {Shown}");
        }
    }

    /// <summary>Reads a name, with quotes of either kind or without.</summary>
    /// <exception cref="PlanException">no name comes next</exception>
    public string Name()
    {
        if (IsAtEnd || _tokens[_at].Kind is not (SqlTokenKind.Name or SqlTokenKind.Text or SqlTokenKind.Number)
            || (_tokens[_at].Kind == SqlTokenKind.Text && _text[_tokens[_at].Start] == '\''))
        {
            throw Fault($"a name was expected, and there is {Shown}");
        }

        var token = _tokens[_at++];
        return token.Kind switch
        {
            SqlTokenKind.Name => token.Name,
            SqlTokenKind.Text => Raw(token)[1..^1].Replace("\"\"", "\"", StringComparison.Ordinal),
            _ => Raw(token),
        };
    }

    /// <summary>Reads the name of a table, with its database or without.</summary>
    public (string? Database, string Table) TableName()
    {
        var first = Name();
        return TrySign('.') ? (first, Name()) : (null, first);
    }

    /// <summary>Reads a word without quotes; empty: none comes next.</summary>
    public string Word() =>
        !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Name && _text[_tokens[_at].Start] != '`' ? _tokens[_at++].Name : "";

    /// <summary>Reads a whole number.</summary>
    public int Number() =>
        !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Number
            && int.TryParse(Raw(_tokens[_at]), CultureInfo.InvariantCulture, out var number)
        ? Next(number)
        : throw Fault($"a number was expected, and there is {Shown}");

    /// <summary>Reads texts in quotes that stand one behind the other, and are one.</summary>
    public bool TryText([NotNullWhen(true)] out string? text)
    {
        var value = new StringBuilder();
        var start = _at;
        if (!IsAtEnd && _tokens[_at] is { Kind: SqlTokenKind.Name } prefix && _at + 1 < _tokens.Count
            && _tokens[_at + 1].Kind == SqlTokenKind.Text
            && ((prefix.Name.StartsWith('_') && prefix.Name.Length > 1)
                || (prefix.Name is "N" or "n" && prefix.End == _tokens[_at + 1].Start)))
        {
            _at++;
        }

        while (!IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Text)
        {
            value.Append(Unquote(Raw(_tokens[_at++])));
        }

        text = _at > start ? value.ToString() : null;
        return text is not null;
    }

    /// <exception cref="PlanException">no text comes next</exception>
    public string Text() => TryText(out var text) ? text : throw Fault($"a text in quotes was expected, and there is {Shown}");

    /// <summary>Reads what stands in the parentheses that come next.</summary>
    /// <returns>without them, as it is written</returns>
    public string Parenthesized()
    {
        var start = IsAtEnd ? 0 : _tokens[_at].End;
        Sign('(');
        for (var depth = 1; !IsAtEnd; _at++)
        {
            depth += IsSign('(') ? 1 : IsSign(')') ? -1 : 0;
            if (depth == 0)
            {
                return _text[start.._tokens[_at++].Start].Trim();
            }
        }

        throw Fault("a parenthesis is not closed");
    }

    /// <summary>Reads up to a comma or a closing parenthesis that belongs to no opening one, or to the end.</summary>
    public void SkipPart()
    {
        while (!IsAtEnd && !IsSign(',') && !IsSign(')'))
        {
            if (IsSign('('))
            {
                Parenthesized();
            }
            else
            {
                _at++;
            }
        }
    }

    /// <summary>Reads whatever comes next.</summary>
    /// <returns>as it is written</returns>
    public string Any() => IsAtEnd ? throw Fault("the statement ends early") : Raw(_tokens[_at++]);

    /// <summary>What is wrong at this place.</summary>
    public PlanException Fault(string what) => new(_line == 0 ? $"{_name}: {what}" : $"{_name}:{Line}: {what}");

    private int Next(int value)
    {
        _at++;
        return value;
    }

    private bool IsWord(int at, string word) =>
        at < _tokens.Count && _tokens[at] is { Kind: SqlTokenKind.Name } token && _text[token.Start] != '`'
            && token.Name.Equals(word, StringComparison.OrdinalIgnoreCase);

    private string Raw(SqlToken token) => _text[token.Start..token.End];

    /// <summary>The value of a text (MySQL manual, "String Literals").</summary>
    private static string Unquote(string raw)
    {
        var value = new StringBuilder();
        for (var i = 1; i < raw.Length - 1; i++)
        {
            if (raw[i] == '\\')
            {
                i++;
                value.Append(raw[i] switch
                {
                    '0' => "\0",
                    'n' => "\n",
                    'r' => "\r",
                    't' => "\t",
                    'b' => "\b",
                    'Z' => "\u001a",
                    '%' => "\\%",
                    '_' => "\\_",
                    var other => other.ToString(),
                });
            }
            else
            {
                value.Append(raw[i]);
                i += raw[i] == raw[0] ? 1 : 0;
            }
        }

        return value.ToString();
    }

    /// <summary>The text with blanks in place of the marks of comments that are executed.</summary>
    private static string Execute(string statement, SqlDialect dialect)
    {
        var text = new StringBuilder(statement);
        var hasSome = false;
        foreach (var token in SqlTokens.Of(statement).Where(token => token.Kind == SqlTokenKind.Comment && statement[token.Start] == '/'))
        {
            var comment = statement.AsSpan(token.Start, token.End - token.Start);
            var mark = comment.StartsWith("/*!", StringComparison.Ordinal)
                ? 3
                : comment.StartsWith("/*M!", StringComparison.Ordinal)
                ? 4
                : 0;
            if (mark == 0 || (mark == 4 && dialect != SqlDialect.MariaDb))
            {
                continue;
            }

            var digits = 0;
            while (digits < 6 && mark + digits < comment.Length && char.IsAsciiDigit(comment[mark + digits]))
            {
                digits++;
            }

            var version = digits >= 5 ? int.Parse(comment.Slice(mark, digits), CultureInfo.InvariantCulture) : 0;
            if (version is FirstOfNobody or 999_999
                || (mark == 3 && dialect == SqlDialect.MariaDb && version is >= FirstNotOfMariaDb and < FirstOfNobody))
            {
                continue;
            }

            hasSome = true;
            Blank(text, token.Start, mark + (digits >= 5 ? digits : 0));
            if (comment.EndsWith("*/", StringComparison.Ordinal))
            {
                Blank(text, token.End - 2, 2);
            }
        }

        return hasSome ? text.ToString() : statement;
    }

    private static void Blank(StringBuilder text, int start, int length)
    {
        for (var i = start; i < start + length; i++)
        {
            text[i] = ' ';
        }
    }
}
