using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Inference;

/// <summary>Chooses the narrowest type that holds all values exactly, by <see cref="Values.Rules.ValueRules"/>.
/// Pure.</summary>
internal sealed class TypeChoice(long records, ValueZone zone, IReadOnlyList<string> sources)
{
    private const ValueShapes Numbers = ValueShapes.Integer | ValueShapes.Decimal | ValueShapes.Exponent;
    private const ValueShapes Dates = ValueShapes.Date | ValueShapes.DateTime;

    private const int LengthWithoutValues = 255;

    public InferredColumn Choose(string name, ColumnEvidence seen)
    {
        var (type, reason) = seen.Texts == 0 ? ChooseEmpty()
            : ChooseScalar(seen) is { Type: { } scalar } choice ? (scalar, choice.Reason)
            : (ColumnTypes.Character(seen.Characters, seen.Bytes), DescribeText(seen));
        var values = type.IsCharacter ? seen.Texts : seen.Scalars;
        var isNullable = values < records || records == 0;
        return new InferredColumn(
            type with { Name = name, IsNullable = isNullable, Default = isNullable ? ColumnDefault.Null : ColumnDefault.None },
            isNullable && values > 0 ? $"{reason}; NULL in {Count(records - values)} of {Count(records)} records" : reason,
            seen.Characters);
    }

    /// <summary>Takes the user's type. If it has neither NULL nor NOT NULL, the values decide.</summary>
    public InferredColumn Take(SchemaColumn given, TableColumn type, ColumnEvidence seen)
    {
        var values = type.IsText ? seen.Texts : seen.Scalars;
        var isNullable = given.SaysNull ? given.IsNullable : values < records || records == 0;
        var value = !isNullable && type.Default == ColumnDefault.Null ? ColumnDefault.None : type.Default;
        return new InferredColumn(
            type with { IsNullable = isNullable, Default = value },
            "given by --type", seen.Characters, given);
    }

    private (TableColumn, string) ChooseEmpty() => (
        ColumnTypes.Varchar(LengthWithoutValues),
        records == 0 ? "there is no record to derive a type from" : $"no value in {Count(records)} {Plural.For(records, "record")}");

    /// <summary>Null: only text holds all values.</summary>
    private (TableColumn? Type, string Reason) ChooseScalar(ColumnEvidence seen) => seen.Shapes switch
    {
        ValueShapes.None => (null, ""),
        ValueShapes.Integer when !seen.Numbers.IsBeyondIntegers => ChooseInteger(seen.Numbers),
        ValueShapes.Truth when seen.HasSureTruth => (ColumnTypes.Boolean, $"true/false words (first at {At(seen, ValueShapes.Truth)})"),
        ValueShapes.Truth | ValueShapes.Integer when seen.HasSureTruth
        && seen.Numbers is { Min: >= 0, Max: <= 1, MaxUnsigned: 0, IsBeyondIntegers: false } =>
            (ColumnTypes.Boolean, $"true/false words (first at {At(seen, ValueShapes.Truth)}), 0 and 1"),
        ValueShapes.Date => (ColumnTypes.Date, "dates"),
        ValueShapes.Time => (ColumnTypes.Time(seen.Times.FractionDigits), $"times{Fraction(seen.Times)}"),
        ValueShapes.Json => (ColumnTypes.Json, "JSON objects and arrays"),
        ValueShapes.Moment when zone.Zone is { } known && known.HasOneOffset() => (
            ColumnTypes.DateTime(seen.Times.FractionDigits),
            $"times with a UTC offset, which are kept as times of {zone.Name}{Fraction(seen.Times)}"),
        var shapes when (shapes & ~Dates) == 0 => (
            ColumnTypes.DateTime(seen.Times.FractionDigits),
            $"dates with times (first at {At(seen, ValueShapes.DateTime)}){Fraction(seen.Times)}"),
        var shapes when (shapes & ~Numbers) == 0 => ChooseNumber(seen),
        _ => (null, ""),
    };

    private (TableColumn?, string) ChooseInteger(NumberEvidence numbers)
    {
        var isUnsigned = numbers.MaxUnsigned > 0;
        if (isUnsigned && numbers.Min < 0)
        {
            return ChooseDecimal(numbers);
        }

        var max = isUnsigned ? $"{numbers.MaxUnsigned}" : $"{numbers.Max}";
        var min = numbers.Min > numbers.Max ? " up" : $" from {numbers.Min}";
        var isMinWider = !isUnsigned && ColumnTypes.IntegerBytes(numbers.Min, 0) > ColumnTypes.IntegerBytes(
            0, Math.Max(0, numbers.Max));
        var range = isMinWider ? $"{min} ({At(numbers.MinPlace)}) to {max}" : $"{min} to {max} ({At(numbers.MaxPlace)})";
        range = !isUnsigned && numbers.Min == numbers.Max ? $", all of them {max}" : range;
        return (isUnsigned ? ColumnTypes.UnsignedBigint : ColumnTypes.Integer(numbers.Min, numbers.Max), $"whole numbers{range}");
    }

