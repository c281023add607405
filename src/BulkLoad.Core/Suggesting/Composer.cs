using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Suggesting;

/// <summary>Chooses options by the studies of all columns: one option for all columns if possible, else one per column. What is not sure is
/// listed with all possible meanings.</summary>
internal sealed class Composer(IReadOnlyList<FieldStudy> columns)
{
    private readonly List<SuggestedOption> _options = [];
    private readonly List<OpenChoice> _choices = [];
    private readonly List<string> _unsolved = [];
    private readonly HashSet<FieldStudy> _solved = [];

    /// <summary>Formats that are sure, and the first alternative of those that are not.</summary>
    public List<ValueFormat> Formats { get; } = [];

    public List<NullText> Nulls { get; } = [];

    /// <summary>Whether quoted fields must be NULL where unquoted ones are.</summary>
    public bool NullQuoted { get; private set; }

    public bool Trims { get; private set; }

    /// <summary>Whether words for true and false that are not ASCII are known ones.</summary>
    public bool KnowsWords { get; private set; }

    public IReadOnlyList<SuggestedOption> Options => _options;

    public IReadOnlyList<OpenChoice> Choices => _choices;

    public IReadOnlyList<string> Unsolved => _unsolved;

    public void Compose()
    {
        var timed = ComposeTimes();
        var counted = ComposeNumbers([.. columns.Where(column => !timed.Contains(column) && column.Numbers is { IsAny: true })]);
        ComposeRounding();
        ComposeTruth([.. columns.Where(
            column => column is { IsTruth: true, IsPlain: false, Values: > 0 } && !timed.Contains(column) && !counted.Contains(column))]);
        var typed = columns.Where(column => column.Column is { IsCharacter: false } || (column.Values > 0
            && (column.IsPlain || timed.Contains(column) || counted.Contains(column) || _solved.Contains(column)))).ToHashSet();
        var padded = columns.Where(column => column.NeedsTrim && typed.Contains(column)).ToList();
        if (padded.Count > 0)
        {
            Trims = true;
            _options.Insert(0, new(["--trim"], $"blanks around values of {Names(padded)}"));
        }

        ComposeNulls(typed);
        ComposeBytes();
        foreach (
            var column in columns.Where(column => column is { Column: not null, IsPlain: false, Values: > 0 } && !_solved.Contains(column)))
        {
            _unsolved.Add(Describe(column));
        }
    }

    /// <summary>For columns whose values fit no format, but fit when they are rounded.</summary>
    private void ComposeRounding()
    {
        var fine = columns.Where(column => column is { IsPlain: false, Rounded: > 0 } && column.Plain + column.Rounded == column.Values
            && !_solved.Contains(column)).ToList();
        if (fine.Count > 0)
        {
            var count = fine.Sum(column => column.Rounded);
            _options.Add(new(["--round"], $"{fine[0].Name}: {fine[0].Example} has more digits than the column; rounds "
                + $"{Plural.Count(count, "value")} of {Names(fine)} (a choice: else {(count == 1 ? "it is" : "they are")} refused)"));
            _solved.UnionWith(fine);
        }
    }

    private void ComposeBytes()
    {
        foreach (var column in columns)
        {
            if (column.Bytes is { } form)
            {
                var what = form == BinaryForm.Uuid ? "UUIDs" : form == BinaryForm.Hex ? "hexadecimal digits" : "base64";
                _options.Add(new(["--binary", $"{column.Name}={form.ToString().ToLowerInvariant()}"],
                    $"{column.Name}: {(column.Values == 1 ? "its value is" : "its values are")} {what}, such as {column.Example}"));
                _solved.Add(column);
            }
        }
    }

    private static string Describe(FieldStudy column)
    {
        var best = column.Times.Select(time => time.Hypotheses.Best).Append(column.Numbers?.Best).OfType<Reading>()
            .Where(reading => reading.Taken > column.Plain).MaxBy(reading => reading.Taken);
        var refused = column.Values - column.Plain;
        var what = IsTime(column) ? column.Column!.Kind == ColumnKind.Time ? "time" : "date"
            : column.IsTruth ? "number or word for true and false" : column.Numbers is null ? column.Column!.TypeText : "number";
        return $"{column.Name}: {refused:N0} of {Plural.Count(column.Values, "value")} {(refused == 1 ? "is" : "are")} no {what} in any "
            + $"known form; the first is {column.Example} (record {column.ExampleRecord:N0})"
            + (best is null ? "" : $"; {string.Join(' ', best.Formats)} takes {best.Taken:N0} of them");
    }

