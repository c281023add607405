using System.Buffers.Text;

namespace BulkLoad.Core.Values;

internal static class DoubleText
{
    /// <summary>Up to here every whole number is a double (IEEE 754, binary64).</summary>
    private const ulong MostExact = 1UL << 53;

    private static readonly double[] Powers =
    [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];

    /// <summary>Takes what <see cref="Utf8Parser"/> takes as a whole, and gives the same value.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out double value) =>
        TryParseShort(text, out value) || (Utf8Parser.TryParse(text, out value, out var used) && used == text.Length);

    /// <summary>Few digits and no exponent: digits and power of ten are both exact, so that one division rounds once (W. Clinger, "How to
    /// Read Floating Point Numbers Accurately", 1990).</summary>
    private static bool TryParseShort(ReadOnlySpan<byte> text, out double value)
    {
        value = 0;
        var start = text.Length > 0 && text[0] == '-' ? 1 : 0;
        var point = -1;
        ulong digits = 0;
        if (text.Length - start is < 1 or > 17)
        {
            return false;
        }

        for (var i = start; i < text.Length; i++)
        {
            var digit = (uint)text[i] - '0';
            if (digit <= 9)
            {
                digits = (digits * 10) + digit;
            }
            else if (text[i] == '.' && point < 0 && i > start && i < text.Length - 1)
            {
                point = i;
            }
            else
            {
                return false;
            }
        }

        if (digits > MostExact)
        {
            return false;
        }

        var size = point < 0 ? digits : digits / Powers[text.Length - point - 1];
        value = start == 1 ? -size : size;
        return true;
    }
}
