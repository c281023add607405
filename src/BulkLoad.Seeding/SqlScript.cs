using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>A file of SQL, split into statements as the servers' own clients do (MySQL manual, "mysql Client Commands"; MariaDB, "mariadb
/// Command-Line Client"). Of the clients' commands only DELIMITER, <c>\g</c> and <c>\G</c> are known. Statements that leave the database or
/// read files are refused. A statement's text has no delimiter and no comments before it; its line is the one on which it begins, from
/// 1.</summary>
internal static class SqlScript
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <param name="path">UTF-8, with or without a byte order mark</param>
    /// <exception cref="InputException">the file cannot be read, or is no UTF-8</exception>
    /// <exception cref="PlanException">a statement is refused; the message says where it is</exception>
    public static IReadOnlyList<(string Text, int Line)> Read(string path) => Parse(ReadText(path), path);

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

    /// <summary>Splits a text without a server: settings that change the lexing are taken from the text's own statements.</summary>
    /// <param name="path">for messages</param>
    /// <exception cref="PlanException">a statement is refused; the message says where it is</exception>
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

    /// <summary>Runs a script, and splits it by the settings that the session has at each statement.</summary>
    /// <param name="session">for this script only: it keeps settings of the script, such as <c>foreign_key_checks=0</c></param>
    /// <param name="path">for messages</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="PlanException">the server or this program refuses a statement; the message says where it is, and why</exception>
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
                if (SqlQuoting.MayChange(statement.Text))
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

    private static async Task<SqlQuoting> AskAsync(IServerSession session, CancellationToken cancellationToken) =>
        SqlQuoting.Of((await session.QueryAsync(SessionSql.Mode, cancellationToken)).Scalar ?? "");

    private static void Require((string Text, int Line) statement, string path)
    {
        if (ScriptRefusals.Find(statement.Text) is { } refused)
        {
            throw new PlanException($"{path}:{statement.Line}: {refused}");
        }
    }
}

/// <summary>Finds where statements end. The rules are those of the servers' clients (<c>add_line</c> of their source): the delimiter counts
/// outside of quotes and of plain comments, and within executable ones.</summary>
/// <param name="name">of the file, for messages</param>
internal sealed class ScriptReader(string text, string name)
{
    private const string Command = "delimiter";

    private readonly SqlLexer _lexer = new(text) { At = text.StartsWith('\uFEFF') ? 1 : 0, Delimiter = ";" };
    private int _line = 1;
    private int _counted;

    /// <summary>Holds for the text that is not read yet.</summary>
    public SqlQuoting Quoting
    {
        get => _lexer.Quoting;
        set => _lexer.Quoting = value;
    }

    /// <summary>The next statement; comments alone are none. Null: there is no other.</summary>
    /// <exception cref="PlanException">an unknown command of a client, or a comment without an end; the message says where it
    /// is</exception>
    public (string Text, int Line)? Next()
    {
        var (start, startLine) = (-1, 0);
        while (_lexer.TryRead(out var token))
        {
            var rest = text.AsSpan(token.Start);
            if (token.Kind == SqlTokenKind.Delimiter)
            {
                if (start >= 0)
                {
                    return (text[start..token.Start].Trim(), startLine);
                }
            }
            else if (rest[0] == '\\')
            {
                throw UnknownCommand(rest.Length > 1 ? rest[1] : ' ', LineAt(token.Start));
            }
            else if (token.Kind == SqlTokenKind.Unclosed && rest[0] == '/')
            {
                throw new PlanException($"{name}:{LineAt(token.Start)}: a comment begins here and has no end: nothing behind it would be "
                    + "read; add */");
            }
            else if (start >= 0)
            {
                continue;
            }
            else if (token.Kind == SqlTokenKind.Name && token.Name.Equals(Command, StringComparison.OrdinalIgnoreCase)
                && (rest.Length == Command.Length || char.IsWhiteSpace(rest[Command.Length])))
            {
                ReadDelimiter(token.End);
            }
            else if (rest.StartsWith("--"))
            {
                // At the start of a statement, two hyphens begin a comment even without a blank behind them.
                _lexer.At = EndOfLine(token.Start);
            }
            else if (token.Kind != SqlTokenKind.Comment || rest.StartsWith("/*+"))
            {
                (start, startLine) = (token.Start, LineAt(token.Start));
            }
        }

        return start < 0 ? null : (text[start..].Trim(), startLine);
    }

    private PlanException UnknownCommand(char letter, int line) => new(letter == '.'
        ? $"{name}:{line}: \\. (SOURCE) would read another file: put its statements here, or run it with the server's own client"
        : $"{name}:{line}: \\{letter} is a command of the server's client, which is not known here: take it out");

    /// <summary>Reads the delimiter: a word, or a text in quotes.</summary>
    private void ReadDelimiter(int at)
    {
        var end = EndOfLine(at);
        var rest = text[at..end].Trim();
        var quoted = rest.Length > 0 && rest[0] is '\'' or '"' or '`' ? rest.IndexOf(rest[0], 1) : -1;
        var word = quoted > 0 ? rest[1..quoted] : rest.Split((char[]?)null, 2)[0];
        if (word.Length == 0 || word.Contains('\\', StringComparison.Ordinal))
        {
            throw new PlanException($"{name}:{LineAt(at)}: DELIMITER must be followed by a word without backslashes, such as DELIMITER //");
        }

        (_lexer.Delimiter, _lexer.At) = (word, end);
    }

    private int EndOfLine(int at) => text.IndexOf('\n', at) is >= 0 and var end ? end : text.Length;

    /// <summary>Counts on from the last place that was asked for.</summary>
    private int LineAt(int at)
    {
        _line += text.AsSpan(_counted, at - _counted).Count('\n');
        _counted = at;
        return _line;
    }
}

/// <summary>Statements that no script may have. Text in executable comments is read as each server could read it: each version that a
/// comment names decides again which comments are text.</summary>
internal static class ScriptRefusals
{
    /// <summary>Number of words that are enough to classify a statement.</summary>
    private const int ClassifyingWords = 4;

    /// <summary>Why a statement is refused; null: it is not.</summary>
    public static string? Find(string statement) => SqlTokens.Of(statement).Where(token => token.Kind == SqlTokenKind.Executable)
        .Select(token => SqlComment.TryRead(statement, token.Start)!.Value.Version).Prepend(0).Distinct().Order()
        .SelectMany(version => new[] { Words(statement, SqlDialect.MySql, version), Words(statement, SqlDialect.MariaDb, version) })
        .Select(Judge).FirstOrDefault(refusal => refusal is not null);

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

    /// <summary>The first words that a server of that version sees, in capitals.</summary>
    private static string[] Words(string statement, SqlDialect dialect, int version) =>
    [
        .. SqlTokens.ReadBy(statement, dialect, version)
            .Where(token => token.Kind is not (SqlTokenKind.Executable or SqlTokenKind.ExecutableEnd))
            .Take(ClassifyingWords).Select(token => statement[token.Start..token.End].ToUpperInvariant()),
    ];
}
