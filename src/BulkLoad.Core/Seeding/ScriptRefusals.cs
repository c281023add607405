namespace BulkLoad.Core.Seeding;

/// <summary>
/// Statements that no script may have. What stands in executable comments is read as each server could read it: each version that a comment
/// names decides anew which of them are text.
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
