using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Notations;

internal sealed class NotationSet(IReadOnlyList<ValueFormat> formats)
{
    private static readonly ValueAspect[] Times = [ValueAspect.Date, ValueAspect.DateTime, ValueAspect.Time];

    /// <summary>Null: its values are written as its rule reads them.</summary>
    /// <exception cref="RequestException">the options contradict each other</exception>
    public ValueNotation? For(TableColumn column)
    {
        if (formats.Count == 0 || column.IsField)
        {
            return null;
        }

        return TimeAspectOf(column.Kind) is { } aspect ? Find(aspect, column.Name) is { } format ? TimeOf(format, column.Name) : null
            : column.Kind is ColumnKind.Bit ? Truth(column, null)
            : column.IsNumber ? Truth(column, Number(column.Name))
            : null;
    }

    /// <summary>Null: it is no date or time column.</summary>
    public static ValueAspect? TimeAspectOf(ColumnKind kind) => kind switch
    {
        ColumnKind.Date => ValueAspect.Date,
        ColumnKind.DateTime or ColumnKind.Timestamp => ValueAspect.DateTime,
        ColumnKind.Time => ValueAspect.Time,
        _ => null,
    };

    /// <summary>For a column without a type yet; null: its values are written as the rules read them.</summary>
    public UntypedNotation? ForUntyped(string column)
    {
        List<(ValueAspect, ValueNotation)> found = [];
        foreach (var aspect in Times)
        {
            // A count of days or seconds looks like any other number: it is only tried where the option names the column.
            if (Find(aspect, column) is { } format && (format.Column is not null || !SerialNotation.IsWord(format.Text)))
            {
                found.Add((aspect, TimeOf(format, column)));
            }
        }

        if (Number(column) is { } number)
        {
            found.Add((ValueAspect.DecimalPoint, number));
        }

        var truth = FindTruth(column, isBoolean: true);
        return found.Count == 0 && truth is null ? null : new UntypedNotation(found, truth);
    }

    /// <summary>Why an option does not suit the type of the column that it names, for people; null: it does.</summary>
    public static string? FindMisfit(ValueFormat format, TableColumn column) =>
        format.Aspect switch
        {
            ValueAspect.Date or ValueAspect.DateTime or ValueAspect.Time => TimeAspectOf(column.Kind) == format.Aspect,
            ValueAspect.True or ValueAspect.False => column.Behaviour.Family == ColumnFamily.Integer || column.Kind == ColumnKind.Bit,
            _ => column.IsNumber,
        }
            ? null
            : $"{format}: column '{column.Name}' is {column.TypeText}{InPlaceOf(format, column)}";

    /// <summary>Checks each pattern, and options for the same columns, without a table.</summary>
    /// <exception cref="RequestException">the first wrong option</exception>
    public void Validate()
    {
        var twice = formats.Where(format => format.Aspect is not (ValueAspect.Currency or ValueAspect.True or ValueAspect.False))
            .GroupBy(format => (format.Aspect, format.Column?.ToLowerInvariant())).FirstOrDefault(same => same.Count() > 1);
        if (twice is not null)
        {
            throw new RequestException($"{twice.First()}, {twice.Last()}: a column's values are written in one way: give one of them");
        }

        foreach (var column in formats.Select(format => format.Column).Append(null).Distinct(StringComparer.OrdinalIgnoreCase))
        {
            Number(column);
            FindTruth(column, isBoolean: true);
            foreach (var aspect in Times)
            {
                if (Find(aspect, column) is { } format)
                {
                    TimeOf(format, column);
                }
            }
        }
    }

    private static string InPlaceOf(ValueFormat format, TableColumn column) => TimeAspectOf(column.Kind) is { } aspect
        ? $": use {ValueFormat.OptionOf(aspect)} {column.Name}="
        : $", and the option is for {UseOf(format.Aspect)}";

    private static string UseOf(ValueAspect aspect) => aspect switch
    {
        ValueAspect.Date => "DATE columns",
        ValueAspect.DateTime => "DATETIME and TIMESTAMP columns",
        ValueAspect.Time => "TIME columns",
        ValueAspect.True or ValueAspect.False => "whole numbers and BIT",
        _ => "columns of numbers",
    };

