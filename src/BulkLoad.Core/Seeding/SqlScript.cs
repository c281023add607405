using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

/// <summary>A statement of a script.</summary>
/// <param name="Text">without the delimiter, and without comments before it</param>
/// <param name="Line">on which it begins, from 1</param>
public readonly record struct ScriptStatement(string Text, int Line);

/// <summary>
/// A file of SQL, split into statements as the servers' own clients do (MySQL manual, "mysql Client Commands"; MariaDB, "mariadb Command-Line
/// Client"). Of the clients' commands only DELIMITER, <c>\g</c> and <c>\G</c> are known. What leads out of the database is refused, and so is
/// what reads files.
/// </summary>
public sealed class SqlScript
{
    private readonly string _name;

    private SqlScript(string name, IReadOnlyList<ScriptStatement> statements)
    {
        _name = name;
        Statements = statements;
    }

    /// <summary>In the order of the file.</summary>
    public IReadOnlyList<ScriptStatement> Statements { get; }

    /// <summary>Reads a file.</summary>
    /// <param name="path">of the file: UTF-8, with a byte order mark or without</param>
    /// <exception cref="InputException">the file cannot be read, or is no UTF-8</exception>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it stands</exception>
    public static async Task<SqlScript> ReadAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            var bytes = await File.ReadAllBytesAsync(path, cancellationToken);
            return Parse(new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true).GetString(bytes), path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{path} cannot be read: {fault.Message}", fault);
        }
        catch (DecoderFallbackException fault)
        {
            throw new InputException($"{path} is not UTF-8: write it again in UTF-8, and bytes in it as x'...' (--hex-blob of the dump programs)", fault);
        }
    }

    /// <summary>Splits a text.</summary>
    /// <param name="text">of the script</param>
    /// <param name="name">of the file, for messages</param>
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it stands</exception>
    public static SqlScript Parse(string text, string name)
    {
        var statements = new ScriptReader(text, name).Read();
        foreach (var statement in statements)
        {
            if (ScriptRefusals.Find(statement.Text) is { } refused)
            {
                throw new PlanException($"{name}:{statement.Line}: {refused}");
            }
        }

        return new SqlScript(name, statements);
    }

    /// <summary>Runs the statements, one after the other.</summary>
    /// <param name="session">for nothing else: it keeps what the script sets</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="PlanException">the server refuses a statement; the message says where it stands, and what the server says</exception>
    /// <exception cref="ServerException">the server could not run one, and may be able to later</exception>
    internal async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        foreach (var (text, line) in Statements)
        {
            try
            {
                await session.QueryAsync(text, cancellationToken);
            }
            catch (ServerException fault)
            {
                var message = $"{_name}:{line}: the server refuses the statement: {fault.Message}; the statements before it have run";
                throw fault.EndsTransaction || fault.Kind == FaultKind.Protocol ? new ServerException($"{_name}:{line}: {fault.Message}", fault) : new PlanException(message, fault);
            }
        }
    }
}
