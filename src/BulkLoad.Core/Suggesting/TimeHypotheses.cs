using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Suggesting;

/// <summary>The patterns in which the values of a date or time column may be written. Each value is tried with all of them.</summary>
/// <param name="column">its rule judges the values</param>
internal sealed class TimeHypotheses(TableColumn column, RuleOptions options)
{
    private const int MaxPatterns = 64;

    /// <summary>A part is the day if it has at least this many times more different numbers than the part that is the year.</summary>
    private const int MinVariation = 3;

    private const int MinDays = 9;

    private readonly ValueAspect _aspect = NotationSet.TimeAspectOf(column.Kind)!.Value;
    private readonly ValueRule _rule = ValueRules.For(column, options);
    private readonly List<Reading> _readings = [];
    private UInt128 _firstNumbers;
    private UInt128 _lastNumbers;
    private long _values;

    /// <summary>The readings that take all values, each with another meaning; the most frequent pattern first.</summary>
    public IReadOnlyList<Reading> Complete
    {
        get
        {
            var complete = _readings.Where(reading => reading.Taken == _values).DistinctBy(reading => reading.Meaning).ToList();
            var (first, last) = ((int)UInt128.PopCount(_firstNumbers), (int)UInt128.PopCount(_lastNumbers));
            return first >= MinVariation * last && first >= MinDays ? [.. complete.Where(reading => !StartsWithYear(reading))]
                : last >= MinVariation * first && last >= MinDays && complete.Exists(StartsWithYear)
                    ? [.. complete.Where(StartsWithYear)]
                : complete;
        }
    }

    public bool IsPossible => _readings.Exists(reading => reading.Taken == _values);

    /// <summary>The reading that takes the greatest number; null: there is none.</summary>
    public Reading? Best => _readings.MaxBy(reading => reading.Taken);

    public void Add(ReadOnlySpan<byte> text)
    {
        _values++;
        if (text.Length >= 8 && text[0] is >= (byte)'0' and <= (byte)'9' && text[1] is >= (byte)'0' and <= (byte)'9')
        {
            _firstNumbers |= UInt128.One << (((text[0] - '0') * 10) + text[1] - '0');
            _lastNumbers |= text[6] is >= (byte)'0' and <= (byte)'9' && text[7] is >= (byte)'0' and <= (byte)'9'
                ? UInt128.One << (((text[6] - '0') * 10) + text[7] - '0')
                : 0;
        }

        if (!Try(text) && _readings.Count < MaxPatterns)
        {
            foreach (var pattern in TimeShapes.PatternsOf(Encoding.UTF8.GetString(text), _aspect))
            {
                if (_readings.Count < MaxPatterns && _readings.TrueForAll(known => known.Text != pattern)
                    && Reading.Find([new ValueFormat(_aspect, null, pattern)], column, _rule) is { } reading)
                {
                    _readings.Add(reading);
                }
            }

            Try(text);
        }
    }

    private static bool StartsWithYear(Reading reading) =>
        reading.Text.StartsWith("yy", StringComparison.Ordinal) && !reading.Text.StartsWith("yyyy", StringComparison.Ordinal);

    private bool Try(ReadOnlySpan<byte> text)
    {
        var isTaken = false;
        foreach (var reading in _readings)
        {
            isTaken |= reading.Add(text);
        }

        return isTaken;
    }
}

/// <summary>One way to read a column's values; counts those that it takes, and hashes their meanings.</summary>
internal sealed class Reading
{
    private readonly ValueRule _rule;
    private readonly RowBlock _scratch = new(1, 64);

    private Reading(IReadOnlyList<ValueFormat> formats, ValueRule rule) => (Formats, _rule) = (formats, rule);

    public IReadOnlyList<ValueFormat> Formats { get; }

    public string Text => Formats[0].Text;

    /// <summary>Number of values.</summary>
    public long Taken { get; private set; }

    /// <summary>Equal for two readings that take the same values and give them the same meaning.</summary>
    public ulong Meaning { get; private set; }

    public static Reading Plain(ValueRule rule) => new([], rule);

