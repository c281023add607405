namespace BulkLoad.Core.Facts;

/// <summary>By its name, whether a column of whole numbers, none of which is there twice, may be the key. Pure.</summary>
internal static class KeyNames
{
    /// <summary>As a name, or as its first or last word.</summary>
    private static readonly HashSet<string> Keys = new(StringComparer.OrdinalIgnoreCase)
    {
        "id", "ids", "key", "pk", "code", "no", "nr", "num", "number", "sku", "uuid", "guid", "email", "isbn", "ean", "gtin", "ref",
        "serial",
    };

    /// <summary>What is counted or measured may be different in every record by chance.</summary>
    private static readonly HashSet<string> Amounts = new(StringComparer.OrdinalIgnoreCase)
    {
        "qty", "quantity", "price", "cost", "amount", "total", "sum", "count", "size", "weight", "age", "year", "score", "balance",
        "revenue",
        "value", "rate", "length", "height", "width", "of", "time", "date", "timestamp",
    };

    public static bool IsLikely(string name, bool isFirst)
    {
        var words = Words(name);
        return words.Count > 0 && !words.Exists(Amounts.Contains) && (isFirst || Keys.Contains(words[0]) || Keys.Contains(words[^1]));
    }

    /// <summary>Parts between other signs than letters and digits, and before a capital behind a small letter.</summary>
    private static List<string> Words(string name)
    {
        List<string> words = [];
        var start = 0;
        for (var i = 0; i <= name.Length; i++)
        {
            var ends = i == name.Length || !char.IsLetterOrDigit(name[i]);
            if ((ends || (char.IsUpper(name[i]) && i > 0 && char.IsLower(name[i - 1]))) && i > start)
            {
                words.Add(name[start..i]);
                start = i;
            }

            start = ends ? i + 1 : start;
        }

        return words;
    }
}

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
