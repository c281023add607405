using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

/// <summary>
/// A file of SQL, split into statements as the servers' own clients do (MySQL manual, "mysql Client Commands"; MariaDB, "mariadb
/// Command-Line Client"). Of the clients' commands only DELIMITER, <c>\g</c> and <c>\G</c> are known. What leads out of the database is
/// refused, and so is what reads files. A statement's text is without delimiter and without comments before it; its line is the one on
/// which it begins, from 1.
/// </summary>
internal static class SqlScript
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Reads a file.</summary>
    /// <param name="path">of the file: UTF-8, with a byte order mark or without</param>
    /// <exception cref="InputException">the file cannot be read, or is no UTF-8</exception>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it is</exception>
    public static IReadOnlyList<(string Text, int Line)> Read(string path)
    {
        try
        {
            return Parse(Strict.GetString(File.ReadAllBytes(path)), path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{path} cannot be read: {fault.Message}", fault);
        }
        catch (DecoderFallbackException fault)
        {
            throw new InputException(
                $"{path} is not UTF-8: write it again in UTF-8, and bytes in it as x'...' (--hex-blob of the dump programs)", fault);
        }
    }

    /// <summary>Splits a text.</summary>
    /// <param name="text">of the script</param>
    /// <param name="path">of the file, for messages</param>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it is</exception>
    public static IReadOnlyList<(string Text, int Line)> Parse(string text, string path)
    {
        var statements = new ScriptReader(text, path).Read();
        foreach (var statement in statements)
        {
            if (ScriptRefusals.Find(statement.Text) is { } refused)
            {
                throw new PlanException($"{path}:{statement.Line}: {refused}");
            }
        }

        return statements;
    }

    /// <summary>Runs statements, one after the other.</summary>
    /// <param name="session">for nothing else: it keeps what the script sets, such as <c>foreign_key_checks=0</c></param>
    /// <param name="path">of the file, for messages</param>
    /// <param name="statements">of the file</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="PlanException">the server refuses a statement; the message says where it is, and what the server
    /// says</exception>
    /// <exception cref="ServerException">the server could not run one, and may be able to later</exception>
    public static async Task RunAsync(
        IServerSession session, string path, IReadOnlyList<(string Text, int Line)> statements, CancellationToken cancellationToken)
    {
        foreach (var (text, line) in statements)
        {
            try
            {
                await session.QueryAsync(text, cancellationToken);
            }
            catch (ServerException fault)
            {
                throw fault.EndsTransaction || fault.Kind == FaultKind.Protocol
                    ? new ServerException($"{path}:{line}: {fault.Message}; the statements before it have run", fault)
                    : new PlanException(
                        $"{path}:{line}: the server refuses the statement: {fault.Message}; the statements before it have run", fault);
            }
        }
    }
}

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
    /// <exception cref="PlanException">a client's command that is not known here; the message says where it is</exception>
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

/// <summary>
/// Statements that no script may have. Text in executable comments is read as each server could read it: each version that a comment
/// names decides again which of them are text.
/// </summary>
internal static class ScriptRefusals
{
    /// <summary>So many words tell what a statement does.</summary>
    private const int MostWords = 4;

    /// <summary>MariaDB passes over comments for these versions of MySQL, unless they are its own.</summary>
    private const int FirstForMySqlOnly = 50700, LastForMySqlOnly = 99999;

    /// <summary>Why a statement is refused; null: it is not.</summary>
    public static string? Find(string statement)
    {
        var versions = new SortedSet<int> { 0 };
        foreach (var (_, version, _) in Tokens(statement))
        {
            versions.Add(version);
        }

        return versions.SelectMany(
            version => new[] { Words(statement, version, isMariaDb: false), Words(statement, version, isMariaDb: true) })
            .Select(Judge).FirstOrDefault(refusal => refusal is not null);
    }

    private static string? Judge(IReadOnlyList<string> words) => words switch
    {
        ["USE", ..] => "USE would leave the database: take the line out; --database says where the script runs",
        ["SOURCE", ..] => "SOURCE would read another file: put its statements here, or run it with the server's own client",
        ["CREATE" or "DROP" or "ALTER", "DATABASE" or "SCHEMA", ..] or ["CREATE", "OR", "REPLACE", "DATABASE" or "SCHEMA"] =>
            $"{words[0]} {words.First(word => word is "DATABASE" or "SCHEMA")} is about a whole database: take it out; the script runs in "
                + "the one of --database (dump programs leave such lines out without --databases)",
        ["LOAD", "DATA" or "XML", ..] => $"LOAD {words[1]} would read a file: put the rows into a file of their own in the folder",
        _ => null,
    };

    /// <summary>The first words that a server of a version sees.</summary>
    private static List<string> Words(string statement, int serverVersion, bool isMariaDb) =>
    [
        .. Tokens(statement).Where(token => token.Version <= serverVersion
                && (isMariaDb ? token.IsMariaDb || token.Version is < FirstForMySqlOnly or > LastForMySqlOnly : !token.IsMariaDb))
            .Select(token => token.Word).Where(word => word.Length > 0).Take(MostWords),
    ];

    /// <summary>Words in capitals, any other sign as itself; with the version that the comment around asks for, 0 for none. An empty word
    /// begins a comment.</summary>
    private static IEnumerable<(string Word, int Version, bool IsMariaDb)> Tokens(string text)
    {
        var (version, isMariaDb) = (0, false);
        for (var at = 0; at < text.Length;)
        {
            var rest = text.AsSpan(at);
            if (rest.StartsWith("/*!") || rest.StartsWith("/*M!"))
            {
                isMariaDb = rest[2] == 'M';
                at += isMariaDb ? 4 : 3;
                var digits = at;
                while (digits < text.Length && digits < at + 6 && char.IsAsciiDigit(text[digits]))
                {
                    digits++;
                }

                // Five or six digits are a version; fewer are text.
                (version, at) = digits - at >= 5
                    ? (int.Parse(text.AsSpan(at, digits - at), CultureInfo.InvariantCulture), digits)
                    : (0, at);
                yield return ("", version, isMariaDb);
            }
            else if (rest.StartsWith("*/"))
            {
                (version, isMariaDb, at) = (0, false, at + 2);
            }
            else if (rest.StartsWith("/*"))
            {
                at = text.IndexOf("*/", at + 2, StringComparison.Ordinal) is >= 0 and var end ? end + 2 : text.Length;
            }
            else if (text[at] == '#' || rest.StartsWith("--"))
            {
                at = text.IndexOf('\n', at) is >= 0 and var end ? end + 1 : text.Length;
            }
            else if (char.IsWhiteSpace(text[at]))
            {
                at++;
            }
            else
            {
                var end = at + 1;
                while (IsLetter(text[at]) && end < text.Length && IsLetter(text[end]))
                {
                    end++;
                }

                yield return (text[at..end].ToUpperInvariant(), version, isMariaDb);
                at = end;
            }
        }

        static bool IsLetter(char sign) => char.IsLetterOrDigit(sign) || sign is '_' or '$';
    }
}
