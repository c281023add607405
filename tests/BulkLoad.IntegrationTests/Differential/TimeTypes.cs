namespace BulkLoad.IntegrationTests.Differential;

/// <summary>Dates and times; the session's zone is UTC.</summary>
internal static class TimeTypes
{
    private static readonly CultureInfo Plain = CultureInfo.InvariantCulture;

    public static IEnumerable<ColumnType> All =>
    [
        Date(),
        DateTime(0), DateTime(3), DateTime(6),
        Timestamp(0), Timestamp(6),
        Time(0), Time(2), Time(6),
        new("YEAR",
            (random, _) =>
                random.Next(5) == 0 ? Year(Cell.Pick(random, ["1901", "2155", "0000"])) : Year(random.Next(1901, 2156).ToString(Plain)),
            (random, _) => Cell.Bad(Cell.Pick(random, ["1900", "2156", "99", "+1999", "1999.0", "", " 1999", "19990"]), "not-a-year")),
    ];

    private static Cell Year(string text) => Cell.Of(text, text) with { IsJson = text[0] != '0' };

    private static ColumnType Date() => new(
        "DATE",
        (random, _) =>
        {
            var day = Day(random, new DateOnly(1, 1, 1), new DateOnly(9999, 12, 31)).ToString("yyyy-MM-dd", Plain);
            return Cell.Of(
                random.Next(6) switch { 0 => $"{day} 00:00", 1 => $"{day}T00:00:00", 2 => $"{day} 00:00:00.000", _ => day }, day);
        },
        (random, form) => random.Next(4) switch
        {
            0 when form.TakesZeroDates => Same(Cell.Pick(random, ["0000-00-00", "2024-00-10", "2024-05-00", "0000-05-05"])),
            0 => Cell.Bad(
                Cell.Pick(random, ["2023-02-29", "2024-02-30", "1900-02-29", "0000-00-00", "2024-00-10", "2024-04-31"]), "impossible-date"),
            1 => Cell.Bad("2024-01-31 10:00", "has-time"),
            2 => Cell.Bad("2024-01-31T00:00:00Z", "has-offset"),
            _ => Cell.Bad(Cell.Pick(random, ["31.12.2024", "2024-1-31", "20240131", " 2024-01-31", "24-01-31", "", "x"]), "not-a-date"),
        });

    private static Cell Same(string text) => Cell.Of(text, text);

    private static string Fraction(int units, int digits) => digits == 0 ? "" : $".{units.ToString(Plain).PadLeft(digits, '0')}";

    /// <summary>One digit more than the column has, in the upper half of its last one.</summary>
    /// <param name="text">a time without a fraction</param>
    /// <param name="next">a second further</param>
    /// <param name="digit">the one too many</param>
    /// <param name="digits">that the column has</param>
    /// <param name="form">says whether it is rounded</param>
    private static Cell Finer(string text, string next, char digit, int digits, FileForm form)
    {
        var field = $"{text}.{new string('0', digits)}{digit}";
        return form.Rounds ? Cell.Of(field, digits == 0 ? next : $"{text}{Fraction(1, digits)}") : Cell.Bad(field, "too-many-decimals");
    }

    private static DateOnly Day(Random random, DateOnly first, DateOnly last) => random.Next(6) switch
    {
        0 => first,
        1 => last,
        2 => new DateOnly(2000, 2, 29),
        _ => first.AddDays(random.Next(last.DayNumber - first.DayNumber + 1)),
    };

    private static ColumnType DateTime(int digits) => new(
        $"DATETIME({digits})",
        (random, _) =>
        {
            var moment = random.Next(6) switch
            {
                0 => new DateTime(1, 1, 2, 0, 0, 0, DateTimeKind.Unspecified),
                1 => Cut(new DateTime(9999, 12, 30, 23, 59, 59, DateTimeKind.Unspecified).AddTicks(9_999_999), digits),
                _ => Cut(new DateTime(random.NextInt64(new DateTime(2, 1, 1).Ticks, new DateTime(9999, 12, 30).Ticks)), digits),
            };
            return Spell(random, moment, digits);
        },
        (random, form) => random.Next(3) switch
        {
            0 when form.TakesZeroDates && random.Next(2) == 0 => Cell.Of("2024-05-00 10:11", $"2024-05-00 10:11:00{Fraction(0, digits)}"),
            0 when form.TakesZeroDates => Cell.Of("0000-00-00", $"0000-00-00 00:00:00{Fraction(0, digits)}"),
            0 => Cell.Bad(Cell.Pick(random, ["2024-01-31 24:00:00", "2024-02-30 10:00", "2024-01-31 10:00:60", "0000-00-00 00:00:00"]),
                "impossible-date"),
            1 => Finer("2024-01-31 10:00:05", "2024-01-31 10:00:06", '6', digits, form),
            _ => Cell.Bad(Cell.Pick(random, ["2024-01-31 10", "2024-01-31 10:00 PM", "", "now", "2024-01-31  10:00:00"]), "not-a-date"),
        });

