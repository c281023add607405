using System.Numerics;
using System.Text.Json;
using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Inference;

/// <summary>Constant in size. Each value is added as text and as another type, since <c>--trim</c> does not change text.</summary>
internal sealed class ColumnEvidence(bool takesZeroDates, UntypedNotation? notation = null)
{
    /// <summary>MariaDB's JSON_VALID, and so its JSON columns, refuse 32 levels.</summary>
    private const int MaxJsonDepth = 30;

    private const string EmptyText = "is the empty string, not NULL";

    private readonly Place[] _firsts = new Place[BitOperations.Log2((uint)ValueShapes.Text) + 1];
    private readonly JsonRule _json = new();
    private readonly RowBlock _scratch = new(1, 64);

    public NumberEvidence Numbers { get; } = new();

    public TimeEvidence Times { get; } = new(takesZeroDates);

    /// <summary>Incomplete once <see cref="ValueShapes.Text"/> is among them.</summary>
    public ValueShapes Shapes { get; private set; }

    /// <summary>Number of values of a text column that are not NULL.</summary>
    public long Texts { get; private set; }

    /// <summary>Number of values of another column that are not NULL.</summary>
    public long Scalars { get; private set; }

    public long Characters { get; private set; }

    public Place LongestPlace { get; private set; }

    /// <summary>UTF-8 length of the longest value.</summary>
    public long Bytes { get; private set; }

    public string? FirstText { get; private set; }

    /// <summary>Why that value is text, as the end of a sentence.</summary>
    public string? FirstTextFault { get; private set; }

    /// <summary>Whether <c>true</c> or <c>false</c> itself was there, or words of both meanings.</summary>
    public bool HasSureTruth => _hasFullWord || (_hasTrue && _hasFalse);

    private bool _hasFullWord;
    private bool _hasTrue;
    private bool _hasFalse;

    public Place First(ValueShapes shape) => _firsts[BitOperations.Log2((uint)shape)];

    public void AddText(ReadOnlySpan<byte> text, Place place)
    {
        Texts++;
        Bytes = Math.Max(Bytes, text.Length);
        if (text.Length > Characters && ColumnCharset.CountCharacters(text) is var characters && characters > Characters)
        {
            (Characters, LongestPlace) = (characters, place);
        }
    }

    /// <summary>In JSON, a number without quotes is a number, and one in quotes is text.</summary>
    public void AddScalar(ReadOnlySpan<byte> text, Place place, JsonKind json)
    {
        var isJson = json == JsonKind.Literal;
        Scalars++;
        if ((Shapes & ValueShapes.Text) != 0)
        {
            return;
        }

        string? why = null;
        var shape = json == JsonKind.Text && notation is null ? ShapeOfText(text, place, ref why)
            : notation is null || isJson ? ShapeOf(text, place, isJson, ref why) : ShapeAfter(notation, text, place, ref why);
        if ((Shapes & shape) != 0)
        {
            return;
        }

        Shapes |= shape;
        _firsts[BitOperations.Log2((uint)shape)] = place;
        if (shape == ValueShapes.Text)
        {
            (FirstText, FirstTextFault) = (FieldText.Show(text), why);
        }
    }

    /// <summary>The shape of the rewritten value. A time or number in another notation is text.</summary>
    private ValueShapes ShapeAfter(UntypedNotation notation, ReadOnlySpan<byte> text, Place place, ref string? why)
    {
        Span<byte> room = stackalloc byte[ValueNotation.MaxBytes];
        var aspect = notation.Rewrite(text, room, out var value);
        if (aspect is null && IsWrittenOtherwise(notation, text))
        {
            why = "is written otherwise than --date-format, --decimal and the like say";
            return ValueShapes.Text;
        }

        return ShapeOf(value, place, isJson: false, ref why);
    }

    private static bool IsWrittenOtherwise(UntypedNotation notation, ReadOnlySpan<byte> text) =>
        DateTimeText.TryParse(text, out var time, out var isImpossible) && !isImpossible
            ? notation.Says(time.HasTime ? ValueAspect.DateTime : ValueAspect.Date)
        : TimeText.TryParse(text, out _, out _, out _) ? notation.Says(ValueAspect.Time)
        : notation.Says(ValueAspect.DecimalPoint) && NumberText.TryParse(text, out _);

    /// <summary>A text of JSON may be a time, since JSON has no type for times, but not a number.</summary>
    private ValueShapes ShapeOfText(ReadOnlySpan<byte> text, Place place, ref string? why)
    {
        if (text.IsEmpty)
        {
            why = EmptyText;
            return ValueShapes.Text;
        }

        if (NumberText.TryParse(text, out _))
        {
            why = "is a text in the JSON, and no number";
            return ValueShapes.Text;
        }

        return text[0] is not (>= (byte)'0' and <= (byte)'9' or (byte)'-') ? ValueShapes.Text
            : Times.Add(text, place, ref why) is not ValueShapes.None and var shape ? shape : ValueShapes.Text;
    }

    private ValueShapes ShapeOf(ReadOnlySpan<byte> text, Place place, bool isJson, ref string? why)
    {
        if (text.IsEmpty)
        {
            why = EmptyText;
            return ValueShapes.Text;
        }

        if (text[0] is (>= (byte)'0' and <= (byte)'9') or (byte)'-' or (byte)'+' or (byte)'.')
        {
            var shape = Numbers.Add(text, place, isJson, ref why);
            shape = shape == ValueShapes.None ? Times.Add(text, place, ref why) : shape;
            return shape == ValueShapes.None ? ValueShapes.Text : shape;
        }

        return isJson && text[0] is (byte)'{' or (byte)'[' && IsDocument(text) ? ValueShapes.Json
            : TruthText.TryParse(text, out var truth) ? AddTruth(text, truth)
            : ValueShapes.Text;
    }

