namespace BulkLoad.Core.Common;

/// <summary>Nouns behind numbers, in texts for people.</summary>
public static class Plural
{
    /// <summary>The one that goes with the number.</summary>
    /// <param name="number">0 or more</param>
    /// <param name="one">of exactly one</param>
    /// <param name="many">of all others; null: with an s</param>
    public static string For(long number, string one, string? many = null) => number == 1 ? one : many ?? $"{one}s";
}
