using System.Diagnostics.CodeAnalysis;

namespace BulkLoad.Core.Common;

internal enum SqlDialect
{
    MySql,
    MariaDb,
}

/// <summary>Reads a statement word by word. It includes comments that the server executes, and no others.</summary>
internal sealed class SqlCursor
{
    private readonly string _text;
    private readonly string _name;
    private readonly int _line;
    private readonly List<SqlToken> _tokens = [];
    private int _at;

    /// <summary><paramref name="line"/> is the line on which the statement begins; 0: messages have no line number.</summary>
    public SqlCursor(string statement, int line, string name, SqlDialect dialect)
    {
        (_line, _name) = (line, name);
        var text = statement.ToCharArray();
        foreach (var token in SqlTokens.ReadBy(statement, dialect))
        {
            if (token.Kind is SqlTokenKind.Executable or SqlTokenKind.ExecutableEnd)
            {
                Array.Fill(text, ' ', token.Start, token.End - token.Start);
            }
            else
            {
                _tokens.Add(token);
            }
        }

        _text = new string(text);
    }

    public bool IsAtEnd => _at >= _tokens.Count;

    /// <summary>Can be set to read from there again.</summary>
    public int Place
    {
        get => _at;
        set => _at = value;
    }

    public int Line => _line + _text.AsSpan(0, _tokens.Count == 0 ? 0 : _tokens[Math.Min(_at, _tokens.Count - 1)].Start).Count('\n');

    public string Shown => IsAtEnd ? "the end of the statement" : $"'{Raw(_tokens[_at])}'";

    /// <summary>Reads the words if all of them come next.</summary>
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

    public bool IsWord(string word) => IsWord(_at, word);

    /// <summary>Reads one of the words, and returns it as it is listed. Null: none of them comes next.</summary>
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

    public bool TrySign(char sign)
    {
        var found = IsSign(sign);
        _at += found ? 1 : 0;
        return found;
    }

    public bool IsSign(char sign) => !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Sign && _text[_tokens[_at].Start] == sign;

    public void Sign(char sign)
    {
        if (!TrySign(sign))
        {
            throw Fault($"'{sign}' was expected, and there is {Shown}");
        }
    }

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

    public (string? Database, string Table) TableName()
    {
        var first = Name();
        return TrySign('.') ? (first, Name()) : (null, first);
    }

    public string Word() =>
        !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Name && _text[_tokens[_at].Start] != '`' ? _tokens[_at++].Name : "";

    public int Number() =>
        !IsAtEnd && _tokens[_at].Kind == SqlTokenKind.Number
            && int.TryParse(Raw(_tokens[_at]), CultureInfo.InvariantCulture, out var number)
        ? Next(number)
        : throw Fault($"a number was expected, and there is {Shown}");

    /// <summary>Adjacent texts in quotes are one text.</summary>
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

    public string Text() => TryText(out var text) ? text : throw Fault($"a text in quotes was expected, and there is {Shown}");

    /// <summary>Returns the text inside, as written.</summary>
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

    /// <summary>Reads up to the end, or to a comma or a closing parenthesis of the same level.</summary>
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

    public string Any() => IsAtEnd ? throw Fault("the statement ends early") : Raw(_tokens[_at++]);

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
}
