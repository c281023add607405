using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values.Notations;

/// <summary>Dates and times written by a pattern. Years of two digits are those of MySQL: 70 to 99 are of the 20th century, 00 to 69 of the
/// 21st (MySQL manual, "Two-Digit Years in Dates").</summary>
internal sealed class PatternNotation : ValueNotation
{
    private const int Century20 = 70;

    private readonly PatternToken[] _tokens;
    private readonly bool _hasDate;
    private readonly bool _hasTime;

    /// <summary>Whether it may be a span of time, as a TIME column stores it: with more than 99 hours, or a minus.</summary>
    private readonly bool _isSpan;

    public PatternNotation(ValueFormat format, TimePattern pattern)
    {
        _tokens = [.. pattern.Tokens];
        Places = FixedPlaces.Of(_tokens);
        _hasDate = _tokens.Any(token => token.Part is PatternPart.Day);
        _hasTime = _tokens.Any(token => token.Part is PatternPart.Hour24 or PatternPart.Hour12);
        _isSpan = format.Aspect == ValueAspect.Time && _tokens[0].Part == PatternPart.Hour24
            && _tokens is [_, { Part: PatternPart.Literal }, ..];
        Fault = format.Aspect == ValueAspect.Time
            ? new ValueFault("not-a-time", $"is not a time of the form {format.Text}")
            : new ValueFault("not-a-date", $"is not a date of the form {format.Text}");
    }

    public override ValueFault Fault { get; }

    /// <summary>Null: a part of the pattern has no fixed place.</summary>
    public FixedPlaces? Places { get; }

    public override bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (Places is not null)
        {
            var fits = Places.TryMove(text, room, out var count);
            value = room[..count];
            if (fits || !_isSpan)
            {
                return fits;
            }
        }

        var parts = new Parts { IsNegative = _isSpan && text.Length > 0 && text[0] == '-' };
        text = parts.IsNegative ? text[1..] : text;
        for (var i = 0; i < _tokens.Length; i++)
        {
            if (!TryTake(i, ref text, ref parts))
            {
                return false;
            }
        }

        if (!text.IsEmpty || (parts.DayName >= 0 && !IsThatDay(parts)) || (parts.IsHour12 && parts.Hour is < 1 or > 12))
        {
            return false;
        }

        var length = 0;
        if (_hasDate)
        {
            length = DateTimeText.WriteDate(parts.Year, parts.Month, parts.Day, room);
            if (_hasTime)
            {
                room[length++] = (byte)' ';
            }
        }

        if (_hasTime)
        {
            WriteTime(parts, room, ref length);
        }

