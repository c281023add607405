namespace BulkLoad.Core.Common;

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

    /// <summary>Single-letter edits between two words, a swap of neighbours being one (optimal string alignment).</summary>
    private static int Distance(string a, string b)
    {
        var before = new int[b.Length + 1];
        var former = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 0; i < a.Length; i++)
        {
            var current = new int[b.Length + 1];
            current[0] = i + 1;
            for (var j = 1; j <= b.Length; j++)
            {
                current[j] = Math.Min(Math.Min(current[j - 1], former[j]) + 1, former[j - 1] + (a[i] == b[j - 1] ? 0 : 1));
                if (i > 0 && j > 1 && a[i] == b[j - 2] && a[i - 1] == b[j - 1])
                {
                    current[j] = Math.Min(current[j], before[j - 2] + 1);
                }
            }

            (before, former) = (former, current);
        }

        return former[b.Length];
    }
}

/// <summary>Nouns behind numbers, in texts for people.</summary>
public static class Plural
{
    /// <summary>The one that goes with the number.</summary>
    /// <param name="number">0 or more</param>
    /// <param name="one">of exactly one</param>
    /// <param name="many">of all others; null: with an s</param>
    public static string For(long number, string one, string? many = null) => number == 1 ? one : many ?? $"{one}s";

    /// <summary>Such as <c>1 record</c> and <c>2,000 records</c>.</summary>
    /// <inheritdoc cref="For"/>
    public static string Count(long number, string one, string? many = null) => $"{number:N0} {For(number, one, many)}";

    /// <summary>Such as <c>the first record</c> and <c>the first 2,000 records</c>.</summary>
    /// <inheritdoc cref="For"/>
    public static string First(long number, string one) => number == 1 ? $"the first {one}" : $"the first {Count(number, one)}";

    /// <summary>Such as <c>the first record</c> and <c>3 of the first 4 records</c>; the verb goes by the part.</summary>
    public static string OfFirst(long part, long whole, string one) =>
        part == 1 && whole == 1 ? $"the first {one}" : $"{part:N0} of {First(whole, one)}";

    /// <summary>Such as <c>the one value</c> and <c>all 2,000 values</c>.</summary>
    /// <inheritdoc cref="For"/>
    public static string All(long number, string one) => number == 1 ? $"the one {one}" : $"all {Count(number, one)}";
}
