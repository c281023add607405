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

    /// <param name="isFirst">whether it is the first of its table</param>
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
