using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Suggesting;

/// <summary>Collects how one column's fields may be written. Constant in size.</summary>
internal sealed class FieldStudy
{
    private const int MaxWords = 8;
    private const int LongestWord = 40;
    private const int LongestNull = 9;

    private const int MaxSamples = 200;

    /// <summary>If no hypothesis has taken all of so many values, none will.</summary>
    private const int GiveUpAfter = 1000;

    private static readonly HashSet<string> CommonNulls = new(StringComparer.OrdinalIgnoreCase)
    {
        "null", "(null)", "n/a", "#n/a", "na", "nan", "none", "nil", "-", "--", "—", "?", "k.a.", "n.v.", "nd", "n.d.", "undefined",
    };

    private readonly NullMatcher _nullWords;
    private readonly ValueOptions _options;
    private readonly Reading[] _plain;
    private readonly Reading? _rounding;
    private readonly List<string> _samples = [];
    private readonly bool _isText;
    private readonly List<(BinaryForm Form, Reading Reading)> _bytes = [];
    private bool _hasSignOfBase64;

    /// <param name="column">null: there is no table yet, and the values decide</param>
    public FieldStudy(string name, TableColumn? column, RuleOptions options, ValueOptions values)
    {
        (Name, Column, _nullWords, _options) = (name, column, new NullMatcher(values, name), values);
        TableColumn[] kinds = column is not null
            ? [column]
            : [ColumnTypes.Date, ColumnTypes.DateTime(6), ColumnTypes.Time(6), ColumnTypes.Decimal(65, 30), ColumnTypes.Boolean];
        _plain = [.. kinds.Select(kind => Reading.Plain(ValueRules.For(kind, options)))];
        _rounding = column is null || options.Rounds ? null : Reading.Plain(ValueRules.For(column, options with { Rounds = true }));
        Times = [.. kinds.Where(kind => NotationSet.TimeAspectOf(kind.Kind) is not null)
            .Select(kind => (kind.Kind, new TimeHypotheses(kind, options)))];
        Numbers = kinds.FirstOrDefault(kind => kind is { IsNumber: true, IsBoolean: false }) is { } number
            ? new NumberHypotheses(number, options) : null;
        _isText = column is { IsText: true } or { IsBinary: true } or { Kind: ColumnKind.Json };
        IsTruth = column is null or { IsBoolean: true };
        if (column is { IsBinary: true, VectorSize: 0 } && options.BinaryOf(name) is not BinaryForm.Raw and var form
            && !values.BinaryColumns.Any(own => own.Column.Equals(name, StringComparison.OrdinalIgnoreCase)))
        {
            _bytes.AddRange(((BinaryForm[])[BinaryForm.Uuid, BinaryForm.Hex, BinaryForm.Base64]).Where(other => other != form)
                .Select(other => (other, Reading.Plain(ValueRules.For(column, options with { BinaryOf = _ => other })))));
        }
    }

    public string Name { get; }

    public TableColumn? Column { get; }

    /// <summary>Number of values that are not NULL.</summary>
    public long Values { get; private set; }

    public bool IsPlain => _plain.Any(reading => reading.Taken == Values);

    public long Plain => _plain.Max(reading => reading.Taken);

    /// <summary>Number of values that the rules would take only if they were rounded.</summary>
    public long Rounded => _rounding?.Taken ?? 0;

    public IReadOnlyList<(ColumnKind Kind, TimeHypotheses Hypotheses)> Times { get; }

    /// <summary>Null: the column is not a number.</summary>
    public NumberHypotheses? Numbers { get; }

    public bool IsTruth { get; }

    /// <summary>The form of a binary column's values that takes all, where the usual one does not; null: none surely does.</summary>
    public BinaryForm? Bytes => IsPlain ? null : _bytes.Where(one => one.Reading.Taken == Values
        && (one.Form != BinaryForm.Base64 || _hasSignOfBase64)).Select(one => (BinaryForm?)one.Form).FirstOrDefault();

