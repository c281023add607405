namespace BulkLoad.Core.Values;

/// <summary>Fractions of a second behind a point.</summary>
internal static class FractionText
{
    /// <summary>One more than the finest column has, so that it tells where to round.</summary>
    private const int MostDigits = 7;

    private static readonly long[] TicksPerUnit = [10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];

    /// <summary>Takes the point and the digits behind it off the text.</summary>
    /// <param name="text">starts with the point; afterwards what follows the digits</param>
    /// <param name="ticks">the first seven digits, as .NET's ticks</param>
    /// <param name="digits">digits that matter: trailing zeros do not; 7 or more are beyond every column type</param>
    public static bool TryTake(ref ReadOnlySpan<byte> text, out int ticks, out int digits)
    {
        var rest = text[1..];
        var length = rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        var fraction = length < 0 ? rest : rest[..length];
        text = rest[fraction.Length..];
        var significant = fraction.TrimEnd((byte)'0');
        digits = significant.Length;
        ticks = 0;
        for (var i = 0; i < MostDigits; i++)
        {
            ticks = (ticks * 10) + (i < significant.Length ? significant[i] - '0' : 0);
        }

        return !fraction.IsEmpty;
    }

    /// <summary>The nearest time of so many digits, the later one from the middle.</summary>
    /// <param name="ticks">not negative; from <see cref="TryTake"/> or a whole time with it</param>
    /// <param name="digits">0 to 6</param>
    public static long Round(long ticks, int digits)
    {
        var unit = TicksPerUnit[digits];
        return (ticks + (unit / 2)) / unit * unit;
    }
}