    private static ColumnType Timestamp(int digits) => new(
        $"TIMESTAMP({digits})",
        (random, _) =>
        {
            var (first, last) = (new DateTime(1970, 1, 1, 0, 0, 1, DateTimeKind.Unspecified),
                new DateTime(2038, 1, 19, 3, 14, 7, DateTimeKind.Unspecified));
            return Spell(random,
                random.Next(6) switch { 0 => first, 1 => last, _ => Cut(new DateTime(random.NextInt64(first.Ticks, last.Ticks)), digits) },
                digits);
        },
        (random, form) => random.Next(3) switch
        {
            _ when form.TakesZeroDates && random.Next(3) == 0 => Cell.Of("0000-00-00", $"0000-00-00 00:00:00{Fraction(0, digits)}"),
            0 => Finer("2024-01-31 10:00:05", "2024-01-31 10:00:06", '6', digits, form),
            1 => Cell.Bad("2024-02-30", "impossible-date"),
            _ => Cell.Bad(Cell.Pick(random, ["1970-01-01 00:00:00", "2038-01-19 03:14:08", "1970-01-01 00:59:59+01:00", "2039-01-01",
                "1969-12-31 23:59:59"]), "out-of-range"),
        })
    { LeavesDefaultToServer = true };

    private static DateTime Cut(DateTime moment, int digits)
    {
        var unit = (long)Math.Pow(10, 7 - digits);
        return new DateTime(moment.Ticks / unit * unit, DateTimeKind.Unspecified);
    }

    private static Cell Spell(Random random, DateTime moment, int digits)
    {
        var stored = moment.ToString(digits == 0 ? "yyyy-MM-dd HH:mm:ss" : $"yyyy-MM-dd HH:mm:ss.{new string('f', digits)}", Plain);
        var (written, offset) = random.Next(5) switch
        {
            0 => (moment, "Z"),
            1 => (moment.AddMinutes(150), "+02:30"),
            2 => (moment.AddHours(-5), random.Next(2) == 0 ? "-05:00" : "-0500"),
            _ => (moment, ""),
        };
        var field = written.ToString($"yyyy-MM-dd{(random.Next(2) == 0 ? "'T'" : " ")}HH:mm:ss.ffffff", Plain);
        field = random.Next(3) switch
        {
            0 => $"{field}0",
            _ when !field.EndsWith(".000000", StringComparison.Ordinal) => field.TrimEnd('0'),
            1 when written is { Second: 0 } => field[..16],
            _ => field[..19],
        };
        return Cell.Of($"{field}{offset}", stored);
    }

    private static ColumnType Time(int digits) => new(
        $"TIME({digits})",
        (random, _) =>
        {
            const long Most = 838L * 3600 + (59 * 60) + 59;
            var seconds = random.Next(6) switch { 0 => Most, 1 => 0, 2 => random.Next(86_400), _ => random.NextInt64(Most) };
            var fraction = seconds == Most || digits == 0 ? 0 : random.Next((int)Math.Pow(10, digits));
            var isNegative = random.Next(3) == 0 && (seconds > 0 || fraction > 0);
            var sign = isNegative ? "-" : "";
            var (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            var point = digits == 0 ? "" : $".{fraction.ToString(Plain).PadLeft(digits, '0')}";
            var stored = string.Create(Plain, $"{sign}{hours:00}:{minutes:00}:{rest:00}{point}");
            return Cell.Of(
                random.Next(4) switch
                {
                    0 => string.Create(Plain, $"{sign}{hours}:{minutes:00}:{rest:00}{point}"),
                    1 when rest == 0 && fraction == 0 => string.Create(Plain, $"{sign}{hours:00}:{minutes:00}"),
                    2 => digits == 0 ? $"{stored}.000" : $"{stored}00",
                    _ => stored,
                },
                stored);
        },
        (random, form) => random.Next(3) switch
        {
            0 => Cell.Bad(Cell.Pick(random, ["839:00:00", "-839:00:00"]), "out-of-range"),
            1 => Finer("-08:30:00", "-08:30:01", '5', digits, form),
            _ => Cell.Bad(Cell.Pick(random, ["12", "12:60", "1 02:03:04", "", "083000", "08:30:60", " 08:30"]), "not-a-time"),
        });
}