    private (TableColumn?, string) ChooseNumber(ColumnEvidence seen)
    {
        if ((seen.Shapes & ValueShapes.Exponent) == 0 && FitsDecimal(seen.Numbers))
        {
            return ChooseDecimal(seen.Numbers);
        }

        if (seen.Numbers.FirstInexact is not null)
        {
            return (null, "");
        }

        return (ColumnTypes.Double, (seen.Shapes & ValueShapes.Exponent) != 0
            ? $"numbers with exponents (first at {At(seen, ValueShapes.Exponent)}), all of which a double keeps"
            : "numbers with more digits than DECIMAL has, all of which a double keeps");
    }

    private static bool FitsDecimal(NumberEvidence numbers) => numbers.WholeDigits + numbers.FractionDigits <= ColumnTypes.MaxPrecision
        && numbers.FractionDigits <= NumberEvidence.MaxScale;

    private (TableColumn?, string) ChooseDecimal(NumberEvidence numbers)
    {
        var (whole, fraction) = ((int)numbers.WholeDigits, (int)numbers.FractionDigits);
        return (
            ColumnTypes.Decimal(Math.Max(1, whole + fraction), fraction),
            fraction == 0
                ? $"whole numbers of up to {Digits(whole)} ({At(numbers.WholePlace)})"
                : $"numbers of up to {Digits(whole)} before the point{(whole > 0 ? $" ({At(numbers.WholePlace)})" : "")} and {fraction} " +
                    $"after it ({At(numbers.FractionPlace)})");
    }

    private string DescribeText(ColumnEvidence seen)
    {
        var longest = seen.Characters == 0 ? ""
            : $"; the longest has {seen.Characters} {Plural.For(seen.Characters, "character")} ({At(seen.LongestPlace)})";
        return $"{WhyText(seen)}{longest}";
    }

    private string WhyText(ColumnEvidence seen) => seen switch
    {
        { FirstText: { } text, FirstTextFault: { } fault } => $"{text} {fault} ({At(seen, ValueShapes.Text)})",
        { Shapes: ValueShapes.None } => "nothing but blanks, which are text",
        { FirstText: { } text } => $"text such as {text} ({At(seen, ValueShapes.Text)})",
        { Shapes: ValueShapes.Moment } =>
            $"times with a UTC offset, and the time zone {zone.Name} is not known to have always been equally far from UTC (--time-zone " +
            "UTC makes it a DATETIME)",
        { Shapes: ValueShapes.Truth } =>
            $"the same true/false word throughout (first at {At(seen, ValueShapes.Truth)}), which may be a code",
        { Numbers.FirstInexact: { } number } when (seen.Shapes & ~Numbers) == 0 =>
            $"{number} has more digits than a DECIMAL or DOUBLE of this column's numbers keeps ({At(seen.Numbers.InexactPlace)})",
        _ => Mixture(seen),
    };

    private string Mixture(ColumnEvidence seen)
    {
        var kinds = Enum.GetValues<ValueShapes>()
            .Where(shape => shape != ValueShapes.None && seen.Shapes.HasFlag(shape))
            .Select(shape => $"{PluralOf(shape)} (first at {At(seen, shape)})");
        return $"a mixture of {string.Join(" and ", kinds)}";
    }

    private static string PluralOf(ValueShapes shape) => shape switch
    {
        ValueShapes.Integer => "whole numbers",
        ValueShapes.Decimal => "decimal numbers",
        ValueShapes.Exponent => "numbers with exponents",
        ValueShapes.Truth => "true/false words",
        ValueShapes.Date => "dates",
        ValueShapes.DateTime => "dates with times",
        ValueShapes.Moment => "times with UTC offsets",
        ValueShapes.Time => "times",
        ValueShapes.Json => "JSON documents",
        _ => "text",
    };

    private string Fraction(TimeEvidence times) => times.FractionDigits == 0
        ? ""
        : $", {Digits(times.FractionDigits)} of a second's fraction ({At(times.FractionPlace)})";

    private string At(ColumnEvidence seen, ValueShapes shape) => At(seen.First(shape));

    private string At(Place place) => place.Describe(sources);

    private static string Digits(long count) => $"{count} {Plural.For(count, "digit")}";

    private static string Count(long count) => count.ToString("N0");
}

/// <summary>A column of a new table, roughly as the catalogue will describe it. <paramref name="Characters"/>: length of the longest value.
/// <paramref name="Given"/>: the user's type. <paramref name="Charset"/>: null: the table's will do.</summary>
internal sealed record InferredColumn(
    TableColumn Column, string Reason, long Characters, SchemaColumn? Given = null, string? Charset = null)
{
    /// <summary>The type that holds all values of the inputs, such as <c>smallint</c>; null: the column's own.</summary>
    public string? Narrowest { get; init; }

    public NewColumn ToNew() => new(Column, Given, Charset);

    public PlannedType Describe() => new(Column.Name, Column.TypeText, Column.IsNullable, Reason, Narrowest);

    /// <summary>Such as <c>price DECIMAL(12,4)</c>.</summary>
    public string Define() => $"{Column.Name} {ToNew().Type}";
}

