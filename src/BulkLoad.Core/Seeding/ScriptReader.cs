namespace BulkLoad.Core.Seeding;

/// <summary>
/// Finds where statements end. The rules are those of the servers' clients (<c>add_line</c> of their source): the delimiter counts outside
/// of quotes and of plain comments, and within executable ones.
/// </summary>
/// <param name="text">of the script</param>
/// <param name="name">of the file, for messages</param>
internal sealed class ScriptReader(string text, string name)
{
    private const string Command = "delimiter";

    private readonly List<(string Text, int Line)> _statements = [];
    private string _delimiter = ";";
    private int _at = text.StartsWith('\uFEFF') ? 1 : 0;
    private int _line = 1;

    /// <summary>Where the statement begins; -1: nothing of it has come.</summary>
    private int _start = -1;
    private int _startLine;
    private bool _isExecutable;
    private bool _isHint;

    /// <summary>All statements; what is nothing but comments is none.</summary>
    /// <exception cref="PlanException">a client's command that is not known here; the message says where it stands</exception>
    public IReadOnlyList<(string Text, int Line)> Read()
    {
        while (_at < text.Length)
        {
            Step();
        }

        End(text.Length);
        return _statements;
    }

    private void Step()
    {
        var sign = text[_at];
        if (char.IsWhiteSpace(sign))
        {
            Pass(1);
        }
        else if (_start < 0 && IsCommand())
        {
            ReadDelimiter();
        }
        else if (!_isHint && Has(_delimiter))
        {
            End(_at);
            _at += _delimiter.Length;
        }
        else if (IsLineComment())
        {
            PassTo(text.IndexOf('\n', _at));
        }
        else if (Has("/*"))
        {
            BeginComment();
        }
        else if (Has("*/") && (_isExecutable || _isHint))
        {
            (_isExecutable, _isHint) = (false, false);
            Pass(2);
        }
        else if (sign is '\'' or '"' or '`')
        {
            Begin();
            PassQuoted(sign);
        }
        else if (sign == '\\' && !_isHint)
        {
            ReadBackslash();
        }
        else
        {
            Begin();
            Pass(1);
        }
    }

    /// <summary>A comment is none of the statement's beginning, but one that the server reads.</summary>
    private void BeginComment()
    {
        if (Has("/*M!999999\\-"))
        {
            // The first line of a dump of MariaDB, for its client alone.
            PassTo(text.IndexOf("*/", _at, StringComparison.Ordinal) is >= 0 and var end ? end + 2 : -1);
        }
        else if (Has("/*!") || Has("/*M!"))
        {
            Begin();
            _isExecutable = true;
            Pass(3);
        }
        else if (Has("/*+"))
        {
            Begin();
            _isHint = true;
            Pass(3);
        }
        else
        {
            PassTo(text.IndexOf("*/", _at + 2, StringComparison.Ordinal) is >= 0 and var end ? end + 2 : -1);
        }
    }

    /// <summary>What begins a statement with two hyphens is a comment even without a blank behind them.</summary>
    private bool IsLineComment() => !_isHint
        && (text[_at] == '#'
            || (Has("--") && (_start < 0 || _at + 2 == text.Length || char.IsWhiteSpace(text[_at + 2]) || char.IsControl(text[_at + 2]))));

    private bool IsCommand() =>
        string.Compare(text, _at, Command, 0, Command.Length, StringComparison.OrdinalIgnoreCase) == 0
        && (_at + Command.Length == text.Length || char.IsWhiteSpace(text[_at + Command.Length]));

    /// <summary>The rest of the line names the delimiter: a word, or a text in quotes.</summary>
    private void ReadDelimiter()
    {
        var end = text.IndexOf('\n', _at) is >= 0 and var newline ? newline : text.Length;
        var rest = text[(_at + Command.Length)..end].Trim();
        var quoted = rest.Length > 0 && rest[0] is '\'' or '"' or '`' ? rest.IndexOf(rest[0], 1) : -1;
        var word = quoted > 0 ? rest[1..quoted] : rest.Split((char[]?)null, 2)[0];
        if (word.Length == 0 || word.Contains('\\', StringComparison.Ordinal))
        {
            throw new PlanException($"{name}:{_line}: DELIMITER must be followed by a word without backslashes, such as DELIMITER //");
        }

        _delimiter = word;
        PassTo(end);
    }

    private void ReadBackslash()
    {
        var letter = _at + 1 < text.Length ? text[_at + 1] : ' ';
        if (letter is not ('g' or 'G'))
        {
            throw new PlanException(letter == '.'
                ? $"{name}:{_line}: \\. (SOURCE) would read another file: put its statements here, or run it with the server's own client"
                : $"{name}:{_line}: \\{letter} is a command of the server's client, which is not known here: take it out");
        }

        End(_at);
        Pass(2);
    }

    private void Begin()
    {
        if (_start < 0)
        {
            (_start, _startLine) = (_at, _line);
        }
    }

    private void End(int at)
    {
        if (_start >= 0 && text[_start..at].Trim() is { Length: > 0 } statement)
        {
            _statements.Add((statement, _startLine));
        }

        (_start, _isExecutable, _isHint) = (-1, false, false);
    }

    private void PassQuoted(char quote)
    {
        var end = _at + 1;
        while (end < text.Length && text[end] != quote)
        {
            end += text[end] == '\\' && quote != '`' ? 2 : 1;
        }

        PassTo(Math.Min(end + 1, text.Length));
    }

    private bool Has(string word) => string.CompareOrdinal(text, _at, word, 0, word.Length) == 0;

    /// <param name="end">where to go on; negative: at the end</param>
    private void PassTo(int end) => Pass((end < 0 ? text.Length : end) - _at);

    private void Pass(int count)
    {
        _line += text.AsSpan(_at, Math.Min(count, text.Length - _at)).Count('\n');
        _at += count;
    }
}
