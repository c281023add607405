namespace BulkLoad.Core.Common;

internal enum SqlTokenKind
{
    Text,

    /// <summary>A quote or a comment that is never closed, up to the end.</summary>
    Unclosed,

    /// <summary>With or without backticks; <see cref="SqlToken.Name"/> is without.</summary>
    Name,

    /// <summary>A user variable such as <c>@name</c>; <see cref="SqlToken.Name"/> has neither the sign nor quotes.</summary>
    Variable,

    /// <summary>Such as <c>@@name</c>.</summary>
    SystemVariable,

    Comment,

    /// <summary>The beginning of a comment that some servers execute, such as <c>/*!50003</c>. Its tokens follow.</summary>
    Executable,

    ExecutableEnd,

    Number,

    Sign,

    /// <summary>Ends a statement of a script.</summary>
    Delimiter,
}

/// <summary><paramref name="Name"/> is empty but for names and variables.</summary>
internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int End, string Name = "");

/// <summary>The quoting rules of sql_mode: where a text within quotes ends.</summary>
/// <param name="HasEscapes">whether a backslash removes the meaning of the character behind it</param>
/// <param name="QuotesNames">whether names are within double quotes, in which a backslash is an ordinary character</param>
internal readonly record struct SqlQuoting(bool HasEscapes, bool QuotesNames)
{
    /// <summary>The servers' default.</summary>
    public static SqlQuoting Default { get; } = new(HasEscapes: true, QuotesNames: false);

    /// <param name="modes">the value of <c>sql_mode</c>, or a text that contains its words</param>
    public static SqlQuoting Of(string modes) => new(
        !modes.Contains("NO_BACKSLASH_ESCAPES", StringComparison.OrdinalIgnoreCase),
        modes.Contains("ANSI", StringComparison.OrdinalIgnoreCase));

    public static bool MayChange(string statement) => statement.Contains("sql_mode", StringComparison.OrdinalIgnoreCase)
        || statement.StartsWith("EXECUTE", StringComparison.OrdinalIgnoreCase);

    /// <summary>The rules after a statement, as far as its text shows: a variable counts as the default mode.</summary>
    public SqlQuoting After(string statement) => statement.Contains("sql_mode", StringComparison.OrdinalIgnoreCase)
        && statement.TrimStart('/', '*', '!', ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9')
            .StartsWith("SET", StringComparison.OrdinalIgnoreCase) ? Of(statement) : this;

    /// <summary>Whether a backslash hides the character behind it within such quotes.</summary>
    public bool Escapes(char quote) => HasEscapes && quote != '`' && !(QuotesNames && quote == '"');
}

/// <summary>Splits SQL into tokens as both servers do (MySQL manual, "Language Structure"). White space separates tokens.</summary>
internal static class SqlTokens
{
    /// <summary>The tokens in a session without ANSI_QUOTES and NO_BACKSLASH_ESCAPES.</summary>
    public static IEnumerable<SqlToken> Of(string text)
    {
        for (var lexer = new SqlLexer(text); lexer.TryRead(out var token);)
        {
            yield return token;
        }
    }

    /// <summary>The tokens that a server reads, with the marks of comments that it executes.</summary>
    public static IEnumerable<SqlToken> ReadBy(string text, SqlDialect dialect, int? version = null)
    {
        var isRead = true;
        foreach (var token in Of(text))
        {
            if (token.Kind == SqlTokenKind.Executable)
            {
                isRead = SqlComment.TryRead(text, token.Start)!.Value.IsExecuted(dialect, version);
            }

            if (isRead && token.Kind != SqlTokenKind.Comment)
            {
                yield return token;
            }

            isRead |= token.Kind == SqlTokenKind.ExecutableEnd;
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
}

internal sealed class SqlLexer(string text)
{
    /// <summary>The first line of a MariaDB dump begins so, only for its client.</summary>
    private const string Sandbox = "/*M!999999\\-";

    private bool _isExecutable;

    /// <summary>Where the next token is looked for.</summary>
    public int At { get; set; }

    /// <summary>Holds for the text that is not read yet.</summary>
    public SqlQuoting Quoting { get; set; } = SqlQuoting.Default;

    /// <summary>Of a script: it is found outside of quotes and plain comments, even within a word, as <c>\g</c> and <c>\G</c> are. Null:
    /// the text is one statement.</summary>
    public string? Delimiter { get; set; }

    public bool TryRead(out SqlToken token)
    {
        while (At < text.Length && char.IsWhiteSpace(text[At]))
        {
            At++;
        }

        token = At < text.Length ? Read(At) : default;
        (var found, At) = (At < text.Length, Math.Max(At, token.End));
        return found;
    }

    private SqlToken Read(int at)
    {
        var next = at + 1 < text.Length ? text[at + 1] : '\0';
        switch (text[at])
        {
            case var _ when IsDelimiter(at):
                _isExecutable = false;
                return new SqlToken(SqlTokenKind.Delimiter, at, at + Delimiter!.Length);
            case '\\' when Delimiter is not null && next is 'g' or 'G':
                _isExecutable = false;
                return new SqlToken(SqlTokenKind.Delimiter, at, at + 2);
            case '\'' or '"':
                return Quoted(at, at, SqlTokenKind.Text);
            case '`':
                return Quoted(at, at, SqlTokenKind.Name);
            case '#':
            case '-' when next == '-' && (at + 2 == text.Length || char.IsWhiteSpace(text[at + 2]) || char.IsControl(text[at + 2])):
                return new SqlToken(SqlTokenKind.Comment, at, text.IndexOf('\n', at) is >= 0 and var line ? line + 1 : text.Length);
            case '/' when next == '*':
                return Comment(at);
            case '*' when next == '/' && _isExecutable:
                _isExecutable = false;
                return new SqlToken(SqlTokenKind.ExecutableEnd, at, at + 2);
            case '@' when next == '@':
                return new SqlToken(SqlTokenKind.SystemVariable, at, EndOfName(at + 2, withDots: true));
            case '@' when next is '\'' or '"' or '`':
                return Quoted(at, at + 1, SqlTokenKind.Variable);
            case '@':
                var variable = EndOfName(at + 1, withDots: true);
                return new SqlToken(SqlTokenKind.Variable, at, variable, text[(at + 1)..variable]);
            case >= '0' and <= '9':
                return new SqlToken(SqlTokenKind.Number, at, EndOfName(at, withDots: true));
            case var letter when IsInName(letter):
                var name = EndOfName(at, withDots: false);
                return new SqlToken(SqlTokenKind.Name, at, name, text[at..name]);
            default:
                return new SqlToken(SqlTokenKind.Sign, at, at + 1);
        }
    }

    private SqlToken Comment(int at)
    {
        if (SqlComment.TryRead(text, at) is { } executable && string.CompareOrdinal(text, at, Sandbox, 0, Sandbox.Length) != 0)
        {
            _isExecutable = true;
            return new SqlToken(SqlTokenKind.Executable, at, executable.End);
        }

        return text.IndexOf("*/", at + 2, StringComparison.Ordinal) is >= 0 and var end
            ? new SqlToken(SqlTokenKind.Comment, at, end + 2)
            : new SqlToken(SqlTokenKind.Unclosed, at, text.Length);
    }

    private SqlToken Quoted(int start, int quote, SqlTokenKind kind)
    {
        var sign = text[quote];
        for (var i = quote + 1; i < text.Length; i++)
        {
            if (text[i] == '\\' && Quoting.Escapes(sign))
            {
                i++;
            }
            else if (text[i] == sign)
            {
                if (i + 1 == text.Length || text[i + 1] != sign)
                {
                    return new SqlToken(kind, start, i + 1, kind == SqlTokenKind.Text ? "" : text[(quote + 1)..i].Replace(
                        new string(sign, 2), sign.ToString(), StringComparison.Ordinal));
                }

                i++;
            }
        }

        return new SqlToken(SqlTokenKind.Unclosed, quote, text.Length);
    }

    private int EndOfName(int at, bool withDots)
    {
        while (at < text.Length && (IsInName(text[at]) || (withDots && text[at] == '.')) && !IsDelimiter(at))
        {
            at++;
        }

        return at;
    }

    private bool IsDelimiter(int at) => Delimiter is not null && text[at] == Delimiter[0]
        && string.CompareOrdinal(text, at, Delimiter, 0, Delimiter.Length) == 0;

    private static bool IsInName(char letter) => char.IsLetterOrDigit(letter) || letter is '_' or '$' || letter >= '\u0080';
}

/// <summary>A comment that some servers execute (MySQL manual, "Comments"; MariaDB's documentation, "Comment Syntax").</summary>
/// <param name="Version">the first version that executes it; 0: each</param>
/// <param name="IsMariaDb">whether only MariaDB executes it</param>
/// <param name="End">of the mark</param>
internal readonly record struct SqlComment(int Version, bool IsMariaDb, int End)
{
    /// <summary>MariaDB ignores comments with these versions: they are MySQL's.</summary>
    private const int FirstOfMySqlAlone = 50_700, LastOfMySqlAlone = 99_999;

    /// <summary>No server executes comments with later versions.</summary>
    private const int LastOfMySql = 99_998, LastOfMariaDb = 999_998;

    /// <summary>Null: no such comment begins here.</summary>
    public static SqlComment? TryRead(string text, int at)
    {
        var isMariaDb = text.AsSpan(at).StartsWith("/*M!");
        if (!isMariaDb && !text.AsSpan(at).StartsWith("/*!"))
        {
            return null;
        }

        var mark = at + (isMariaDb ? 4 : 3);
        var end = mark;
        while (end < text.Length && end < mark + 6 && char.IsAsciiDigit(text[end]))
        {
            end++;
        }

        // Five or six digits are a version; fewer are text.
        return end - mark >= 5
            ? new SqlComment(int.Parse(text.AsSpan(mark, end - mark), CultureInfo.InvariantCulture), isMariaDb, end)
            : new SqlComment(0, isMariaDb, mark);
    }

    /// <param name="version">of the server; null: the newest</param>
    public bool IsExecuted(SqlDialect dialect, int? version = null) => dialect == SqlDialect.MariaDb
        ? Version <= (version ?? LastOfMariaDb) && (IsMariaDb || Version is < FirstOfMySqlAlone or > LastOfMySqlAlone)
        : Version <= (version ?? LastOfMySql) && !IsMariaDb;
}
