using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

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

    /// <summary>Reads a file, and splits its text.</summary>
    /// <param name="path">of the file: UTF-8, with a byte order mark or without</param>
    /// <exception cref="InputException">the file cannot be read, or is no UTF-8</exception>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it is</exception>
    public static IReadOnlyList<(string Text, int Line)> Read(string path) => Parse(ReadText(path), path);

    /// <inheritdoc cref="Read" path="/param"/>
    /// <exception cref="InputException">the file cannot be read, or is no UTF-8</exception>
    public static string ReadText(string path)
    {
        try
        {
            return Strict.GetString(File.ReadAllBytes(path));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{path} cannot be read: {FileFault.Describe(fault, path)}", fault);
        }
        catch (DecoderFallbackException fault)
        {
            throw new InputException(
                $"{path} is not UTF-8: write it again in UTF-8, and bytes in it as x'...' (--hex-blob of the dump programs)", fault);
        }
    }

    /// <summary>Splits a text without a server: what a statement sets for the text behind it is taken from its words.</summary>
    /// <param name="text">of the script</param>
    /// <param name="path">of the file, for messages</param>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it is</exception>
    public static IReadOnlyList<(string Text, int Line)> Parse(string text, string path)
    {
        var reader = new ScriptReader(text, path);
        var statements = new List<(string Text, int Line)>();
        while (reader.Next() is { } statement)
        {
            statements.Add(statement);
            Require(statement, path);
            reader.Quoting = reader.Quoting.After(statement.Text);
        }

        return statements;
    }

    /// <summary>Runs a script, and splits it meanwhile by what the session has set.</summary>
    /// <param name="session">for nothing else: it keeps what the script sets, such as <c>foreign_key_checks=0</c></param>
    /// <param name="path">of the file, for messages</param>
    /// <param name="text">of the script</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="PlanException">a statement is refused, by the server or here; the message says where it is, and why</exception>
    /// <exception cref="ServerException">the server could not run one, and may be able to later</exception>
    /// <returns>number of statements</returns>
    public static async Task<int> RunAsync(IServerSession session, string path, string text, CancellationToken cancellationToken)
    {
        var reader = new ScriptReader(text, path) { Quoting = await AskAsync(session, cancellationToken) };
        var count = 0;
        for (; reader.Next() is { } statement; count++)
        {
            Require(statement, path);
            try
            {
                await session.QueryAsync(statement.Text, cancellationToken);
                if (ScriptQuoting.MayChange(statement.Text))
                {
                    reader.Quoting = await AskAsync(session, cancellationToken);
                }
            }
            catch (ServerException fault)
            {
                throw fault.EndsTransaction || fault.Kind == FaultKind.Protocol
                    ? new ServerException($"{path}:{statement.Line}: {fault.Message}; the statements before it have run", fault)
                    : new PlanException(
                        $"{path}:{statement.Line}: the server refuses the statement: {fault.Message}; the statements before it have run",
                        fault);
            }
        }

        return count;
    }

    private static async Task<ScriptQuoting> AskAsync(IServerSession session, CancellationToken cancellationToken) =>
        ScriptQuoting.Of((await session.QueryAsync(SessionSql.Mode, cancellationToken)).Scalar ?? "");

    private static void Require((string Text, int Line) statement, string path)
    {
        if (ScriptRefusals.Find(statement.Text) is { } refused)
        {
            throw new PlanException($"{path}:{statement.Line}: {refused}");
        }
    }
}

/// <summary>What sql_mode says of quotes: where a text within quotes ends.</summary>
/// <param name="HasEscapes">whether a backslash takes the meaning of the sign behind it</param>
/// <param name="QuotesNames">whether names are within double quotes, in which a backslash is a sign like others</param>
internal readonly record struct ScriptQuoting(bool HasEscapes, bool QuotesNames)
{
    /// <summary>As servers come.</summary>
    public static ScriptQuoting Usual { get; } = new(HasEscapes: true, QuotesNames: false);

    /// <param name="modes">the value of <c>sql_mode</c>, or a text that has its words</param>
    public static ScriptQuoting Of(string modes) => new(
        !modes.Contains("NO_BACKSLASH_ESCAPES", StringComparison.OrdinalIgnoreCase),
        modes.Contains("ANSI", StringComparison.OrdinalIgnoreCase));

    /// <summary>Whether a statement can have changed it.</summary>
    public static bool MayChange(string statement) => statement.Contains("sql_mode", StringComparison.OrdinalIgnoreCase)
        || statement.StartsWith("EXECUTE", StringComparison.OrdinalIgnoreCase);

    /// <summary>What it is behind a statement, as far as its words tell: a variable is taken for one that keeps the usual mode.</summary>
    public ScriptQuoting After(string statement) => statement.Contains("sql_mode", StringComparison.OrdinalIgnoreCase)
        && statement.TrimStart('/', '*', '!', ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9')
            .StartsWith("SET", StringComparison.OrdinalIgnoreCase) ? Of(statement) : this;

    /// <summary>Whether a backslash hides the sign behind it, within such quotes.</summary>
    public bool Escapes(char quote) => HasEscapes && quote != '`' && !(QuotesNames && quote == '"');
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

    private (string Text, int Line)? _found;
    private string _delimiter = ";";
    private int _at = text.StartsWith('\uFEFF') ? 1 : 0;
    private int _line = 1;

    /// <summary>Where the statement begins; -1: nothing of it has come.</summary>
    private int _start = -1;
    private int _startLine;
    private bool _isExecutable;
    private bool _isHint;

    /// <summary>Holds for what has not been read yet.</summary>
    public ScriptQuoting Quoting { get; set; } = ScriptQuoting.Usual;

    /// <summary>The next statement; what is nothing but comments is none. Null: there is no other.</summary>
    /// <exception cref="PlanException">a client's command that is not known here, or a comment without an end; the message says where it
    /// is</exception>
    public (string Text, int Line)? Next()
    {
        _found = null;
        while (_at < text.Length && _found is null)
        {
            Step();
        }

        if (_found is null)
        {
            End(text.Length);
        }

        return _found;
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
            PassTo(text.IndexOf("*/", _at + 2, StringComparison.Ordinal) is >= 0 and var end ? end + 2 : throw new PlanException(
                $"{name}:{_line}: a comment begins here and has no end: nothing behind it would be read; add */"));
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
            _found = (statement, _startLine);
        }

        (_start, _isExecutable, _isHint) = (-1, false, false);
    }

    private void PassQuoted(char quote)
    {
        var end = _at + 1;
        while (end < text.Length && text[end] != quote)
        {
            end += text[end] == '\\' && Quoting.Escapes(quote) ? 2 : 1;
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
    /// <summary>Number of words that are enough to classify a statement.</summary>
    private const int ClassifyingWords = 4;

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
            .Select(token => token.Word).Where(word => word.Length > 0).Take(ClassifyingWords),
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