    private ValueShapes AddTruth(ReadOnlySpan<byte> text, bool truth)
    {
        _hasFullWord |= text.Length == (truth ? "true" : "false").Length;
        _hasTrue |= truth;
        _hasFalse |= !truth;
        return ValueShapes.Truth;
    }

    private bool IsDocument(ReadOnlySpan<byte> text)
    {
        var isKept = _json.Add(text, _scratch) is null;
        _scratch.AbandonRow();
        return isKept && IsShallow(text);
    }

    private static bool IsShallow(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text);
        while (json.Read())
        {
            if (json.CurrentDepth >= MaxJsonDepth)
            {
                return false;
            }
        }

        return true;
    }
}

/// <summary>The shapes in a column decide its type.</summary>
[Flags]
internal enum ValueShapes
{
    None = 0,

    /// <summary>As printed: no plus, no leading zeros.</summary>
    Integer = 1,

    /// <summary>Digits, a point, digits.</summary>
    Decimal = 1 << 1,

    /// <summary>With an exponent, and surely no id.</summary>
    Exponent = 1 << 2,

    /// <summary>true, no, off and the like.</summary>
    Truth = 1 << 3,

    Date = 1 << 4,

    /// <summary>Date and time, without offset.</summary>
    DateTime = 1 << 5,

    /// <summary>Date and time with a UTC offset.</summary>
    Moment = 1 << 6,

    Time = 1 << 7,

    /// <summary>An object or an array.</summary>
    Json = 1 << 8,

    /// <summary>Anything else, also what only looks like a number.</summary>
    Text = 1 << 9,
}

/// <summary>0-based input, 1-based record.</summary>
internal readonly record struct Place(int Source, long Record)
{
    public string Describe(IReadOnlyList<string> sources) => sources.Count == 1
        ? $"record {Record}"
        : $"record {Record} of {sources[Source]}";
}

internal sealed class TimeEvidence(bool takesZeroDates)
{
    private const int MaxFractionDigits = 6;

    private const string Impossible = "is a date or time that does not exist";
    private const string ZeroDate = "is a date that does not exist (--zero-dates accepts a year, month or day of zero)";
    private const string ZeroOffset = "is a zero date with a UTC offset";
    private const string TooFine = "has a finer fraction of a second than any column keeps";
    private const string OutOfRange = "is outside the years 1 to 9999 in some time zone";

    /// <summary>The greatest number of digits that a value needs.</summary>
    public int FractionDigits { get; private set; }

    public Place FractionPlace { get; private set; }

    /// <summary>Returns <see cref="ValueShapes.None"/> if the value is neither a date nor a time. <paramref name="why"/>: why something
    /// like a date is none, as the end of a sentence.</summary>
    public ValueShapes Add(ReadOnlySpan<byte> text, Place place, ref string? why)
    {
        if (DateTimeText.TryParse(text, out var parsed, out var isImpossible))
        {
            why = isImpossible ? Impossible : FindFault(parsed);
            if (why is not null)
            {
                return ValueShapes.Text;
            }

            AddFraction(parsed.FractionDigits, place);
            return parsed.Offset is not null ? ValueShapes.Moment : parsed.HasTime ? ValueShapes.DateTime : ValueShapes.Date;
        }

        if (!HasPlainHours(text) || !TimeText.TryParse(text, out _, out var ticks, out var fractionDigits) || ticks > TimeText.MaxTicks)
        {
            return ValueShapes.None;
        }

        if (fractionDigits > MaxFractionDigits)
        {
            why = TooFine;
            return ValueShapes.Text;
        }

        AddFraction(fractionDigits, place);
        return ValueShapes.Time;
    }

    private string? FindFault(DateTimeText parsed)
    {
        if (parsed.HasZeroPart)
        {
            return !takesZeroDates ? ZeroDate : parsed.Offset is not null ? ZeroOffset : parsed.FractionDigits > MaxFractionDigits
                ? TooFine : null;
        }

        if (parsed.FractionDigits > MaxFractionDigits)
        {
            return TooFine;
        }

        // The bounds of DateTimeRule: a day from either end, whatever the zone.
        return parsed.Offset is { } offset && parsed.Value.Ticks - offset.Ticks is < TimeSpan.TicksPerDay or > MaxTicks
            ? OutOfRange : null;
    }

    private const long MaxTicks = 3155378975999999999 - TimeSpan.TicksPerDay;

    /// <summary>Two digits, or more without a leading zero: <c>4:30</c> may be minutes, a verse or a score.</summary>
    private static bool HasPlainHours(ReadOnlySpan<byte> text)
    {
        var hours = text.IndexOf((byte)':') - (text[0] == '-' ? 1 : 0);
        return hours == 2 || (hours > 2 && text[text[0] == '-' ? 1 : 0] != '0');
    }

    private void AddFraction(int digits, Place place)
    {
        if (digits > FractionDigits)
        {
            (FractionDigits, FractionPlace) = (digits, place);
        }
    }
}

/// <summary>Form of a value in a JSON input.</summary>
internal enum JsonKind
{
    /// <summary>The input is not JSON.</summary>
    None,

    /// <summary>In quotes.</summary>
    Text,

    /// <summary>Anything else.</summary>
    Literal,
}
