using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>FLOAT and DOUBLE (MySQL manual, "Floating-Point Types"): the nearest binary value. A number beyond the largest value is a
/// fault, and so is one that would become 0. With (m,d) the server rounds to d digits behind the point: more digits are a fault, and so is
/// a number that changes.</summary>
internal sealed class FloatRule(TableColumn column) : ValueRule
{
    /// <summary>With so many digits, the server's rounding, which is off by a bit of the whole part's, always shows the same number
    /// again.</summary>
    private const int ExactDigits = 15;

    private static readonly ValueFault OutOfRange = new("out-of-range", "is beyond the largest value of the type");
    private static readonly ValueFault BecomesZero = new("becomes-zero", "is not 0, and the nearest value of the type is");

    private readonly bool _isFloat = column.Kind == ColumnKind.Float;
    private readonly bool _isUnsigned = column.IsUnsigned;
    private readonly bool _isRounded = column.Precision > 0;
    private readonly int _scale = column.Scale;
    private readonly double _power = Math.Pow(10, column.Scale);
    private readonly int _wholeDigits = column.Precision - column.Scale;

    private readonly ValueFault _tooLarge = ValueFault.TooManyDigits(column);
    private readonly ValueFault _tooFine = ValueFault.TooManyDecimals(column);

    private readonly ValueFault _inexact = new(
        "inexact-number", $"is changed by the server when it rounds to the column's {column.Scale} digits after the point");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!DoubleText.TryParse(text, out var value) || double.IsNaN(value))
        {
            return ValueFault.NotANumber;
        }

        // The parser also takes the words for infinity, which no column stores.
        if (text[^1] is not ((>= (byte)'0' and <= (byte)'9') or (byte)'.'))
        {
            return ValueFault.NotANumber;
        }

        if (value < 0 && _isUnsigned)
        {
            return ValueFault.Negative;
        }

        if (_isRounded && FindRoundingFault(text, value) is { } fault)
        {
            return fault;
        }

        if (value == 0 && IsZero(text) && text.IndexOfAny((byte)'e', (byte)'E') is >= 0 and var exponent)
        {
            // MySQL refuses a zero with an exponent of many digits.
            text = text[..exponent];
        }

        if (_isFloat)
        {
            return AddFloat(text, value, block);
        }

        if (double.IsInfinity(value))
        {
            return OutOfRange;
        }

        if (value == 0 && !IsZero(text))
        {
            return BecomesZero;
        }

        block.AddValue(text);
        return null;
    }

    /// <summary>Servers round a FLOAT's text twice, first to a double. Where the result would differ, they get the nearest FLOAT's own
    /// digits.</summary>
    private ValueFault? AddFloat(ReadOnlySpan<byte> text, double value, RowBlock block)
    {
        if (!Utf8Parser.TryParse(text, out float nearest, out _) || float.IsInfinity(nearest))
        {
            return OutOfRange;
        }

        if (nearest == 0 && !IsZero(text))
        {
            return BecomesZero;
        }

        if ((float)value == nearest && Math.Abs(value) <= float.MaxValue)
        {
            block.AddValue(text);
            return null;
        }

        if (_isRounded && (float)Round(nearest) != nearest)
        {
            return _inexact;
        }

        Utf8Formatter.TryFormat((double)nearest, block.Reserve(32), out var length);
        block.Take(length);
        return null;
    }

    /// <summary>Whether all digits before an exponent are 0.</summary>
    internal static bool IsZero(ReadOnlySpan<byte> text)
    {
        var exponent = text.IndexOfAny((byte)'e', (byte)'E');
        return (exponent < 0 ? text : text[..exponent]).IndexOfAnyInRange((byte)'1', (byte)'9') < 0;
    }

    /// <summary>The number that the column stores for a canonical value.</summary>
    public double StoredOf(ReadOnlySpan<byte> canonical)
    {
        if (!DoubleText.TryParse(canonical, out var value))
        {
            throw new InvalidOperationException("a canonical value is no number; a rule let it through");
        }

        value = _isRounded ? Round(value) : value;
        return _isFloat ? (float)value : value;
    }

    private ValueFault? FindRoundingFault(ReadOnlySpan<byte> text, double value)
    {
        if (!NumberText.TryParse(text, out var number))
        {
            return ValueFault.NotANumber;
        }

        if (number.FractionDigits > _scale)
        {
            return _tooFine;
        }

        if (number.WholeDigits > _wholeDigits)
        {
            return _tooLarge;
        }

        var rounded = Round(value);
        var isKept = _isFloat ? (float)rounded == (float)value : rounded == value || number.WholeDigits + _scale <= ExactDigits;
        return isKept ? null : _inexact;
    }

    /// <summary>Rounds as both servers do (Field_real::truncate).</summary>
    private double Round(double value)
    {
        var whole = Math.Floor(value);
        return whole + (Math.Round((value - whole) * _power, MidpointRounding.ToEven) / _power);
    }
}

internal static class DoubleText
{
    /// <summary>Up to here every whole number is a double (IEEE 754, binary64).</summary>
    private const ulong MaxExact = 1UL << 53;

    private static readonly double[] Powers =
    [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];

    /// <summary>Takes the whole texts that <see cref="Utf8Parser"/> takes, and gives the same value.</summary>
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

        if (digits > MaxExact)
        {
            return false;
        }

        var size = point < 0 ? digits : digits / Powers[text.Length - point - 1];
        value = start == 1 ? -size : size;
        return true;
    }
}
