using System.Buffers.Binary;

namespace BulkLoad.Core.Values;

/// <summary>A calendar date with or without time of day and offset: ISO 8601's extended form with a blank or <c>T</c> between (MySQL
/// manual, "Date and Time Literals"). A year, month or day may be zero.</summary>
internal readonly record struct DateTimeText
{
    private const int TicksPerMicrosecond = 10;

    /// <summary>Bytes of the longest canonical text.</summary>
    public const int MaxBytes = 26;

    /// <summary>0 to 9999.</summary>
    public int Year { get; private init; }

    /// <summary>0 to 12.</summary>
    public int Month { get; private init; }

    /// <summary>0 to 31.</summary>
    public int Day { get; private init; }

    /// <summary>.NET's ticks since midnight: the first seven digits of the fraction.</summary>
    public long TimeOfDay { get; private init; }

    public bool HasTime { get; private init; }

    /// <summary>Null: the text has none; zero for <c>Z</c>.</summary>
    public TimeSpan? Offset { get; private init; }

    /// <summary>Digits of the fraction without trailing zeros.</summary>
    public int FractionDigits { get; private init; }

    /// <summary>Whether the date is none of the calendar, but one that a server without NO_ZERO_DATE and NO_ZERO_IN_DATE stores.</summary>
    public bool HasZeroPart => Year == 0 || Month == 0 || Day == 0;

    /// <summary>Without offset; only where no part is zero.</summary>
    public DateTime Value => new DateTime(Year, Month, Day).AddTicks(TimeOfDay);

    /// <summary>False: the text is not of this form; a text of the form whose date does not exist is parsed as impossible.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out DateTimeText parsed, out bool isImpossible)
    {
        parsed = default;
        isImpossible = false;
        if (text.Length < 10 || text[4] != '-' || text[7] != '-')
        {
            return false;
        }

        var century = Digits(text[0], text[1]);
        var yearOfCentury = Digits(text[2], text[3]);
        var month = Digits(text[5], text[6]);
        var day = Digits(text[8], text[9]);
        if ((century | yearOfCentury | month | day) < 0)
        {
            return false;
        }

        var year = (century * 100) + yearOfCentury;
        var rest = text[10..];
        int hour = 0, minute = 0, second = 0, fraction = 0, fractionDigits = 0;
        TimeSpan? offset = null;
        var hasTime = !rest.IsEmpty;
        if (hasTime)
        {
            if (rest.Length < 6 || rest[0] is not ((byte)' ' or (byte)'T' or (byte)'t') || rest[3] != ':')
            {
                return false;
            }

            hour = Digits(rest[1], rest[2]);
            minute = Digits(rest[4], rest[5]);
            if ((hour | minute) < 0)
            {
                return false;
            }

            rest = rest[6..];
            if (rest.Length > 0 && rest[0] == ':')
            {
                second = rest.Length < 3 ? -1 : Digits(rest[1], rest[2]);
                if (second < 0)
                {
                    return false;
                }

                rest = rest[3..];
                if (rest.Length > 0 && rest[0] == '.' && !FractionText.TryTake(ref rest, out fraction, out fractionDigits))
                {
                    return false;
                }
            }

            if (!TryTakeOffset(rest, out offset))
            {
                return false;
            }
        }

        if (month > 12 || day > MaxDays(year, month) || hour > 23 || minute > 59 || second > 59)
        {
            isImpossible = true;
            return true;
        }

        parsed = new DateTimeText
        {
            Year = year,
            Month = month,
            Day = day,
            TimeOfDay = (((((hour * 60) + minute) * 60) + second) * TimeSpan.TicksPerSecond) + fraction,
            HasTime = hasTime,
            Offset = offset,
            FractionDigits = fractionDigits,
        };
        return true;
    }

    /// <summary>Parses <c>YYYY-MM-DD hh:mm:ss</c> of the calendar, eight bytes at a time: XOR with a text of zeros makes digits their
    /// values and signs 0, and each byte has its maximum.</summary>
    /// <param name="second">of the day</param>
    /// <returns>false: it is no such time, has another form, or its date has a part of zero</returns>
    public static bool TryParsePlain(ReadOnlySpan<byte> text, out (int Year, int Month, int Day) date, out int second)
    {
        (date, second) = (default, 0);
        if (text.Length != 19)
        {
            return false;
        }

        var days = BinaryPrimitives.ReadUInt64LittleEndian(text) ^ 0x2D30_302D_3030_3030; // YYYY-MM-
        var minutes = BinaryPrimitives.ReadUInt64LittleEndian(text[8..]) ^ 0x3030_3A30_3020_3030; // DD hh:mm
        var seconds = BinaryPrimitives.ReadUInt32LittleEndian(text[15..]) ^ 0x3030_3A30; // m:ss
        if ((((days + 0x7F76_767F_7676_7676) | days | (minutes + 0x7676_7F76_767F_7676) | minutes) & 0x8080_8080_8080_8080) != 0
            || (((seconds + 0x7676_7F76) | seconds) & 0x8080_8080) != 0)
        {
            return false;
        }

        // Two neighbour digits: ten times the first and the second, in the first one's byte.
        days = (days * 10) + (days >> 8);
        minutes = (minutes * 10) + (minutes >> 8);
        seconds = (seconds * 10) + (seconds >> 8);
        date = (((byte)days * 100) + (byte)(days >> 16), (byte)(days >> 40), (byte)minutes);
        var (hour, minute, rest) = ((byte)(minutes >> 24), (byte)(minutes >> 48), (byte)(seconds >> 16));
        second = (((hour * 60) + minute) * 60) + rest;
        return hour <= 23 && minute <= 59 && rest <= 59
            && date is { Year: > 0, Month: > 0 and <= 12, Day: > 0 } && date.Day <= DateTime.DaysInMonth(date.Year, date.Month);
    }

    public static int WriteDate(int year, int month, int day, Span<byte> output)
    {
        WriteDigits(year / 100, output, 0);
        WriteDigits(year % 100, output, 2);
        output[4] = (byte)'-';
        WriteDigits(month, output, 5);
        output[7] = (byte)'-';
        WriteDigits(day, output, 8);
        return 10;
    }

    /// <summary>Writes <c>YYYY-MM-DD hh:mm:ss</c>, with six more digits if there is a fraction.</summary>
    /// <param name="output">at least <see cref="MaxBytes"/></param>
    public static int WriteDateTime(DateTime value, Span<byte> output)
    {
        var (year, month, day) = value;
        return WriteDateTime(year, month, day, value.TimeOfDay.Ticks, output);
    }

    public static int WriteDateTime(int year, int month, int day, long timeOfDay, Span<byte> output)
    {
        WriteDate(year, month, day, output);
        var seconds = (int)(timeOfDay / TimeSpan.TicksPerSecond);
        output[10] = (byte)' ';
        WriteDigits(seconds / 3600, output, 11);
        output[13] = (byte)':';
        WriteDigits(seconds / 60 % 60, output, 14);
        output[16] = (byte)':';
        WriteDigits(seconds % 60, output, 17);
        var microsecond = (int)(timeOfDay % TimeSpan.TicksPerSecond / TicksPerMicrosecond);
        if (microsecond == 0)
        {
            return 19;
        }

        output[19] = (byte)'.';
        WriteDigits(microsecond / 10_000, output, 20);
        WriteDigits(microsecond / 100 % 100, output, 22);
        WriteDigits(microsecond % 100, output, 24);
        return MaxBytes;
    }

    /// <summary>Both servers count so: a month of zero has 31 days, the year zero no leap day.</summary>
    private static int MaxDays(int year, int month) => month == 0 ? 31 : DateTime.DaysInMonth(Math.Max(1, year), month);

    private static bool TryTakeOffset(ReadOnlySpan<byte> text, out TimeSpan? offset)
    {
        offset = null;
        if (text.IsEmpty)
        {
            return true;
        }

        if (text is [(byte)'Z' or (byte)'z'])
        {
            offset = TimeSpan.Zero;
            return true;
        }

        var hour = text.Length < 3 ? -1 : Digits(text[1], text[2]);
        var minute = text.Length switch
        {
            3 => 0,
            5 => Digits(text[3], text[4]),
            6 when text[3] == ':' => Digits(text[4], text[5]),
            _ => -1,
        };
        if (text[0] is not ((byte)'+' or (byte)'-') || hour is < 0 or > 14 || minute is < 0 or > 59)
        {
            return false;
        }

        var size = new TimeSpan(hour, minute, 0);
        offset = text[0] == '-' ? -size : size;
        return true;
    }

    /// <summary>Two digits as a number; negative: one is no digit.</summary>
    private static int Digits(byte tens, byte ones)
    {
        var (high, low) = ((uint)tens - '0', (uint)ones - '0');
        return high > 9 || low > 9 ? -1 : (int)((high * 10) + low);
    }

    /// <summary>Writes two digits.</summary>
    /// <param name="value">0 to 99</param>
    public static void WriteDigits(int value, Span<byte> output, int at)
    {
        output[at] = (byte)('0' + (value / 10));
        output[at + 1] = (byte)('0' + (value % 10));
    }
}

