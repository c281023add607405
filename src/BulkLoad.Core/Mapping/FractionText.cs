namespace BulkLoad.Core.Mapping;

/// <summary>Fractions of a second behind a point.</summary>
internal static class FractionText
{
    /// <summary>Takes the point and the digits behind it off the text.</summary>
    /// <param name="text">starts with the point; afterwards what follows the digits</param>
    /// <param name="microsecond">the first six digits</param>
    /// <param name="digits">digits that matter: trailing zeros do not; 7 or more are beyond every column type</param>
    public static bool TryTake(ref ReadOnlySpan<byte> text, out int microsecond, out int digits)
    {
        var rest = text[1..];
        var length = rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        var fraction = length < 0 ? rest : rest[..length];
        text = rest[fraction.Length..];
        var significant = fraction.TrimEnd((byte)'0');
        digits = significant.Length;
        microsecond = 0;
        for (var i = 0; i < 6; i++)
        {
            microsecond = (microsecond * 10) + (i < significant.Length ? significant[i] - '0' : 0);
        }

        return !fraction.IsEmpty;
    }
}
