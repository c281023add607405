using System.Buffers;
using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values.Notations;

internal enum PatternPart
{
    Literal,
    Year2,
    Year4,
    Month,
    MonthName,
    Day,
    DayName,
    Hour24,
    Hour12,
    Minute,
    Second,

    /// <summary>Exactly this number of digits.</summary>
    Fraction,

    /// <summary>At most so many digits.</summary>
    OptionalFraction,

    /// <summary>Before an optional fraction, and missing with it.</summary>
    OptionalPoint,

    /// <summary>AM or PM, or their first letter.</summary>
    HalfDay,

    /// <summary><c>+hh:mm</c>, <c>+hhmm</c>, <c>+hh</c> or <c>Z</c>.</summary>
    Offset,
}

/// <param name="Count">letters of the pattern: with one, a number may have one digit or two</param>
/// <param name="Text">bytes of a literal</param>
internal sealed record PatternToken(PatternPart Part, int Count, byte[] Text);

/// <summary>How dates and times are written: custom date and time format strings as in .NET, as far as a column can store them
/// (docs/values.md has the list). Names are those of <see cref="CalendarNames"/>.</summary>
internal sealed class TimePattern
{
    private static readonly Dictionary<char, (PatternPart Part, int MaxCount)> Letters = new()
    {
        ['y'] = (PatternPart.Year4, 4),
        ['M'] = (PatternPart.Month, 4),
        ['d'] = (PatternPart.Day, 4),
        ['H'] = (PatternPart.Hour24, 2),
        ['h'] = (PatternPart.Hour12, 2),
        ['m'] = (PatternPart.Minute, 2),
        ['s'] = (PatternPart.Second, 2),
        ['f'] = (PatternPart.Fraction, 9),
        ['F'] = (PatternPart.OptionalFraction, 9),
        ['t'] = (PatternPart.HalfDay, 2),
        ['z'] = (PatternPart.Offset, 3),
        ['K'] = (PatternPart.Offset, 1),
        ['Z'] = (PatternPart.Offset, 1),
    };

    /// <summary>Letters of other languages' patterns.</summary>
    private static readonly SearchValues<char> ForeignLetters = SearchValues.Create("DYSAau");

    private TimePattern(IReadOnlyList<PatternToken> tokens) => Tokens = tokens;

    public IReadOnlyList<PatternToken> Tokens { get; }

    /// <exception cref="RequestException">it is no pattern, lacks a part, or has one that the column cannot store</exception>
    public static TimePattern Parse(ValueFormat format)
    {
        if (format.Text.Contains('%', StringComparison.Ordinal))
        {
            throw new RequestException($"{format}: patterns are written as in .NET, not with %: {FromPercents(format.Text)}");
        }

        var tokens = Split(format);
        Check(format, tokens);
        return new TimePattern(tokens);
    }

    private static List<PatternToken> Split(ValueFormat format)
    {
        var (text, tokens) = (format.Text, new List<PatternToken>());
        var literal = new StringBuilder();
        for (var at = 0; at < text.Length;)
        {
            var letter = text[at];
            var count = text[at..].TakeWhile(next => next == letter).Count();
            if (letter is '\'' or '"')
            {
                var end = text.IndexOf(letter, at + 1);
                if (end < 0)
                {
                    throw new RequestException($"{format}: the quote {letter} is not closed");
                }

                literal.Append(text, at + 1, end - at - 1);
                at = end + 1;
            }
            else if (letter == '\\' && at + 1 < text.Length)
            {
                literal.Append(text[at + 1]);
                at += 2;
            }
            else if (Letters.TryGetValue(letter, out var known))
            {
                if (count > known.MaxCount || (letter == 'y' && count is not (2 or 4)))
                {
                    throw new RequestException($"{format}: {new string(letter, count)} is no part of a date or "
                        + $"time{(letter == 'y' ? " (a year is yyyy or yy)" : "")}");
                }

                EndLiteral();
                tokens.Add(new PatternToken(PartOf(letter, count, known.Part), count, []));
                at += count;
            }
            else if (char.IsAsciiLetter(letter) && letter != 'T')
            {
                throw new RequestException(
                    $"{format}: {letter} is no part of a date or time{Advice(text)}; text is written in quotes, such as 'at'");
            }
            else
            {
                literal.Append(letter);
                at++;
            }
        }

        EndLiteral();
        for (var i = 1; i < tokens.Count; i++)
        {
            if (tokens[i].Part == PatternPart.OptionalFraction
                && tokens[i - 1] is { Part: PatternPart.Literal, Text: [.. var before, (byte)'.' or (byte)','] point })
            {
                tokens[i - 1] = new PatternToken(PatternPart.OptionalPoint, 0, point[^1..]);
                if (before.Length > 0)
                {
                    tokens.Insert(i - 1, new PatternToken(PatternPart.Literal, 0, before));
                    i++;
                }
            }
        }

        return tokens;

        void EndLiteral()
        {
            if (literal.Length > 0)
            {
                tokens.Add(new PatternToken(PatternPart.Literal, 0, Encoding.UTF8.GetBytes(literal.ToString())));
                literal.Clear();
            }
        }
    }