    /// <summary>Distinct values in small letters; null: there are too many.</summary>
    public HashSet<string>? Words { get; private set; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Refused words that mean NULL, with their counts.</summary>
    public Dictionary<string, long> Nulls { get; } = new(StringComparer.Ordinal);

    /// <summary>As <see cref="Nulls"/>, for quoted fields; the empty text is one.</summary>
    public Dictionary<string, long> QuotedNulls { get; } = new(StringComparer.Ordinal);

    /// <summary>The first distinct values that the rules refuse, for people.</summary>
    public IReadOnlyList<string> Samples => _samples;

    public bool NeedsTrim { get; private set; }

    public string? Example { get; private set; }

    /// <summary>1-based.</summary>
    public long ExampleRecord { get; private set; }

    public void Add(FieldKind kind, ReadOnlySpan<byte> value, long record, bool isJson)
    {
        var isQuoted = kind == (isJson ? FieldKind.JsonString : FieldKind.Quoted);
        var canBeNull = kind == FieldKind.Bare || isQuoted;
        if (kind is FieldKind.Null or FieldKind.Missing
            || ((kind == FieldKind.Bare || (isQuoted && _options.NullQuoted)) && (value.IsEmpty || _nullWords.Contain(value))))
        {
            return;
        }

        if (_isText)
        {
            var mayBeNull = canBeNull && IsNullWord(value, isQuoted);
            var isTaken = (_bytes.Count > 0 || (mayBeNull && Column is not { IsCharacter: true })) && TakePlain(value);
            if (mayBeNull && !isTaken)
            {
                Count(isQuoted ? QuotedNulls : Nulls, value);
            }
            else if (_bytes.Count > 0)
            {
                AddBytes(value, record, isTaken);
            }

            return;
        }

        var isPlain = TakePlain(value);
        if (!isPlain && value.Trim(" \t"u8) is var trimmed && trimmed.Length < value.Length)
        {
            NeedsTrim = true;
            value = trimmed;
            isPlain = TakePlain(value);
            if (value.IsEmpty)
            {
                return;
            }
        }

        if (!isPlain && canBeNull && IsNullWord(value, isQuoted))
        {
            Count(isQuoted ? QuotedNulls : Nulls, value);
            return;
        }

        Values++;
        if (!isPlain)
        {
            _rounding?.Add(value);
        }

        if (!isPlain)
        {
            Keep(value, record);
        }

        Collect(value);
        if (Numbers is not null && !(isJson && kind == FieldKind.Quoted) && (Values < GiveUpAfter || Numbers.IsPossible))
        {
            Numbers.Add(value);
        }

        foreach (var (_, hypotheses) in Times)
        {
            if (Values < GiveUpAfter || hypotheses.IsPossible)
            {
                hypotheses.Add(value);
            }
        }
    }

    private void AddBytes(ReadOnlySpan<byte> value, long record, bool isTaken)
    {
        Values++;
        if (!isTaken)
        {
            Keep(value, record);
        }

        // Any word of four letters would be base64, too.
        _hasSignOfBase64 |= value.ContainsAny("+/="u8);
        foreach (var (_, reading) in _bytes)
        {
            reading.Add(value);
        }
    }

    private void Keep(ReadOnlySpan<byte> refused, long record)
    {
        if (_samples.Count < MaxSamples && FieldText.Show(refused) is var shown && !_samples.Contains(shown))
        {
            ExampleRecord = Example is null ? record : ExampleRecord;
            Example ??= shown;
            _samples.Add(shown);
        }
    }

    private bool TakePlain(ReadOnlySpan<byte> value)
    {
        var isTaken = false;
        foreach (var reading in _plain)
        {
            isTaken |= reading.Add(value);
        }

        return isTaken;
    }

    /// <summary>Whether a text is a known word for NULL, or one of the user's.</summary>
    private bool IsNullWord(ReadOnlySpan<byte> value, bool isQuoted) =>
        IsCommonNull(value) || (isQuoted && (value.IsEmpty || _nullWords.Contain(value)));

    private static bool IsCommonNull(ReadOnlySpan<byte> value)
    {
        Span<char> letters = stackalloc char[LongestNull];
        return Encoding.UTF8.TryGetChars(value, letters, out var length)
            && CommonNulls.GetAlternateLookup<ReadOnlySpan<char>>().Contains(letters[..length]);
    }

    private static void Count(Dictionary<string, long> words, ReadOnlySpan<byte> word)
    {
        var text = Encoding.UTF8.GetString(word);
        words[text] = words.GetValueOrDefault(text) + 1;
    }

    private void Collect(ReadOnlySpan<byte> value)
    {
        if (!IsTruth || Words is null)
        {
            return;
        }

        Span<char> letters = stackalloc char[LongestWord];
        Encoding.UTF8.TryGetChars(value[..Math.Min(value.Length, LongestWord)], letters, out var length);
        if (!Words.GetAlternateLookup<ReadOnlySpan<char>>().Contains(letters[..length]))
        {
            Words.Add(letters[..length].ToString().ToLowerInvariant());
        }

        Words = Words.Count > MaxWords ? null : Words;
    }
}

/// <summary>Known words for true and false, in small letters.</summary>
internal static class TruthPairs
{
    private static readonly (string True, string False)[] Known =
    [
        ("wahr", "falsch"), ("ja", "nein"), ("j", "n"), ("vrai", "faux"), ("oui", "non"), ("o", "n"), ("verdadero", "falso"), ("sí", "no"),
        ("si", "no"), ("s", "n"), ("vero", "falso"), ("sì", "no"),
        ("verdadeiro", "falso"), ("sim", "não"), ("sim", "nao"), ("waar", "onwaar"), ("ja", "nee"), ("sant", "usant"), ("ja", "nei"),
        ("sand", "falsk"), ("ja", "nej"), ("sant", "falskt"),
        ("tosi", "epätosi"), ("kyllä", "ei"), ("prawda", "fałsz"), ("tak", "nie"), ("t", "n"), ("pravda", "nepravda"), ("ano", "ne"),
        ("áno", "nie"), ("igaz", "hamis"), ("igen", "nem"),
        ("adevărat", "fals"), ("da", "nu"), ("istina", "laž"), ("da", "ne"), ("истина", "ложь"), ("да", "нет"), ("так", "ні"), ("да", "не"),
        ("αληθές", "ψευδές"), ("ναι", "όχι"), ("doğru", "yanlış"), ("evet", "hayır"),
        ("e", "h"), ("tõene", "väär"), ("jah", "ei"), ("taip", "ne"), ("jā", "nē"), ("true", "false"), ("yes", "no"), ("on", "off"),
        ("active", "inactive"), ("aktiv", "inaktiv"), ("x", "-"), ("是", "否"), ("はい", "いいえ"), ("예", "아니오"),
    ];

    /// <summary>Tells which words, apart from the default, mean true and which false; null: some are not known, or mean both.</summary>
    /// <param name="words">distinct, in small letters, without the default ones</param>
    public static (string[] True, string[] False)? Find(IReadOnlyCollection<string> words)
    {
        var pair = Known.FirstOrDefault(known => words.All(word => word == known.True || word == known.False));
        if (pair.True is not null)
        {
            return (words.Contains(pair.True) ? [pair.True] : [], words.Contains(pair.False) ? [pair.False] : []);
        }

        string[] yes = [.. words.Where(word => Known.Any(known => known.True == word))];
        string[] no = [.. words.Where(word => Known.Any(known => known.False == word))];
        return words.All(word => yes.Contains(word) != no.Contains(word)) ? (yes, no) : null;
    }
}