    /// <param name="formats">none of them names a column</param>
    /// <param name="rule">the column's, without formats</param>
    /// <returns>null: an option refuses its value, so that nobody can type it</returns>
    public static Reading? Find(IReadOnlyList<ValueFormat> formats, TableColumn column, ValueRule rule)
    {
        try
        {
            return new(formats, new NotationSet(formats).For(column) is { } notation ? new NotatedRule(rule, notation) : rule);
        }
        catch (RequestException)
        {
            return null;
        }
    }

    /// <summary>Reads a text that <see cref="FieldText"/> has written; null: it is not taken.</summary>
    public string? Show(string shown)
    {
        if (_rule.Add(Encoding.UTF8.GetBytes(shown.Trim('\'')), _scratch) is not null)
        {
            _scratch.AbandonRow();
            return null;
        }

        _scratch.EndRow(1, 1, 0, []);
        _scratch.Get(0, 0, out var value);
        var text = Encoding.UTF8.GetString(value);
        _scratch.Clear();
        return text;
    }

    /// <summary>Takes over the counts of another reading.</summary>
    public Reading Continue(Reading? before)
    {
        (Taken, Meaning) = before is null ? (Taken, Meaning) : (before.Taken, before.Meaning);
        return this;
    }

    public bool Add(ReadOnlySpan<byte> text)
    {
        if (_rule.Add(text, _scratch) is not null)
        {
            _scratch.AbandonRow();
            return false;
        }

        _scratch.EndRow(1, 1, 0, []);
        _scratch.Get(0, 0, out var value);
        Taken++;
        Meaning = (Meaning * 0x9E3779B97F4A7C15UL) + System.IO.Hashing.XxHash3.HashToUInt64(value);
        _scratch.Clear();
        return true;
    }
}

/// <summary>Finds the patterns in which a value may be written.</summary>
internal static class TimeShapes
{
    public static IEnumerable<string> PatternsOf(string text, ValueAspect aspect)
    {
        if (text.Length is 0 or > 60)
        {
            return [];
        }

        var patterns = aspect == ValueAspect.Time ? TimesOf(text, takesOffset: false)
            : DatesOf(text, takesTime: aspect == ValueAspect.DateTime);
        return patterns.Concat(NumbersOf(text, aspect)).Distinct();
    }

    /// <summary>Counts of days or seconds, in a plausible range.</summary>
    private static IEnumerable<string> NumbersOf(string text, ValueAspect aspect)
    {
        if (!double.TryParse(text.Replace(',', '.'), NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign,
            CultureInfo.InvariantCulture, out var number))
        {
            return [];
        }

        return aspect == ValueAspect.Time ? number is >= 0 and < 2 && text.AsSpan().ContainsAny(".,") ? ["excel"] : []
            : number is >= 10_000 and < 80_000 ? ["excel"]
            : number is >= 1e8 and < 1e10 ? ["epoch"]
            : number is >= 1e11 and < 1e13 ? ["epoch-ms"]
            : [];
    }

    private static IEnumerable<string> DatesOf(string text, bool takesTime)
    {
        var tokens = Split(text);
        var lead = "";
        if (tokens is [{ Kind: 'a' } day, { Kind: 's' } gap, ..] && Forms(day.Text, "dddd", CalendarNames.TakeDay) is [var form, ..])
        {
            lead = form + Literal(AfterName(day, gap));
            tokens = tokens[2..];
        }

        if (tokens is [{ Kind: 'd', Text.Length: 6 or 8 or 12 or 14 } whole, ..])
        {
            foreach (var pattern in WholeDates(whole.Text, takesTime))
            {
                foreach (var rest in takesTime ? RestsOf(tokens[1..]) : tokens.Count == 1 ? [""] : [])
                {
                    yield return $"{lead}{pattern}{rest}";
                }
            }
        }

        if (tokens is not [{ Kind: 'd' or 'a' } first, { Kind: 's' } one, { Kind: 'd' or 'a' } second, { Kind: 's' } two,
            { Kind: 'd' } third, ..])
        {
            yield break;
        }

        var end = tokens is [_, _, _, _, _, { Kind: 's', Text: "." }] or [_, _, _, _, _, { Kind: 's', Text: "." }, ..]
            ? tokens[5].Text
            : "";
        var after = tokens[5..];
        foreach (var rest in takesTime
            ? RestsOf(after).DefaultIfEmpty(end)
            : after.Count == 0
            ? [""]
            : after.Count == 1 && after[0].Text == "."
            ? ["."]
            : [])
        {
            foreach (var (a, b, c) in Orders(first, second, third))
            {
                yield return $"{lead}{a}{Literal(AfterName(first, one))}{b}{Literal(AfterName(second, two))}{c}{rest}";
            }
        }
    }

