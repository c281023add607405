namespace BulkLoad.Core.Facts;

/// <summary>Whether a database is one whose tables may be emptied: its name says that it is for tests, or the user names it.
/// Pure.</summary>
internal static class DatabaseGuard
{
    private static readonly string[] Words = ["test", "ci", "dev", "local", "seed"];

    /// <summary>Why it is none, for people; null: it is one.</summary>
    /// <param name="allowed">the one that the user has named; null: none</param>
    public static string? FindObstacle(string option, string database, string? allowed) =>
        database == allowed || WordsOf(database).Any(word => Words.Contains(word, StringComparer.OrdinalIgnoreCase)) ? null
            : allowed is not null ? $"{option}: --allow-database names {allowed}, and the table is in {database}: nothing was done"
            : $"{option}: no word of the database's name, {database}, is {string.Join(", ", Words[..^1])} or {Words[^1]}: " +
                $"--allow-database {database} allows its tables to be emptied";

    /// <summary>Split at <c>_ - .</c>, at digits, and where a capital letter follows a small one, or precedes one behind others.</summary>
    private static IEnumerable<string> WordsOf(string name)
    {
        var start = 0;
        for (var i = 0; i <= name.Length; i++)
        {
            if (i == name.Length || name[i] is '_' or '-' or '.' || char.IsDigit(name[i]))
            {
                yield return name[start..i];
                start = i + 1;
            }
            else if (i > start && char.IsUpper(name[i])
                && (char.IsLower(name[i - 1]) || (i + 1 < name.Length && char.IsLower(name[i + 1]))))
            {
                yield return name[start..i];
                start = i;
            }
        }
    }
}