    /// <param name="typed">columns that are no text, or would be none without words for NULL</param>
    private void ComposeNulls(HashSet<FieldStudy> typed)
    {
        bool IsNeeded(FieldStudy column) => typed.Contains(column) || column is { Column: null, Values: 0 };
        List<SuggestedOption> found = [];
        var quoted = columns.Where(column => typed.Contains(column) && column.QuotedNulls.Count > 0).ToList();
        if (quoted.Count > 0)
        {
            NullQuoted = true;
            var word = quoted[0].QuotedNulls.MaxBy(one => one.Value).Key;
            var count = quoted.Sum(column => column.QuotedNulls.Values.Sum());
            var texts = columns.Where(column => !typed.Contains(column) && column.QuotedNulls.ContainsKey("")).ToList();
            found.Add(new(["--null-quoted"], $"'{word}' in quotes in {Plural.Count(count, "record")}, {Names(quoted)}, where it is no value"
                + (texts.Count == 0 ? "" : $"; then it is NULL in {Names(texts)}, too, where the column can be NULL")));
        }

        var needed = columns.Where(IsNeeded).ToList();
        long CountOf(FieldStudy column, string word) => column.Nulls.GetValueOrDefault(word)
            + (typed.Contains(column) ? column.QuotedNulls.GetValueOrDefault(word) : 0);
        var words = needed.SelectMany(column => column.Nulls.Keys.Concat(typed.Contains(column) ? column.QuotedNulls.Keys : []))
            .Where(word => word.Length > 0).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal);
        foreach (var word in words)
        {
            var of = needed.Where(column => CountOf(column, word) > 0).ToList();
            var count = of.Sum(column => CountOf(column, word));
            var why = $"'{word}' in {Plural.Count(count, "record")}, {Names(of)}, where it is no value";
            if (!columns.Any(column => !IsNeeded(column)
                && (column.Nulls.ContainsKey(word) || (NullQuoted && column.QuotedNulls.ContainsKey(word)))))
            {
                Nulls.Add(new NullText(null, word));
                found.Add(new(["--null-value", word.Contains('=', StringComparison.Ordinal) ? $"={word}" : word], why));
                continue;
            }

            foreach (var column in of)
            {
                Nulls.Add(new NullText(column.Name, word));
                found.Add(new(["--null-value", $"{column.Name}={word}"], $"{why}; in a column of text it is one"));
            }
        }