    /// <summary>Forms of two digits come before those of one or two: they are more exact.</summary>
    private static IEnumerable<(string, string, string)> Orders(Token first, Token second, Token third)
    {
        if (first.Kind == 'a' || second.Kind == 'a')
        {
            var (name, day) = first.Kind == 'a' ? (first, second) : (second, first);
            foreach (var month in day.Text.Length <= 2 ? Forms(name.Text, "MMMM", CalendarNames.TakeMonth) : [])
            {
                foreach (var form in Year(third) is null ? [] : OneOrTwoDigits("dd", day))
                {
                    yield return first.Kind == 'a' ? (month, form, Year(third)!) : (form, month, Year(third)!);
                }
            }

            yield break;
        }

        if (first.Text.Length == 4 && second.Text.Length <= 2 && third.Text.Length <= 2)
        {
            foreach (var month in OneOrTwoDigits("MM", second))
            {
                foreach (var day in OneOrTwoDigits("dd", third))
                {
                    yield return ("yyyy", month, day);
                }
            }
        }

        if (first.Text.Length > 2 || second.Text.Length > 2 || third.Text.Length is not (2 or 4))
        {
            yield break;
        }

        foreach (var a in OneOrTwoDigits("dd", first))
        {
            foreach (var b in OneOrTwoDigits("MM", second))
            {
                yield return (a, b, Year(third)!);
                yield return (a.Replace('d', 'M'), b.Replace('M', 'd'), Year(third)!);
                if (third.Text.Length == 2 && first.Text.Length == 2)
                {
                    yield return ("yy", b, third.Text.Length == 2 && a.Length == 2 ? "dd" : "d");
                }
            }
        }
    }

    private static IEnumerable<string> WholeDates(string digits, bool takesTime) => digits.Length switch
    {
        6 => ["yyMMdd", "ddMMyy", "MMddyy"],
        8 => ["yyyyMMdd", "ddMMyyyy", "MMddyyyy"],
        12 when takesTime => ["yyyyMMddHHmm"],
        14 when takesTime => ["yyyyMMddHHmmss"],
        _ => [],
    };

    /// <summary>Patterns of what follows a date: nothing, or a time of day and what separates it.</summary>
    private static IEnumerable<string> RestsOf(List<Token> tokens)
    {
        if (tokens.Count == 0)
        {
            return [""];
        }

        var gap = tokens[0].Kind == 'd' ? "" : Literal(tokens[0].Text);
        var time = tokens[0].Kind == 'd' ? tokens : tokens[1..];
        if (tokens[0] is { Kind: 's' } && tokens is [_, { Kind: 'a' } word, { Kind: 's' } second, ..] && word.Text.Length > 1)
        {
            (gap, time) = ($"{gap}'{word.Text}'{Literal(second.Text)}", tokens[3..]);
        }

        return TimesOf(string.Concat(time.Select(token => token.Text)), takesOffset: true).Select(pattern => gap + pattern);
    }