/// <summary>Fractions of a second behind a point.</summary>
internal static class FractionText
{
    /// <summary>One more than the finest column has, for rounding.</summary>
    private const int MaxDigits = 7;

    private static readonly long[] TicksPerUnit = [10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];

    /// <summary>Removes the point and the digits behind it from the text.</summary>
    /// <param name="text">starts with the point; afterwards what follows the digits</param>
    /// <param name="ticks">the first seven digits, as .NET's ticks</param>
    /// <param name="digits">without trailing zeros; 7 or more are finer than every column type</param>
    public static bool TryTake(ref ReadOnlySpan<byte> text, out int ticks, out int digits)
    {
        var rest = text[1..];
        var length = rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        var fraction = length < 0 ? rest : rest[..length];
        text = rest[fraction.Length..];
        var significant = fraction.TrimEnd((byte)'0');
        digits = significant.Length;
        ticks = 0;
        for (var i = 0; i < MaxDigits; i++)
        {
            ticks = (ticks * 10) + (i < significant.Length ? significant[i] - '0' : 0);
        }

        return !fraction.IsEmpty;
    }

    /// <summary>Rounds to so many digits, half up.</summary>
    /// <param name="ticks">not negative; from <see cref="TryTake"/>, or a whole time with it</param>
    /// <param name="digits">0 to 6</param>
    public static long Round(long ticks, int digits)
    {
        var unit = TicksPerUnit[digits];
        return (ticks + (unit / 2)) / unit * unit;
    }
}
