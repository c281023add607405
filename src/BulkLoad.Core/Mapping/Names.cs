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

    /// <summary>Single-letter edits between two words (Levenshtein).</summary>
    private static int Distance(string a, string b)
    {
        var former = Enumerable.Range(0, b.Length + 1).ToArray();
        foreach (var letter in a)
        {
            var current = new int[b.Length + 1];
            current[0] = former[0] + 1;
            for (var j = 1; j <= b.Length; j++)
            {
                current[j] = Math.Min(Math.Min(current[j - 1], former[j]) + 1, former[j - 1] + (letter == b[j - 1] ? 0 : 1));
            }

            former = current;
        }

        return former[b.Length];
    }
}