    private static IEnumerable<string> TimesOf(string text, bool takesOffset)
    {
        var tokens = Split(text);
        if (tokens is not [{ Kind: 'd' } hour, { Kind: 's', Text: ":" or "." or "h" or "-" } one, { Kind: 'd', Text.Length: <= 2 }, ..]
            || hour.Text.Length > 2)
        {
            yield break;
        }

        var (pattern, rest) = ($"{one.Text}mm", tokens[3..]);
        if (rest is [{ Kind: 's' } two, { Kind: 'd', Text.Length: 2 }, ..] && two.Text == one.Text)
        {
            (pattern, rest) = ($"{pattern}{two.Text}ss", rest[2..]);
            if (rest is [{ Kind: 's', Text: "." or "," } point, { Kind: 'd', Text.Length: <= 9 }, ..])
            {
                (pattern, rest) = ($"{pattern}{point.Text}FFFFFF", rest[2..]);
            }
        }

        var isHalf = false;
        if (rest is [{ Kind: 's', Text: " " }, { Kind: 'a' } half, ..] && IsHalfDay(half.Text))
        {
            (pattern, rest, isHalf) = ($"{pattern} {(half.Text.Length == 2 ? "tt" : "t")}", rest[2..], true);
        }
        else if (rest is [{ Kind: 'a' } close, ..] && IsHalfDay(close.Text))
        {
            (pattern, rest, isHalf) = ($"{pattern}{(close.Text.Length == 2 ? "tt" : "t")}", rest[1..], true);
        }

        if (takesOffset
            && rest is [{ Kind: 's', Text: " +" or "+" or " -" or "-" or " " }, ..] or [{ Kind: 'a', Text: "Z" or "z" }])
        {
            (pattern, rest) = ($"{pattern}{(rest[0].Text.StartsWith(' ') ? " " : "")}zzz", []);
        }
        else if (rest is [{ Kind: 's', Text: " " }, { Kind: 'a', Text: "Uhr" or "h" or "hrs" or "UTC" } word])
        {
            (pattern, rest) = ($"{pattern}{(word.Text == "UTC" ? "" : $" '{word.Text}'")}", word.Text == "UTC" ? rest : []);
        }

        if (rest.Count > 0)
        {
            yield break;
        }

        var (full, short1) = isHalf ? ("hh", "h") : ("HH", "H");
        if (hour.Text.Length == 2)
        {
            yield return full + pattern;
        }

        yield return short1 + pattern;
    }

    private static IEnumerable<string> OneOrTwoDigits(string form, Token token) => token.Text.Length == 2 ? [form, form[..1]] : [form[..1]];

    private static string? Year(Token token) => token.Text.Length switch
    {
        4 => "yyyy",
        2 => "yy",
        _ => null,
    };

    private delegate int NameTaker(ref ReadOnlySpan<byte> text, bool isShort);

    /// <summary>The forms for which a name is an abbreviation or a whole name; may be both, or none.</summary>
    private static List<string> Forms(string name, string form, NameTaker take)
    {
        List<string> forms = [];
        foreach (var isShort in (bool[])[true, false])
        {
            ReadOnlySpan<byte> text = Encoding.UTF8.GetBytes(name);
            if (take(ref text, isShort) >= 0 && text.IsEmpty)
            {
                forms.Add(isShort ? form[1..] : form);
            }
        }

        return forms;
    }

    /// <summary>The text between two parts, without the point of an abbreviation, which its form includes.</summary>
    private static string AfterName(Token part, Token gap) => part.Kind == 'a' && gap.Text is ['.', _, ..] ? gap.Text[1..] : gap.Text;

    private static bool IsHalfDay(string text) => text.ToLowerInvariant() is "am" or "pm" or "a" or "p";

    /// <summary>A pattern has letters that mean themselves in quotes.</summary>
    private static string Literal(string text) =>
        text.All(letter => !char.IsAsciiLetter(letter) && letter is not ('\'' or '"' or '\\' or '%')) || text == "T"
            ? text
            : $"'{text.Replace("'", "", StringComparison.Ordinal)}'";

    /// <param name="Kind"><c>d</c>: digits; <c>a</c>: letters; <c>s</c>: anything else</param>
    private sealed record Token(char Kind, string Text);

    private static List<Token> Split(string text)
    {
        var tokens = new List<Token>();
        for (var at = 0; at < text.Length;)
        {
            var kind = KindOf(text[at]);
            var length = 1;
            while (at + length < text.Length && KindOf(text[at + length]) == kind)
            {
                length++;
            }

            var part = text.Substring(at, length);

            // The letter of ISO 8601 between date and time.
            tokens.Add(new Token(part == "T" ? 's' : kind, part));
            at += length;
        }

        return tokens;
    }

    private static char KindOf(char letter) => char.IsAsciiDigit(letter) ? 'd' : char.IsLetter(letter) ? 'a' : 's';
}