    private static PatternPart PartOf(char letter, int count, PatternPart part) => letter switch
    {
        'y' when count == 2 => PatternPart.Year2,
        'M' when count > 2 => PatternPart.MonthName,
        'd' when count > 2 => PatternPart.DayName,
        _ => part,
    };

    private static void Check(ValueFormat format, List<PatternToken> tokens)
    {
        RequestException Wrong(string why) => new($"{format}: {why}");
        bool Has(params PatternPart[] parts) => tokens.Any(token => parts.Contains(token.Part));

        var hasDate = Has(
            PatternPart.Year2, PatternPart.Year4, PatternPart.Month, PatternPart.MonthName, PatternPart.Day, PatternPart.DayName);
        var hasTime = Has(PatternPart.Hour24, PatternPart.Hour12, PatternPart.Minute, PatternPart.Second, PatternPart.Fraction,
            PatternPart.OptionalFraction, PatternPart.HalfDay);
        if (format.Aspect == ValueAspect.Date && hasTime && !Has(PatternPart.Month, PatternPart.MonthName) && Has(PatternPart.Minute))
        {
            throw Wrong($"mm are minutes, MM is the month: {format.Text.Replace('m', 'M')}");
        }

        if (format.Aspect == ValueAspect.Time && hasDate)
        {
            throw Wrong("a TIME column holds no date");
        }

        if (format.Aspect != ValueAspect.Time
            && !(Has(PatternPart.Year2, PatternPart.Year4) && Has(PatternPart.Month, PatternPart.MonthName) && Has(PatternPart.Day)))
        {
            throw Wrong("a date has a year, a month and a day, such as dd.MM.yyyy");
        }

        if (format.Aspect == ValueAspect.Date && (hasTime || Has(PatternPart.Offset)))
        {
            throw Wrong("a DATE column holds no time of day (--datetime-format is for DATETIME and TIMESTAMP columns)");
        }

        if (format.Aspect == ValueAspect.Time && (!Has(PatternPart.Hour24, PatternPart.Hour12) || Has(PatternPart.Offset)))
        {
            throw Wrong("a time has hours, such as HH:mm, and no offset");
        }

        if (hasTime && !Has(PatternPart.Hour24, PatternPart.Hour12))
        {
            throw Wrong("a time of day has hours, such as HH:mm");
        }

        if (Has(PatternPart.Hour12) != Has(PatternPart.HalfDay) || (Has(PatternPart.Hour12) && Has(PatternPart.Hour24)))
        {
            throw Wrong("hh goes with tt (AM or PM), HH is the hour from 00 to 23");
        }

        if (tokens.Where(token => token.Part is not (PatternPart.Literal or PatternPart.OptionalPoint)).GroupBy(token => token.Part switch
        {
            PatternPart.Year2 => PatternPart.Year4,
            PatternPart.MonthName => PatternPart.Month,
            PatternPart.OptionalFraction => PatternPart.Fraction,
            var part => part,
        }).Any(same => same.Count() > 1))
        {
            throw Wrong("a part of the date or time is there twice");
        }

        for (var i = 0; i + 1 < tokens.Count; i++)
        {
            if (IsNumber(tokens[i]) && tokens[i].Count == 1 && IsNumber(tokens[i + 1]))
            {
                throw Wrong("a number of one digit or two, directly before another number, has no clear end: write two letters");
            }
        }
    }

    private static bool IsNumber(PatternToken token) =>
        token.Part is not (PatternPart.Literal or PatternPart.OptionalPoint or PatternPart.MonthName or PatternPart.DayName
            or PatternPart.HalfDay or PatternPart.Offset);

    /// <summary>Advice for patterns of moment.js, Excel or Java.</summary>
    private static string Advice(string text) => text.AsSpan().ContainsAny(ForeignLetters)
        ? "; here it is " + text.Replace('D', 'd').Replace('Y', 'y').Replace('u', 'y').Replace('S', 'f')
            .Replace("A", "tt", StringComparison.Ordinal).Replace("a", "tt", StringComparison.Ordinal)
        : "";

    /// <summary>A pattern of strftime or MySQL's STR_TO_DATE().</summary>
    private static string FromPercents(string text)
    {
        var pattern = new StringBuilder();
        for (var at = 0; at < text.Length; at++)
        {
            if (text[at] != '%' || at + 1 == text.Length)
            {
                pattern.Append(text[at]);
                continue;
            }

            at++;
            pattern.Append(text[at] switch
            {
                'd' => "dd",
                'e' => "d",
                'm' => "MM",
                'c' => "M",
                'b' => "MMM",
                'M' => "MMMM",
                'Y' => "yyyy",
                'y' => "yy",
                'H' => "HH",
                'k' => "H",
                'h' or 'I' => "hh",
                'l' => "h",
                'i' => "mm",
                's' or 'S' => "ss",
                'f' => "ffffff",
                'p' => "tt",
                'a' => "ddd",
                'W' => "dddd",
                'T' => "HH:mm:ss",
                'z' => "zzz",
                var other => $"%{other}",
            });
        }

        return pattern.ToString();
    }
}
