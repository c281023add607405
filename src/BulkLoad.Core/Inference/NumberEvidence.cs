using System.Buffers.Text;
using System.IO.Hashing;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Inference;

/// <summary>Finds the type that a column's numbers need. Ids keep their zeros, pluses and letters, and do not count.</summary>
internal sealed class NumberEvidence
{
    /// <summary>Digits after the point (MySQL manual, "DECIMAL Data Type Characteristics").</summary>
    public const int MaxScale = 30;

    /// <summary>Digits that every double keeps (DBL_DIG), and exponents far from its limits.</summary>
    private const int SafeDigits = 15;
    private const int SafeExponent = 200;

    private const string LeadingZero = "has a leading zero";
    private const string PlusSign = "begins with a plus sign";
    private const string EndsInPoint = "ends with a point";
    private const string MaybeId = "may be an id as well as a number with an exponent";

    public long Min { get; private set; } = long.MaxValue;

    public Place MinPlace { get; private set; }

    public long Max { get; private set; } = long.MinValue;

    public Place MaxPlace { get; private set; }

    /// <summary>The largest number beyond <see cref="long"/>; 0: none.</summary>
    public ulong MaxUnsigned { get; private set; }

    /// <summary>Whether a number needs more than 64 bits.</summary>
    public bool IsBeyondIntegers { get; private set; }

    /// <summary>Digits before the point, without leading zeros.</summary>
    public long WholeDigits { get; private set; }

    public Place WholePlace { get; private set; }

    /// <summary>Digits after the point, as written. Zeros at the end count unless there are too many.</summary>
    public long FractionDigits { get; private set; }

    public Place FractionPlace { get; private set; }

    /// <summary>The first number that a double does not keep, for people.</summary>
    public string? FirstInexact { get; private set; }

    public Place InexactPlace { get; private set; }

    /// <summary><paramref name="isNumber"/>: it cannot be an id. <paramref name="why"/>: why something like a number is none, as the end of
    /// a sentence.</summary>
    public ValueShapes Add(ReadOnlySpan<byte> text, Place place, bool isNumber, ref string? why)
    {
        if (IsPlain(text) && Utf8Parser.TryParse(text, out long value, out var used) && used == text.Length)
        {
            AddInteger(value, place);
            AddDigits(value == 0 ? 0 : text.Length - (value < 0 ? 1 : 0), 0, place);
            if (text.Length > SafeDigits)
            {
                CheckExact(text, place);
            }

            return ValueShapes.Integer;
        }

        return NumberText.TryParse(text, out var number) ? AddOther(text, number, place, isNumber, ref why) : ValueShapes.None;
    }

    private static bool IsPlain(ReadOnlySpan<byte> text)
    {
        var digits = text.Length > 1 && text[0] == '-' ? text[1..] : text;
        return digits[0] is >= (byte)'1' and <= (byte)'9' || text is [(byte)'0'];
    }

    private ValueShapes AddOther(ReadOnlySpan<byte> text, NumberText number, Place place, bool isNumber, ref string? why)
    {
        var digits = text[0] == '-' ? text[1..] : text;
        var mark = digits.IndexOfAny((byte)'e', (byte)'E');
        var mantissa = mark < 0 ? digits : digits[..mark];
        var point = mantissa.IndexOf((byte)'.');
        var fault = text[0] == '+' ? PlusSign
            : mantissa.Length > 1 && mantissa[0] == '0' && mantissa[1] != '.' ? LeadingZero
            : point == mantissa.Length - 1 ? EndsInPoint

            // Programs write a sign or a point into exponents; an id has neither.
            : mark >= 0 && point < 0 && !isNumber && digits[mark + 1] is not ((byte)'+' or (byte)'-') ? MaybeId
            : null;
        if (fault is not null)
        {
            why = fault;
            return ValueShapes.Text;
        }

        CheckExact(text, place);
        if (mark >= 0)
        {
            return ValueShapes.Exponent;
        }

        var written = point < 0 ? 0 : mantissa.Length - point - 1;
        AddDigits(number.WholeDigits, written <= MaxScale ? written : number.FractionDigits, place);
        if (point >= 0)
        {
            return ValueShapes.Decimal;
        }

        if (number.IsZero)
        {
            AddInteger(0, place);
        }
        else if (Utf8Parser.TryParse(digits, out ulong unsigned, out var used) && used == digits.Length && !number.IsNegative)
        {
            AddUnsigned(unsigned, place);
        }
        else
        {
            IsBeyondIntegers = true;
        }

        return ValueShapes.Integer;
    }

    private void AddInteger(long value, Place place)
    {
        if (value < Min)
        {
            (Min, MinPlace) = (value, place);
        }

        if (value > Max)
        {
            Max = value;
            MaxPlace = MaxUnsigned == 0 ? place : MaxPlace;
        }
    }

    private void AddUnsigned(ulong value, Place place)
    {
        if (value > MaxUnsigned)
        {
            (MaxUnsigned, MaxPlace) = (value, place);
        }
    }

    private void AddDigits(long whole, long fraction, Place place)
    {
        if (whole > WholeDigits)
        {
            (WholeDigits, WholePlace) = (whole, place);
        }

        if (fraction > FractionDigits)
        {
            (FractionDigits, FractionPlace) = (fraction, place);
        }
    }

    private void CheckExact(ReadOnlySpan<byte> text, Place place)
    {
        if (FirstInexact is null && !IsExactDouble(text))
        {
            (FirstInexact, InexactPlace) = (FieldText.Show(text), place);
        }
    }

    /// <summary>Whether the nearest double is printed as the same number.</summary>
    private static bool IsExactDouble(ReadOnlySpan<byte> text)
    {
        if (!NumberText.TryParse(text, out var number))
        {
            return false;
        }

        if (number.Whole.Length + number.Fraction.Length <= SafeDigits && Math.Abs(number.Exponent) <= SafeExponent)
        {
            return true;
        }

        return NumberText.IsNearestDouble(text);
    }
}

/// <summary>Whether a column's whole numbers are unique. After more than 200,000 only rising ones count.</summary>
internal sealed class KeyEvidence
{
    private const int Max = 200_000;

    private HashSet<ulong>? _seen = [];
    private Int128 _last = Int128.MinValue;
    private bool _rises = true;

    public long Values { get; private set; }

    public bool IsUnique => Values > 1 && (_rises || _seen is not null);

    /// <summary>As printed.</summary>
    public void Add(ReadOnlySpan<byte> text)
    {
        Values++;
        if (!_rises && _seen is null)
        {
            return;
        }

        if (_rises)
        {
            _rises = Int128.TryParse(text, CultureInfo.InvariantCulture, out var number) && number > _last;
            _last = number;
        }

        if (_seen is not null && (_seen.Count == Max || !_seen.Add(XxHash64.HashToUInt64(text))))
        {
            // A repeated number does not rise either.
            _seen = null;
        }
    }
}