    private ValueFormat? Find(ValueAspect aspect, string? column) =>
        formats.FirstOrDefault(format => format.Aspect == aspect && format.Column is not null
            && format.Column.Equals(column, StringComparison.OrdinalIgnoreCase))
        ?? formats.FirstOrDefault(format => format.Aspect == aspect && format.Column is null);

    /// <summary>The texts of an option that may be repeated: those of the column, or those of all.</summary>
    private string[] FindAll(ValueAspect aspect, string? column)
    {
        var own = formats.Where(format => format.Aspect == aspect && format.Column is not null
            && format.Column.Equals(column, StringComparison.OrdinalIgnoreCase)).ToList();
        return [.. (own.Count > 0 ? own : formats.Where(format => format.Aspect == aspect && format.Column is null))
            .SelectMany(format => format.Text.Split(',', StringSplitOptions.TrimEntries))];
    }

    private ValueNotation TimeOf(ValueFormat format, string? column) => SerialNotation.IsWord(format.Text)
        ? new SerialNotation(format, Find(ValueAspect.DecimalPoint, column)?.Text == "," ? (byte)',' : (byte)'.')
        : new PatternNotation(format, TimePattern.Parse(format));

    private NumberNotation? Number(string? column)
    {
        var (point, groups, percent) = (
            Find(ValueAspect.DecimalPoint, column), Find(ValueAspect.Thousands, column), Find(ValueAspect.Percent, column));
        var currencies = FindAll(ValueAspect.Currency, column);
        return point is null && groups is null && percent is null && currencies.Length == 0
            ? null
            : NumberNotation.Of(point?.Text ?? ".", groups?.Text, currencies, percent?.Text, percent?.Column is not null);
    }

    private ValueNotation? Truth(TableColumn column, NumberNotation? number) =>
        FindTruth(column.Name, column.IsBoolean) is { } words ? new TruthNotation(words, number)
        : number is not null && column.IsBoolean ? new TruthNotation(new TruthTexts([], []), number)
        : number;

    /// <summary>Null: no option is for the column.</summary>
    private TruthTexts? FindTruth(string? column, bool isBoolean)
    {
        bool IsNamed(ValueAspect aspect) =>
            formats.Any(format => format.Aspect == aspect && format.Column is not null
                && format.Column.Equals(column, StringComparison.OrdinalIgnoreCase));
        if (!isBoolean && !IsNamed(ValueAspect.True) && !IsNamed(ValueAspect.False))
        {
            return null;
        }

        var words = new TruthTexts(FindAll(ValueAspect.True, column), FindAll(ValueAspect.False, column));
        return words.IsEmpty ? null : words;
    }
}

/// <summary>How values are written in a column whose type is chosen by them.</summary>
/// <param name="notations">in the order in which they are tried</param>
/// <param name="truth">words for true and false; null: the default ones</param>
internal sealed class UntypedNotation(IReadOnlyList<(ValueAspect Aspect, ValueNotation Notation)> notations, TruthTexts? truth)
{
    /// <summary>Whether an option is for times or numbers: then values that are written otherwise are text.</summary>
    public bool Says(ValueAspect aspect)
    {
        foreach (var (said, _) in notations)
        {
            if (said == aspect)
            {
                return true;
            }
        }

        return false;
    }

    /// <param name="room"><see cref="ValueNotation.MaxBytes"/> for the value</param>
    /// <param name="value">as the rules read it, where the result is not null</param>
    /// <returns>what it was written as; null: no option fits</returns>
    public ValueAspect? Rewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        if (truth?.TryParse(text, out var isTrue) == true)
        {
            value = isTrue ? "true"u8 : "false"u8;
            return ValueAspect.True;
        }

        foreach (var (aspect, notation) in notations)
        {
            if (notation.TryRewrite(text, room, out value))
            {
                return aspect;
            }
        }

        value = text;
        return null;
    }
}
