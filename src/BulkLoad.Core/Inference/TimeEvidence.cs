using BulkLoad.Core.Values;

namespace BulkLoad.Core.Inference;

/// <param name="takesZeroDates">whether a year, month or day of zero is a date</param>
internal sealed class TimeEvidence(bool takesZeroDates)
{
    private const int MostFractionDigits = 6;

    private const string Impossible = "is a date or time that does not exist";
    private const string ZeroDate = "is a date that does not exist (--zero-dates accepts a year, month or day of zero)";
    private const string ZeroOffset = "is a zero date with a UTC offset";
    private const string TooFine = "has a finer fraction of a second than any column keeps";
    private const string OutOfRange = "is outside the years 1 to 9999 in some time zone";

    /// <summary>Most digits of a fraction of a second that matter.</summary>
    public int FractionDigits { get; private set; }

    public Place FractionPlace { get; private set; }

    /// <param name="why">what keeps something like a date from being one, reading on from the value; else unchanged</param>
    /// <returns><see cref="ValueShapes.None"/> where it is neither</returns>
    public ValueShapes Add(ReadOnlySpan<byte> text, Place place, ref string? why)
    {
        if (DateTimeText.TryParse(text, out var parsed, out var isImpossible))
        {
            why = isImpossible ? Impossible : FindFault(parsed);
            if (why is not null)
            {
                return ValueShapes.Text;
            }

            AddFraction(parsed.FractionDigits, place);
            return parsed.Offset is not null ? ValueShapes.Moment : parsed.HasTime ? ValueShapes.DateTime : ValueShapes.Date;
        }

        if (!HasPlainHours(text) || !TimeRule.TryParse(text, out _, out var ticks, out var fractionDigits) || ticks > TimeRule.MostTicks)
        {
            return ValueShapes.None;
        }

        if (fractionDigits > MostFractionDigits)
        {
            why = TooFine;
            return ValueShapes.Text;
        }

        AddFraction(fractionDigits, place);
        return ValueShapes.Time;
    }

    private string? FindFault(DateTimeText parsed)
    {
        if (parsed.HasZeroPart)
        {
            return !takesZeroDates ? ZeroDate : parsed.Offset is not null ? ZeroOffset : parsed.FractionDigits > MostFractionDigits
                ? TooFine : null;
        }

        if (parsed.FractionDigits > MostFractionDigits)
        {
            return TooFine;
        }

        // The bounds of DateTimeRule: a day from either end, whatever the zone.
        return parsed.Offset is { } offset && parsed.Value.Ticks - offset.Ticks is < TimeSpan.TicksPerDay or > MostTicks
            ? OutOfRange : null;
    }

    private const long MostTicks = 3155378975999999999 - TimeSpan.TicksPerDay;

    /// <summary>Two digits, or more without a leading zero: <c>4:30</c> may as well be minutes, a verse or a score.</summary>
    private static bool HasPlainHours(ReadOnlySpan<byte> text)
    {
        var hours = text.IndexOf((byte)':') - (text[0] == '-' ? 1 : 0);
        return hours == 2 || (hours > 2 && text[text[0] == '-' ? 1 : 0] != '0');
    }

    private void AddFraction(int digits, Place place)
    {
        if (digits > FractionDigits)
        {
            (FractionDigits, FractionPlace) = (digits, place);
        }
    }
}