        value = room[..length];
        return true;
    }

    private static void WriteTime(Parts parts, Span<byte> room, ref int length)
    {
        var hour = parts.IsHour12 ? (parts.Hour % 12) + (parts.IsAfternoon ? 12 : 0) : parts.Hour;
        if (parts.IsNegative)
        {
            room[length++] = (byte)'-';
        }

        if (hour > 99)
        {
            room[length++] = (byte)('0' + (hour / 100));
            hour %= 100;
        }

        WriteTwo(hour, room, ref length);
        room[length++] = (byte)':';
        WriteTwo(parts.Minute, room, ref length);
        room[length++] = (byte)':';
        WriteTwo(parts.Second, room, ref length);
        if (!parts.Fraction.IsEmpty)
        {
            room[length++] = (byte)'.';
            parts.Fraction.CopyTo(room[length..]);
            length += parts.Fraction.Length;
        }

        parts.Offset.CopyTo(room[length..]);
        length += parts.Offset.Length;
    }

    private static void WriteTwo(int value, Span<byte> room, ref int length)
    {
        DateTimeText.WriteDigits(value, room, length);
        length += 2;
    }

    /// <param name="at">0-based token</param>
    private bool TryTake(int at, ref ReadOnlySpan<byte> text, ref Parts parts)
    {
        var token = _tokens[at];
        switch (token.Part)
        {
            case PatternPart.Literal:
                return TryTakeLiteral(token.Text, ref text);
            case PatternPart.OptionalPoint:
                parts.HasPoint = TryTakeLiteral(token.Text, ref text);
                parts.LacksPoint = !parts.HasPoint;
                return true;
            case PatternPart.Year2:
                parts.Year = TakeNumber(ref text, 2, 2);
                parts.Year += parts.Year < 0 ? 0 : parts.Year < Century20 ? 2000 : 1900;
                return parts.Year >= 0;
            case PatternPart.Year4:
                return (parts.Year = TakeNumber(ref text, 4, 4)) >= 0;
            case PatternPart.Month:
                return (parts.Month = TakeNumber(ref text, token.Count, 2)) >= 0;
            case PatternPart.MonthName:
                parts.Month = CalendarNames.TakeMonth(ref text, token.Count == 3) + 1;
                TakePoint(at, ref text);
                return parts.Month > 0;
            case PatternPart.Day:
                return (parts.Day = TakeNumber(ref text, token.Count, 2)) >= 0;
            case PatternPart.DayName:
                parts.DayName = CalendarNames.TakeDay(ref text, token.Count == 3);
                TakePoint(at, ref text);
                return parts.DayName >= 0;
            case PatternPart.Hour24:
                return (parts.Hour = TakeNumber(ref text, token.Count, _isSpan ? 3 : 2)) >= 0;
            case PatternPart.Hour12:
                parts.IsHour12 = true;
                return (parts.Hour = TakeNumber(ref text, token.Count, 2)) >= 0;
            case PatternPart.Minute:
                return (parts.Minute = TakeNumber(ref text, token.Count, 2)) >= 0;
            case PatternPart.Second:
                return (parts.Second = TakeNumber(ref text, token.Count, 2)) >= 0;
            case PatternPart.Fraction:
            case PatternPart.OptionalFraction:
                return TryTakeFraction(token, ref text, ref parts);
            case PatternPart.HalfDay:
                return TryTakeHalfDay(token.Count, ref text, ref parts);
            default:
                return TryTakeOffset(ref text, ref parts);
        }
    }

    private static bool TryTakeLiteral(byte[] literal, ref ReadOnlySpan<byte> text)
    {
        var isThere = text.StartsWith(literal);
        text = isThere ? text[literal.Length..] : text;
        return isThere;
    }

    private static bool TryTakeFraction(PatternToken token, ref ReadOnlySpan<byte> text, ref Parts parts)
    {
        var count = parts.LacksPoint ? 0 : Math.Min(token.Count, DigitsAt(text));
        parts.Fraction = text[..count];
        text = text[count..];
        return token.Part == PatternPart.OptionalFraction ? count > 0 || parts.LacksPoint || !parts.HasPoint : count == token.Count;
    }

    private static bool TryTakeHalfDay(int count, ref ReadOnlySpan<byte> text, ref Parts parts)
    {
        if (text.IsEmpty || (text[0] | 0x20) is not ('a' or 'p') || text.Length < count || (count == 2 && (text[1] | 0x20) != 'm'))
        {
            return false;
        }

        parts.IsAfternoon = (text[0] | 0x20) == 'p';
        text = text[count..];
        return true;
    }

    /// <summary>The rule judges the offset.</summary>
    private static bool TryTakeOffset(ref ReadOnlySpan<byte> text, ref Parts parts)
    {
        if (text.Length > 0 && text[0] is (byte)'Z' or (byte)'z')
        {
            parts.Offset = text[..1];
            text = text[1..];
            return true;
        }

        if (text.Length < 3 || text[0] is not ((byte)'+' or (byte)'-') || DigitsAt(text[1..]) < 2)
        {
            return false;
        }

        var length = text.Length >= 6 && text[3] == ':' && DigitsAt(text[4..]) >= 2 ? 6 : DigitsAt(text[1..]) >= 4 ? 5 : 3;
        parts.Offset = text[..length];
        text = text[length..];
        return true;
    }

    /// <returns>negative: there are not so many digits</returns>
    private static int TakeNumber(ref ReadOnlySpan<byte> text, int least, int most)
    {
        var (value, count) = (0, 0);
        while (count < most && count < text.Length && text[count] is >= (byte)'0' and <= (byte)'9')
        {
            value = (value * 10) + text[count++] - '0';
        }

        text = text[count..];
        return count < least ? int.MinValue : value;
    }

    /// <summary>Takes the point of an abbreviation (<c>d MMM yyyy</c> takes both <c>3 févr. 2024</c> and <c>3 mars 2024</c>), unless the
    /// pattern has it.</summary>
    private void TakePoint(int at, ref ReadOnlySpan<byte> text)
    {
        if (_tokens[at].Count == 3 && text.Length > 0 && text[0] == '.'
            && !(at + 1 < _tokens.Length && _tokens[at + 1] is { Part: PatternPart.Literal, Text: [(byte)'.', ..] }))
        {
            text = text[1..];
        }
    }

    private static int DigitsAt(ReadOnlySpan<byte> text) =>
        text.IndexOfAnyExceptInRange((byte)'0', (byte)'9') is >= 0 and var count ? count : text.Length;

    /// <summary>The rule refuses a date that does not exist.</summary>
    private static bool IsThatDay(Parts parts) =>
        parts is not { Year: > 0, Month: >= 1 and <= 12, Day: > 0 } || parts.Day > DateTime.DaysInMonth(parts.Year, parts.Month)
        || (int)new DateTime(parts.Year, parts.Month, parts.Day).DayOfWeek == parts.DayName;

    private ref struct Parts
    {
        public int Year;
        public int Month;
        public int Day;
        public int DayName = -1;
        public bool IsNegative;
        public int Hour;
        public int Minute;
        public int Second;
        public bool IsHour12;
        public bool IsAfternoon;

        /// <summary>Whether the point before an optional fraction was not there.</summary>
        public bool LacksPoint;

        public bool HasPoint;

        public ReadOnlySpan<byte> Fraction;
        public ReadOnlySpan<byte> Offset;

        public Parts()
        {
        }
    }
}
