namespace BulkLoad.Core.Sql;

/// <summary>
/// The comment by which an administrator tells in the process list whose a statement is (MySQL manual, "Comments"). It stands behind the
/// first word, since the list shows the beginning of a statement, and begins with a blank, since a server runs what stands in <c>/*!</c>.
/// </summary>
internal static class JobTag
{
    private const int MostCharacters = 64;

    /// <param name="job">its name in the ledger; whatever could end the comment is a question mark in it</param>
    public static string Of(string job) =>
        $"/* bulkload job {string.Concat(job.Take(MostCharacters).Select(sign => IsPlain(sign) ? sign : '?'))} */";

    private static bool IsPlain(char sign) => char.IsAsciiLetterOrDigit(sign) || sign is '-' or '_' or '.' or ':';

    /// <summary>A statement with a comment behind its first word.</summary>
    /// <param name="statement">or its beginning: a word, a blank, and more</param>
    /// <param name="tag">from <see cref="Of"/>; empty: none</param>
    public static string Into(string statement, string tag) =>
        tag.Length == 0 ? statement : statement.Insert(statement.IndexOf(' ', StringComparison.Ordinal), $" {tag}");
}
