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
    /// <exception cref="PlanException">a statement is one that is refused; the message says where it stands</exception>
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
    /// <exception cref="PlanException">the server refuses a statement; the message says where it stands, and what the server
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