/// <summary>Types of new columns, nullable by default (MySQL manual, "Data Types").</summary>
internal static class ColumnTypes
{
    public const int MaxPrecision = 65;

    private const string Charset = "utf8mb4";

    /// <summary>Lengths of VARCHARs beyond 10 characters: round ones cost nothing, and leave room.</summary>
    internal static readonly int[] RoundLengths = [16, 32, 64, 100, 255, 500, 1000, 2000, 4000, 8000, 16_000];

    public static TableColumn Boolean { get; } = Of("tinyint(1)", ColumnKind.Integer) with { IntegerBytes = 1, IsBoolean = true };

    public static TableColumn UnsignedBigint { get; } = Of("bigint unsigned", ColumnKind.UnsignedInteger) with { IntegerBytes = 8 };

    public static TableColumn Double { get; } = Of("double", ColumnKind.Double);

    public static TableColumn Date { get; } = Of("date", ColumnKind.Date);

    public static TableColumn Json { get; } = Of("json", ColumnKind.Json);

    public static TableColumn Integer(long min, long max)
    {
        var type = ColumnBehaviour.Of(ColumnKind.Integer).Types.First(type => type.IntegerBytes == IntegerBytes(min, max));
        return Of(type.Name, ColumnKind.Integer) with { IntegerBytes = type.IntegerBytes };
    }

    public static int IntegerBytes(long min, long max)
    {
        // A negative number needs as many bytes as its complement.
        var largest = Math.Max(max, min < 0 ? ~min : 0);
        return largest switch
        {
            <= sbyte.MaxValue => 1,
            <= short.MaxValue => 2,
            < 1 << 23 => 3,
            <= int.MaxValue => 4,
            _ => 8,
        };
    }

    public static TableColumn Decimal(int precision, int scale) =>
        Of($"decimal({precision},{scale})", ColumnKind.Decimal) with { Precision = precision, Scale = scale };

    public static TableColumn DateTime(int scale) => Of(WithScale("datetime", scale), ColumnKind.DateTime) with { Scale = scale };

    public static TableColumn Time(int scale) => Of(WithScale("time", scale), ColumnKind.Time) with { Scale = scale };

    public static TableColumn Character(long characters, long bytes) =>
        characters <= 10 ? Varchar((int)Math.Max(1, characters))
        : Array.Find(RoundLengths, length => length >= characters) is > 0 and var length ? Varchar(length)
        : LongText(bytes);

    public static TableColumn Varchar(int characters) =>
        Of($"varchar({characters})", ColumnKind.Varchar) with { MaxCharacters = characters, Charset = Charset };

    public static TableColumn LongText(long bytes)
    {
        var min = Math.Clamp(bytes, ushort.MaxValue, uint.MaxValue);
        var type = ColumnBehaviour.Of(ColumnKind.Text).Types.First(type => type.MaxBytes >= min);
        return Of(type.Name, ColumnKind.Text) with { MaxBytes = type.MaxBytes!.Value, Charset = Charset };
    }

    private static string WithScale(string name, int scale) => scale == 0 ? name : $"{name}({scale})";

    private static TableColumn Of(string typeText, ColumnKind kind) =>
        new() { Name = "", TypeText = typeText, Kind = kind, IsNullable = true, Default = ColumnDefault.Null };
}

/// <summary>Widens a type for larger values in the next file. Pure.</summary>
internal static class TypeRoom
{
    private const int MoreDigits = 2;
    private const int FinestFraction = 6;

    public static InferredColumn Widen(InferredColumn column)
    {
        if (column.Given is not null)
        {
            return column;
        }

        var narrow = column.Column;
        var wide = narrow.Kind switch
        {
            ColumnKind.Integer when narrow is { IsBoolean: false, IntegerBytes: < sizeof(int) } => ColumnTypes.Integer(0, int.MaxValue),
            ColumnKind.Decimal => WidenDecimal(narrow),
            ColumnKind.DateTime when narrow.Scale > 0 => ColumnTypes.DateTime(FinestFraction),
            ColumnKind.Time when narrow.Scale > 0 => ColumnTypes.Time(FinestFraction),
            ColumnKind.Varchar when column.Characters > 0
                && Array.Find(ColumnTypes.RoundLengths, length => length > column.Characters) is > 0 and var length =>
                ColumnTypes.Varchar(length),
            _ => narrow,
        };
        return wide.TypeText == narrow.TypeText
            ? column
            : column with
            {
                Column = wide with { Name = narrow.Name, IsNullable = narrow.IsNullable, Default = narrow.Default },
                Narrowest = narrow.TypeText,
            };
    }

    /// <summary>Two more digits on either side of the point.</summary>
    private static TableColumn WidenDecimal(TableColumn narrow)
    {
        var scale = narrow.Scale == 0 ? 0 : Math.Min(NumberEvidence.MaxScale, narrow.Scale + MoreDigits);
        return ColumnTypes.Decimal(Math.Min(ColumnTypes.MaxPrecision, narrow.Precision - narrow.Scale + MoreDigits + scale), scale);
    }
}
