using System.Buffers.Text;

namespace BulkLoad.Core.Values;

/// <summary>A decimal number's parts: sign, digits, point, exponent (MySQL manual, "Numeric Literals"; RFC 8259, section 6). Nothing is
/// rounded: the parts stand for exactly the number in the text.</summary>
internal readonly ref struct NumberText
{
    private const long MaxExponent = 1L << 40;

    private NumberText(bool isNegative, ReadOnlySpan<byte> whole, ReadOnlySpan<byte> fraction, long exponent)
    {
        IsNegative = isNegative;
        Whole = whole;
        Fraction = fraction;
        Exponent = exponent;
    }

    public bool IsNegative { get; }

    /// <summary>Digits before the point, without leading zeros.</summary>
    public ReadOnlySpan<byte> Whole { get; }

    /// <summary>Digits behind the point, without trailing zeros.</summary>
    public ReadOnlySpan<byte> Fraction { get; }

    /// <summary>Power of ten; 0: the text has none.</summary>
    public long Exponent { get; }

    public bool IsZero => Whole.IsEmpty && Fraction.IsEmpty;

    public static bool TryParse(ReadOnlySpan<byte> text, out NumberText number)
    {
        number = default;
        var isNegative = false;
        if (text.Length > 0 && text[0] is (byte)'-' or (byte)'+')
        {
            isNegative = text[0] == '-';
            text = text[1..];
        }

        var exponent = 0L;
        var mark = text.IndexOfAny((byte)'e', (byte)'E');
        if (mark >= 0)
        {
            if (!TryParseExponent(text[(mark + 1)..], out exponent))
            {
                return false;
            }

            text = text[..mark];
        }

        var point = text.IndexOf((byte)'.');
        var whole = point < 0 ? text : text[..point];
        var fraction = point < 0 ? default : text[(point + 1)..];
        if ((whole.IsEmpty && fraction.IsEmpty) || whole.IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0
            || fraction.IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0)
        {
            return false;
        }

        number = new NumberText(isNegative, whole.TrimStart((byte)'0'), fraction.TrimEnd((byte)'0'), exponent);
        return true;
    }

    /// <summary>Digits before the point after the exponent is applied; 0 for a pure fraction.</summary>
    public long WholeDigits
    {
        get
        {
            if (IsZero)
            {
                return 0;
            }

            var leadingZeros = Whole.IsEmpty ? Fraction.IndexOfAnyExcept((byte)'0') : 0;
            return Math.Max(0, Whole.Length - leadingZeros + Exponent);
        }
    }

    /// <summary>Digits behind the point after the exponent is applied.</summary>
    public long FractionDigits
    {
        get
        {
            if (IsZero)
            {
                return 0;
            }

            var trailingZeros = Fraction.IsEmpty ? Whole.Length - Whole.TrimEnd((byte)'0').Length : 0;
            return Math.Max(0, Fraction.Length - trailingZeros - Exponent);
        }
    }

    /// <summary>Writes the number without exponent: at least one digit before the point, no trailing zero behind it.</summary>
    /// <param name="output">at least <c>WholeDigits + FractionDigits + 4</c> bytes</param>
    public int Write(Span<byte> output)
    {
        if (IsZero)
        {
            output[0] = (byte)'0';
            return 1;
        }

        var length = 0;
        if (IsNegative)
        {
            output[length++] = (byte)'-';
        }

        var point = Whole.Length + Exponent;
        var wholeDigits = WholeDigits;
        if (wholeDigits == 0)
        {
            output[length++] = (byte)'0';
        }

        for (var position = point - wholeDigits; position < point; position++)
        {
            output[length++] = DigitAt(position);
        }

        var fractionDigits = FractionDigits;
        if (fractionDigits > 0)
        {
            output[length++] = (byte)'.';
            for (var position = point; position < point + fractionDigits; position++)
            {
                output[length++] = DigitAt(position);
            }
        }

        return length;
    }

    /// <summary>Rounds to so many digits behind the point, half away from zero, and writes as <see cref="Write"/> does.</summary>
    /// <param name="output">at least <c>WholeDigits + scale + 4</c> bytes</param>
    /// <param name="wholeDigits">digits before the point that were written, without a leading zero</param>
    public int WriteRounded(int scale, Span<byte> output, out int wholeDigits)
    {
        // One place more than the number has, for a carry.
        var point = Whole.Length + Exponent;
        var whole = (int)WholeDigits + 1;
        var digits = output.Slice(1, whole + scale);
        for (var i = 0; i < digits.Length; i++)
        {
            digits[i] = DigitAt(point - whole + i);
        }

        if (DigitAt(point + scale) >= '5')
        {
            var last = digits.LastIndexOfAnyExcept((byte)'9');
            digits[last]++;
            digits[(last + 1)..].Fill((byte)'0');
        }

        var leading = digits[..whole].IndexOfAnyExcept((byte)'0');
        wholeDigits = leading < 0 ? 0 : whole - leading;
        var fraction = digits[whole..].TrimEnd((byte)'0').Length;
        var start = Math.Min(whole - wholeDigits, whole - 1);
        var length = 0;
        if (IsNegative && wholeDigits + fraction > 0)
        {
            output[length++] = (byte)'-';
        }

        // Moves to the left, so that nothing is overwritten before it was moved.
        digits[start..whole].CopyTo(output[length..]);
        length += whole - start;
        if (fraction > 0)
        {
            digits.Slice(whole, fraction).CopyTo(output[(length + 1)..]);
            output[length] = (byte)'.';
            length += fraction + 1;
        }

        return length;
    }

    /// <summary>Whether the nearest double, printed as shortly as possible, is the same number: no digit is lost.</summary>
    public static bool IsNearestDouble(ReadOnlySpan<byte> text)
    {
        Span<byte> shortest = stackalloc byte[32];
        return Utf8Parser.TryParse(text, out double nearest, out var used) && used == text.Length && double.IsFinite(nearest)
            && Utf8Formatter.TryFormat(nearest, shortest, out var length)
            && TryParse(shortest[..length], out var kept)
            && TryParse(text, out var number) && number.IsSameAs(kept);
    }

    public bool IsSameAs(NumberText other)
    {
        if (IsZero || other.IsZero)
        {
            return IsZero && other.IsZero;
        }

        var (start, otherStart) = (FirstDigit, other.FirstDigit);
        if (IsNegative != other.IsNegative || Whole.Length + Exponent - start != other.Whole.Length + other.Exponent - otherStart)
        {
            return false;
        }

        for (var i = 0; i < Math.Max(Whole.Length + Fraction.Length - start, other.Whole.Length + other.Fraction.Length - otherStart); i++)
        {
            if (DigitAt(start + i) != other.DigitAt(otherStart + i))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The position of the first digit that is not zero.</summary>
    private int FirstDigit => Whole.IsEmpty ? Fraction.IndexOfAnyExcept((byte)'0') : 0;

    /// <summary>The position is counted from the first digit before the point, as written.</summary>
    private byte DigitAt(long position)
    {
        if (position < 0)
        {
            return (byte)'0';
        }

        if (position < Whole.Length)
        {
            return Whole[(int)position];
        }

        position -= Whole.Length;
        return position < Fraction.Length ? Fraction[(int)position] : (byte)'0';
    }

    private static bool TryParseExponent(ReadOnlySpan<byte> text, out long exponent)
    {
        var isNegative = text.Length > 0 && text[0] == '-';
        if (text.Length > 0 && text[0] is (byte)'-' or (byte)'+')
        {
            text = text[1..];
        }

        exponent = 0;
        foreach (var digit in text)
        {
            if (digit is < (byte)'0' or > (byte)'9')
            {
                return false;
            }

            // The limit is more than a record has digits, so that no fraction can bring the number back into range.
            exponent = Math.Min(MaxExponent, (exponent * 10) + (digit - '0'));
        }

        exponent = isNegative ? -exponent : exponent;
        return !text.IsEmpty;
    }
}

/// <summary>The default words for true and false, in any case.</summary>
internal static class TruthText
{
    public static bool TryParse(ReadOnlySpan<byte> text, out bool truth)
    {
        truth = Ascii.EqualsIgnoreCase(text, "true"u8) || Ascii.EqualsIgnoreCase(text, "t"u8) || Ascii.EqualsIgnoreCase(text, "yes"u8)
            || Ascii.EqualsIgnoreCase(text, "y"u8) || Ascii.EqualsIgnoreCase(text, "on"u8);
        return truth || Ascii.EqualsIgnoreCase(text, "false"u8) || Ascii.EqualsIgnoreCase(text, "f"u8)
            || Ascii.EqualsIgnoreCase(text, "no"u8) || Ascii.EqualsIgnoreCase(text, "n"u8) || Ascii.EqualsIgnoreCase(text, "off"u8);
    }
}