        _options.InsertRange(0, found);
    }

    /// <returns>columns that are dates or times</returns>
    private HashSet<FieldStudy> ComposeTimes()
    {
        var timed = columns.Where(column => IsTime(column)).ToHashSet();
        List<(FieldStudy Column, ValueAspect Aspect, IReadOnlyList<Reading> Readings)> open = [];
        foreach (var column in columns.Where(column => column is { IsPlain: false, Values: > 0 }))
        {
            // Without a table, the first kind that takes all values decides; counts of days are taken for numbers.
            foreach (var (kind, hypotheses) in column.Times)
            {
                IReadOnlyList<Reading> complete = [.. hypotheses.Complete.Where(
                    reading => column.Column is not null || !SerialNotation.IsWord(reading.Text))];
                if (complete.Count > 0)
                {
                    open.Add((column, complete[0].Formats[0].Aspect, complete));
                    timed.Add(column);
                    _solved.Add(column);
                    break;
                }
            }
        }

        // If one column shows the order of day and month, others get the same.
        var orders = open.Where(one => one.Readings.Count == 1).Select(one => OrderOf(one.Readings[0].Text))
            .Where(order => order != Order.None).Distinct().ToList();
        foreach (var aspect in open.GroupBy(one => one.Aspect))
        {
            var readings = aspect.Select(one => one.Readings)
                .Aggregate((IEnumerable<Reading>)aspect.First().Readings,
                (common, next) => common.Where(reading => next.Any(other => other.Text == reading.Text)))
                .ToList();
            var isForAll = readings.Count > 0
                && !columns.Any(column => column is { IsPlain: true, Values: > 0 } && timed.Contains(column)
                && NotationSet.TimeAspectOf(column.Column?.Kind ?? ColumnKind.Date) == aspect.Key);
            if (isForAll)
            {
                Choose([.. aspect.Select(one => one.Column)], null, readings, orders);
                continue;
            }

            foreach (var (column, _, own) in aspect)
            {
                Choose([column], column.Name, own, orders);
            }
        }

        return timed;
    }

    private void Choose(IReadOnlyList<FieldStudy> of, string? name, IReadOnlyList<Reading> readings, List<Order> orders)
    {
        var followed = readings.Count > 1 && orders.Count == 1
            ? readings.Where(reading => OrderOf(reading.Text) == orders[0]).ToList()
            : [];
        var left = followed.Count > 0 ? followed : [.. readings];
        var example = ExampleOf(of[0], left);
        Formats.AddRange(left[0].Formats.Select(format => format with { Column = name }));
        var taken = of.Sum(column => column.Plain) is > 0 and var plain
            ? $" (of {Plural.Count(of.Sum(column => column.Values), "value")} the rules take {plain:N0})" : "";
        var why = $"{Names(of)}: {example}{taken}";
        if (left.Count == 1)
        {
            _options.Add(Option(left[0], name, followed.Count > 0 ? $"{why}; day and month in the order of other columns" : why));
            return;
        }

        _choices.Add(new OpenChoice(
            $"{Names(of)}: each of these takes {Plural.All(of.Sum(column => column.Values), "value")}, such as {example}",
            [.. left.Select(reading => Option(reading, name, Meaning(example, reading)))],
            left[0].Formats[0].Aspect == ValueAspect.Time ? "times" : "dates"));
    }

    /// <summary>A value for which the readings differ.</summary>
    private static string? ExampleOf(FieldStudy column, IReadOnlyList<Reading> readings) => column.Samples.FirstOrDefault(
        sample => readings.Select(reading => reading.Show(sample)).Distinct().Count() == readings.Count) ?? column.Example;

    /// <returns>columns that are numbers</returns>
    private HashSet<FieldStudy> ComposeNumbers(List<FieldStudy> numbers)
    {
        var counted = numbers.Where(column => column.IsPlain && column.Column is not null).ToHashSet();
        var open = numbers.Where(column => !column.IsPlain && column.Numbers!.Complete.Count > 0
            && (column.Column is not null || column.Numbers.HasEvidence)).ToList();
        var plain = numbers.Where(column => column.IsPlain && column.Numbers!.HasEvidence).ToList();
        counted.UnionWith(open);
        _solved.UnionWith(open);
        if (open.Count == 0)
        {
            NameOtherReadings(plain);
            return counted;
        }

        // Forms that can read all columns with marks, also those that the rules take already.
        var forms = NumberHypotheses.Forms.Where(form => open.Concat(plain).All(column => Readings(column, form).Any())).ToList();
        var isForAll = forms.Count > 0;
        if (isForAll)
        {
            ChooseNumbers([.. open, .. plain], null, forms);
            return counted;
        }

        foreach (var column in open)
        {
            ChooseNumbers([column], column.Name, [.. NumberHypotheses.Forms.Where(form => Readings(column, form).Any())]);
        }

        return counted;
    }

    private void ChooseNumbers(List<FieldStudy> of, string? name, IReadOnlyList<(string Point, string? Groups)> forms)
    {
        // Each form with each meaning of the percent sign; of those with the same meaning only the first.
        var ways = forms.SelectMany(form => (string?[])[null, "number", "fraction"], (form, percent) => (form, percent))
            .Select(way => of.Select(column => Readings(column, way.form)
                .FirstOrDefault(
                reading => NumberHypotheses.MeaningOf(reading) == way.percent || NumberHypotheses.MeaningOf(reading) is null)).ToList())
            .Where(way => !way.Contains(null) && way.Count > 0)
            .DistinctBy(way => string.Join(' ', way.Select(reading => reading!.Meaning)))
            .Select(way => (Readings: way, Formats: Union(way!, name), Rounds: false))
            .ToList();
        ways.AddRange(RoundingWays(of).Select(way => (way, Union(way, name), true)));
        ways = [.. ways.OrderBy(way => !way.Rounds || way.Formats.Count > 0)];
        if (ways.Count == 0)
        {
            return;
        }

        Formats.AddRange(ways[0].Formats);
        IEnumerable<string> WordsOf(IEnumerable<ValueFormat> formats, bool rounds) =>
            formats.SelectMany(Words).Concat(rounds ? ["--round"] : []);
        var shown = of.Where(column => !column.IsPlain).ToList();
        var open = shown.Find(column => ways.Select(way => way.Readings[of.IndexOf(column)]!.Meaning).Distinct().Count() > 1) ?? shown[0];
        var why = string.Join("; ", shown.Select(column => $"{column.Name}: {column.Example}"));
        if (ways.Count == 1)
        {
            _options.Add(new SuggestedOption([.. WordsOf(ways[0].Formats, ways[0].Rounds)], why));
            return;
        }

        var readings = ways.ConvertAll(way => way.Readings[of.IndexOf(open)]!);
        var example = ExampleOf(open, readings);
        _choices.Add(new OpenChoice(
            $"{why}: each of these takes all values",
            [.. ways.Zip(readings).Select(way => new SuggestedOption(
                [.. WordsOf(way.First.Formats, way.First.Rounds)], Meaning(example, way.Second)
                    + (way.First.Rounds ? ", a fraction that is finer than the column" : "")))],
            "numbers"));
    }

    /// <summary>If no number tells whether its mark is before a fraction or between thousands: they are rounded fractions.</summary>
    private static IEnumerable<List<Reading?>> RoundingWays(List<FieldStudy> of) => ((string[])[".", ","])
        .Select(point => of.Select(column => column.Numbers!.Rounded.FirstOrDefault(reading => NumberHypotheses.PointOf(reading) == point))
            .ToList())
        .Where(way => !way.Contains(null));

    /// <summary>Names numbers that the rules take, and that differ if a point is between thousands.</summary>
    private void NameOtherReadings(List<FieldStudy> plain)
    {
        if (plain.Count == 0 || !plain.All(column => column.Numbers!.Complete.Count > 1))
        {
            return;
        }

        foreach (var form in NumberHypotheses.Forms.Skip(1).Where(form => plain.All(column => Readings(column, form).Any())))
        {
            var withPoint = plain.Select(column => Readings(column, NumberHypotheses.Forms[0]).FirstOrDefault()).ToList();
            var other = plain.Select(column => Readings(column, form).First()).ToList();
            if (withPoint.Zip(other).Any(pair => pair.First is not null && pair.First.Meaning != pair.Second.Meaning))
            {
                _choices.Add(new OpenChoice(
                    $"{Names(plain)}: every number has three digits behind the point, which may be between thousands",
                    [new SuggestedOption([], "as they are: 1.234 is 1.234"),
                        new SuggestedOption([.. Union(other, null).SelectMany(Words)], "1.234 is 1234")],
                    "numbers"));
                return;
            }
        }
    }

    private void ComposeTruth(List<FieldStudy> columns)
    {
        List<string> yes = [], no = [];
        List<FieldStudy> known = [];
        foreach (var column in columns.Where(column => column.Words is not null))
        {
            string[] words = [.. column.Words!.Where(word => !IsUsual(word)).Order(StringComparer.Ordinal)];

            // Without a table, a single word or single letters may as well be text or codes.
            if (words.Length is 0 or > 4 || (column.Column is null && (words.Length == 1 || words.All(word => word.Length == 1))))
            {
                continue;
            }

            if (TruthPairs.Find(words) is { } found)
            {
                yes.AddRange(found.True);
                no.AddRange(found.False);
                known.Add(column);
                KnowsWords |= words.Any(word => !Ascii.IsValid(word));
                _solved.Add(column);
            }
            else if (column.Column is not null && words.Length <= 2)
            {
                _solved.Add(column);
                SuggestedOption[] both = [.. (words.Length == 1 ? [words] : (string[][])[words, [.. words.Reverse()]])
                    .Select(order => new SuggestedOption([.. Truth(column.Name, [order[0]], order.Length > 1 ? [order[1]] : [])], ""))];
                Formats.AddRange(TruthFormats(column.Name, [words[0]], words[1..]));
                _choices.Add(new OpenChoice($"{column.Name}: which of {string.Join(" and ", words.Select(word => $"'{word}'"))} means "
                    + "true?", words.Length == 1 ? [.. both, new SuggestedOption(["--false", $"{column.Name}={words[0]}"], "")] : both,
                    "words"));
            }
        }

        if (known.Count == 0)
        {
            return;
        }

        Formats.AddRange(TruthFormats(null, [.. yes.Distinct()], [.. no.Distinct()]));
        _options.Add(new SuggestedOption([.. Truth(null, [.. yes.Distinct()], [.. no.Distinct()])],
            $"{Names(known)}: {string.Join(", ", yes.Concat(no).Distinct().Select(word => $"'{word}'"))}"));
    }

    private static IEnumerable<string> Truth(string? column, string[] yes, string[] no) => TruthFormats(column, yes, no).SelectMany(Words);

    private static IEnumerable<ValueFormat> TruthFormats(string? column, string[] yes, string[] no)
    {
        if (yes.Length > 0)
        {
            yield return new(ValueAspect.True, column, string.Join(',', yes));
        }

        if (no.Length > 0)
        {
            yield return new(ValueAspect.False, column, string.Join(',', no));
        }
    }

    private static bool IsUsual(string word) =>
        word is "true" or "t" or "yes" or "y" or "on" or "false" or "f" or "no" or "n" or "off" or "0" or "1";

    private static IEnumerable<Reading> Readings(FieldStudy column, (string Point, string? Groups) form) => column.Numbers!.Complete
        .Where(reading => NumberHypotheses.PointOf(reading) == form.Point && NumberHypotheses.GroupsOf(reading) == form.Groups);

    /// <summary>Joins the formats of several columns; currencies are those of all columns.</summary>
    private static List<ValueFormat> Union(IEnumerable<Reading?> readings, string? name) =>
    [
        .. readings.SelectMany(reading => reading!.Formats).GroupBy(format => format.Aspect).OrderBy(same => same.Key)
            .Select(same => same.Key == ValueAspect.Currency
            ? new ValueFormat(same.Key, name, string.Join(',', same.SelectMany(format => format.Text.Split(',')).Distinct()))
            : same.First() with { Column = name }),
    ];

    private static SuggestedOption Option(Reading reading, string? name, string why) =>
        new([.. reading.Formats.SelectMany(format => Words(format with { Column = name }))], why);

    private static IEnumerable<string> Words(ValueFormat format) =>
        [ValueFormat.OptionOf(format.Aspect), format.Column is null && format.Text.Contains('=', StringComparison.Ordinal)
            ? $"={format.Text}"
            : format.Value];

    private static string Meaning(string? example, Reading reading) =>
        example is not null && reading.Show(example) is { } shown ? $"{example} is {shown}" : "";

    private static string Names(IReadOnlyList<FieldStudy> of) =>
        of.Count <= 4
            ? string.Join(", ", of.Select(column => column.Name))
            : $"{string.Join(", ", of.Take(3).Select(column => column.Name))} and {of.Count - 3} more";

    private static bool IsTime(FieldStudy column) => column.Column is { } typed && NotationSet.TimeAspectOf(typed.Kind) is not null;

    private enum Order
    {
        None,
        DayFirst,
        MonthFirst,
        YearFirst,
    }

    private static Order OrderOf(string pattern) =>
        pattern.Length == 0 || pattern.Contains("MMM", StringComparison.Ordinal) ? Order.None : pattern[0] switch
        {
            'd' when !pattern.StartsWith("ddd", StringComparison.Ordinal) => Order.DayFirst,
            'M' => Order.MonthFirst,
            'y' => Order.YearFirst,
            _ => Order.None,
        };
}
