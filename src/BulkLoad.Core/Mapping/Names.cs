namespace BulkLoad.Core.Mapping;

/// <summary>Names that were nearly right.</summary>
internal static class Names
{
    /// <summary><c>; did you mean 'x'?</c> or nothing.</summary>
    public static string DidYouMean(string name, IEnumerable<string> known)
    {
        var nearest = known.Select(candidate => (candidate, Distance: Distance(name.ToUpperInvariant(), candidate.ToUpperInvariant())))
            .Where(pair => pair.Distance < name.Length && pair.Distance <= Math.Max(1, name.Length / 3))
            .OrderBy(pair => pair.Distance)
            .Select(pair => pair.candidate)
            .FirstOrDefault();
        return nearest is null ? "" : $"; did you mean '{nearest}'?";
    }

    /// <summary>Single-letter edits and swaps of neighbours between two words (Damerau and Levenshtein, restricted).</summary>
    private static int Distance(string a, string b)
    {
        var beforeFormer = Array.Empty<int>();
        var former = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 1; i <= a.Length; i++)
        {
            var current = new int[b.Length + 1];
            current[0] = i;
            for (var j = 1; j <= b.Length; j++)
            {
                current[j] = Math.Min(Math.Min(current[j - 1], former[j]) + 1, former[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                {
                    current[j] = Math.Min(current[j], beforeFormer[j - 2] + 1);
                }
            }

            (beforeFormer, former) = (former, current);
        }

        return former[b.Length];
    }
}
