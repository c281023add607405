namespace BulkLoad.Core.Facts;

/// <summary>Decides by its name whether a column of whole numbers without duplicates may be the key. Pure.</summary>
internal static class KeyNames
{
    /// <summary>Such a word is the name, or its first or last part.</summary>
    private static readonly HashSet<string> Keys = new(StringComparer.OrdinalIgnoreCase)
    {
        "id", "ids", "key", "pk", "code", "no", "nr", "num", "number", "sku", "uuid", "guid", "email", "isbn", "ean", "gtin", "ref",
        "serial",
    };

    /// <summary>Counts and measures may differ in all records by chance.</summary>
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

    /// <summary>Parts between signs that are neither letters nor digits, and before a capital letter that follows a small one.</summary>
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

/// <summary>Whether the tables of a database may be emptied: its name says that it is for tests, or the user names it. Pure.</summary>
internal static class DatabaseGuard
{
    private static readonly string[] Words = ["test", "ci", "dev", "local", "seed"];

    /// <param name="allowed">the database that the user has named; null: none</param>
    /// <returns>why its tables may not be emptied, for people; null: they may</returns>
    public static string? FindObstacle(string option, string database, string? allowed) =>
        database == allowed || WordsOf(database).Any(word => Words.Contains(word, StringComparer.OrdinalIgnoreCase)) ? null
            : allowed is not null ? $"{option}: --allow-database names {allowed}, and the table is in {database}: nothing was done"
            : $"{option}: no word of the database's name, {database}, is {string.Join(", ", Words[..^1])} or {Words[^1]}: " +
                $"--allow-database {database} allows its tables to be emptied";

    /// <summary>Split at <c>_ - .</c>, at digits, and at a capital letter that comes after or before a small one.</summary>
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
