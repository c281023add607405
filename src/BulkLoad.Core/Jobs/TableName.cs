using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Jobs;

/// <param name="Database">null: the connection's default</param>
internal sealed record TableName(string? Database, string Table)
{
    /// <summary>Reads <c>table</c> or <c>database.table</c>, either in backticks; else takes the first file's base name.</summary>
    public static TableName Of(LoadRequest request, string firstFile)
    {
        if (request.Table is not { } text)
        {
            RequestException.ThrowIf(
                IsDescriptor(firstFile), $"{firstFile}: is a pipe, which has no name to take the table's from: add --table");
            return new TableName(null, BaseName(firstFile));
        }

        return Parse(text);
    }

    /// <exception cref="RequestException">no table is given, and the inputs name different ones</exception>
    public static void RequireOne(LoadRequest request, IReadOnlyList<string> files)
    {
        if (request.Table is null && files.FirstOrDefault(file => BaseName(file) != BaseName(files[0])) is { } other)
        {
            throw new RequestException($"{Path.GetFileName(files[0])} and {Path.GetFileName(other)} name different tables: say --table, "
                + "or use 'bulkload seed' for a folder with a file for each table");
        }
    }

    /// <summary>Reads <c>table</c> or <c>database.table</c>, either in backticks.</summary>
    public static TableName Parse(string text) => Split(text) switch
    {
        [var table] => new TableName(null, table),
        [var database, var name] => new TableName(database, name),
        _ => throw new RequestException($"--table '{text}': is not a table name; write table, database.table, or `odd.name` in backticks"),
    };

    /// <summary>A shell writes such a path for <c>&lt;(...)</c>.</summary>
    private static bool IsDescriptor(string path) =>
        path.StartsWith("/dev/", StringComparison.Ordinal) || (path.StartsWith("/proc/", StringComparison.Ordinal)
            && path.Contains("/fd/", StringComparison.Ordinal));

    private static string BaseName(string path)
    {
        var name = CompressionFormat.Unpacked(Path.GetFileName(path));
        return name.IndexOf('.') is > 0 and var dot ? name[..dot] : name;
    }

    private static List<string> Split(string text)
    {
        var parts = new List<string>();
        for (var i = 0; i < text.Length || parts.Count == 0; i++)
        {
            var isQuoted = i < text.Length && text[i] == '`';
            var end = isQuoted ? EndOfQuoted(text, i) : text.IndexOf('.', i);
            end = end < 0 ? text.Length : end;
            parts.Add(isQuoted ? text[(i + 1)..(end - 1)].Replace("``", "`", StringComparison.Ordinal) : text[i..end]);
            if (end < text.Length && text[end] != '.')
            {
                return [];
            }

            i = end;
        }

        return parts.Any(part => part.Length == 0) || text.EndsWith('.') ? [] : parts;
    }

    private static int EndOfQuoted(string text, int start)
    {
        for (var i = start + 1; i < text.Length; i++)
        {
            if (text[i] == '`' && (i + 1 == text.Length || text[i + 1] != '`'))
            {
                return i + 1;
            }

            i += text[i] == '`' ? 1 : 0;
        }

        throw new RequestException($"--table '{text}': a backtick is not closed");
    }
}
