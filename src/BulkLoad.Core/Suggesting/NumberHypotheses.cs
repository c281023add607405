using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Suggesting;

/// <summary>How numbers may be written: decimal character, thousands, currencies, percent signs.</summary>
/// <param name="column">its rule judges the values</param>
internal sealed class NumberHypotheses(TableColumn column, RuleOptions options)
{
    private const int MaxCurrencies = 6;
    private const int LongestCurrency = 8;

    /// <summary>The most frequent first; of two with the same meaning, the first counts.</summary>
    public static IReadOnlyList<(string Point, string? Groups)> Forms { get; } =
        [(".", null), (",", null), (".", ","), (",", "."), (",", "space"), (".", "space"), (".", "'"), (",", "'")];

    private static readonly HashSet<string> CurrencyWords = new(StringComparer.OrdinalIgnoreCase)
    {
        "kr", "kr.", "zł", "Kč", "Ft", "lei", "лв", "лв.", "руб", "руб.", "р.", "грн", "грн.", "TL", "Fr.", "Fr", "RM", "Rp", "Rs", "Rs.",
        "円", "元", "원", "د.إ", "ден", "дин", "дин.", "din", "din.", "KM", "L",
    };

    private readonly ValueRule _rule = ValueRules.For(column, options);
    private readonly ValueRule _rounding = ValueRules.For(column, options with { Rounds = true });
    private readonly List<string> _currencies = [];
    private List<Reading> _readings = [];
    private List<Reading> _rounded = [];
    private bool _isClear;
    private bool _hasPercent;
    private bool _isBegun;
    private long _values;
    private long _before;

    /// <summary>Whether a value has a character that the hypotheses read in different ways.</summary>
    public bool HasEvidence { get; private set; }

    /// <summary>The readings that take all values, the most frequent first; some may have the same meaning.</summary>
    public IReadOnlyList<Reading> Complete => [.. _readings.Where(reading => reading.Taken == _values - _before)];

    /// <summary>The readings that take numbers for fractions, finer than the column, and round them. Empty unless every number that is not
    /// whole has one group of three digits, such as 1.234, and none has more digits without a group: nothing tells which it is.</summary>
    public IReadOnlyList<Reading> Rounded => _isClear ? [] : [.. _rounded.Where(reading => reading.Taken == _values - _before)];

    public bool IsPossible => _readings.Exists(reading => reading.Taken == _values - _before);

    public Reading? Best => _readings.MaxBy(reading => reading.Taken);

    public bool IsAny => _values > 0;

    /// <param name="text">a value that may be a number</param>
    public void Add(ReadOnlySpan<byte> text)
    {
        _values++;
        if (NumberNotation.IsWhole(text))
        {
            // Every form reads it in the same way. One that demands a percent sign would not, but no form here does.
            _before++;
            _isClear |= text.Length > 4 || (text.Length == 4 && text[0] != '-');
            return;
        }

        HasEvidence |= text.IndexOfAny(" .,'"u8) >= 0;
        _isClear |= !HasOneGroup(text);
        Learn(text);
        foreach (var reading in _readings)
        {
            reading.Add(text);
        }

        foreach (var reading in _rounded)
        {
            reading.Add(text);
        }
    }

    /// <summary>A new sign makes new hypotheses. Counts up to now are right for them too: no value had the sign.</summary>
    private void Learn(ReadOnlySpan<byte> text)
    {
        var percent = text.IndexOf((byte)'%') >= 0;
        var word = AffixOf(text);
        var isNew = word is not null && _currencies.Count < MaxCurrencies && !_currencies.Contains(word)
            && Reading.Find([new(ValueAspect.Currency, null, word)], column, _rule) is not null;
        if (_isBegun && !isNew && (!percent || _hasPercent))
        {
            return;
        }

        if (isNew)
        {
            _currencies.Add(word!);
        }

        var (had, rounded) = (_readings, _rounded);
        _hasPercent |= percent;
        _isBegun = true;
        (_readings, _rounded) = ([], []);
        foreach (var meaning in _hasPercent ? (string?[])["number", "fraction"] : [null])
        {
            foreach (var (point, groups) in Forms)
            {
                List<ValueFormat> formats = [];
                if (point != ".")
                {
                    formats.Add(new(ValueAspect.DecimalPoint, null, point));
                }

                if (groups is not null)
                {
                    formats.Add(new(ValueAspect.Thousands, null, groups));
                }

                if (_currencies.Count > 0)
                {
                    formats.Add(new(ValueAspect.Currency, null, string.Join(',', _currencies)));
                }

                if (meaning is not null)
                {
                    formats.Add(new(ValueAspect.Percent, null, meaning));
                }

                Take(_readings, had, _rule);
                if (groups is null)
                {
                    Take(_rounded, rounded, _rounding);
                }

                void Take(List<Reading> to, List<Reading> from, ValueRule rule)
                {
                    if (Reading.Find(formats, column, rule) is { } reading)
                    {
                        to.Add(reading.Continue(from.Find(
                            old => PointOf(old) == point && GroupsOf(old) == groups && (MeaningOf(old) ?? meaning) == meaning)));
                    }
                }
            }
        }
    }

    /// <summary>Whether the digits are like 1.234: one mark, before three digits.</summary>
    private static bool HasOneGroup(ReadOnlySpan<byte> text)
    {
        var (first, last) = (text.IndexOfAnyInRange((byte)'0', (byte)'9'), text.LastIndexOfAnyInRange((byte)'0', (byte)'9'));
        var digits = first < 0 ? [] : text[first..(last + 1)];
        var mark = digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return mark is >= 1 and <= 3 && digits.Length == mark + 4 && digits[mark] is (byte)'.' or (byte)','
            && digits[(mark + 1)..].IndexOfAnyExceptInRange((byte)'0', (byte)'9') < 0 && digits[0] != '0';
    }

    public static string PointOf(Reading reading) => Find(reading, ValueAspect.DecimalPoint) ?? ".";

    public static string? GroupsOf(Reading reading) => Find(reading, ValueAspect.Thousands);

    public static string? MeaningOf(Reading reading) => Find(reading, ValueAspect.Percent);

    private static string? Find(Reading reading, ValueAspect aspect) =>
        reading.Formats.FirstOrDefault(format => format.Aspect == aspect)?.Text;

    /// <summary>The text beside a number that is no digit, sign, blank or percent sign; null: none, or between digits.</summary>
    private static string? AffixOf(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > 60 || bytes.IndexOfAnyInRange((byte)'0', (byte)'9') < 0)
        {
            return null;
        }

        var text = Encoding.UTF8.GetString(bytes);
        var (first, last) = (text.AsSpan().IndexOfAnyInRange('0', '9'), text.AsSpan().LastIndexOfAnyInRange('0', '9'));
        var front = Trim(text[..first]);
        var back = Trim(text[(last + 1)..]);
        var word = front.Length > 0 ? front : back;
        return word.Length is > 0 and <= LongestCurrency && (front.Length == 0 || back.Length == 0) && IsCurrency(word) ? word : null;
    }

    /// <summary>A currency's sign, code, or known word.</summary>
    private static bool IsCurrency(string word) => word.Any(letter => char.GetUnicodeCategory(letter) == UnicodeCategory.CurrencySymbol)
        ? !word.Any(char.IsWhiteSpace) && !word.Contains(',')
        : (word.Length == 3 && word.All(char.IsAsciiLetterUpper)) || CurrencyWords.Contains(word);

    private static string Trim(string text) => text.Trim(' ', '\u00A0', '\u2009', '\u202F', '-', '+', '(', ')', '\u2212', '%');
}
