namespace BulkLoad.Core.Common;

internal static class Suggestions
{
    /// <summary><c>; similar: --threads, ...</c>, or empty.</summary>
    public static string Hint(string word, IEnumerable<string> known)
    {
        var near = Nearest(word, known);
        return near.Count == 0 ? "" : $"; similar: {string.Join(", ", near)}";
    }

    public static IReadOnlyList<string> Nearest(string word, IEnumerable<string> known) =>
    [
        .. known.Select(name => (Name: name, Distance: Distance(word, name)))
            .Where(near => near.Distance <= Math.Max(1, Math.Min(3, near.Name.Length / 3))
                || (word.Length > 4 && near.Name.StartsWith(word, StringComparison.OrdinalIgnoreCase)))
            .OrderBy(near => near.Distance)
            .Select(near => near.Name)
            .Take(3),
    ];

    /// <summary>The Damerau-Levenshtein distance, restricted: letters to insert, delete, change or swap with their neighbour.</summary>
    private static int Distance(string left, string right)
    {
        var cost = new int[left.Length + 1, right.Length + 1];
        for (var i = 0; i <= left.Length; i++)
        {
            for (var j = 0; j <= right.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    cost[i, j] = i + j;
                    continue;
                }

                var change = Same(left[i - 1], right[j - 1]) ? 0 : 1;
                cost[i, j] = Math.Min(Math.Min(cost[i - 1, j], cost[i, j - 1]) + 1, cost[i - 1, j - 1] + change);
                if (i > 1 && j > 1 && Same(left[i - 1], right[j - 2]) && Same(left[i - 2], right[j - 1]))
                {
                    cost[i, j] = Math.Min(cost[i, j], cost[i - 2, j - 2] + 1);
                }
            }
        }

        return cost[left.Length, right.Length];
    }

    private static bool Same(char left, char right) => char.ToLowerInvariant(left) == char.ToLowerInvariant(right);
}
