using System.Buffers;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

internal sealed class ColumnTally(string? name) : IEquatable<ColumnTally>
{
    private static readonly SearchValues<byte> OfNumbers = SearchValues.Create("+-.0123456789eE"u8);

    /// <summary>Fewer fields prove nothing.</summary>
    private const int MinForShape = 3;

    /// <summary>Capitals or signs among digits are rare in names.</summary>
    private const int MinAlike = 2;

    private readonly byte[] _name = Encoding.UTF8.GetBytes(name ?? "");
    private readonly byte[]? _shape = ShapeOf(Encoding.UTF8.GetBytes(name ?? ""));
    private readonly byte[]? _runs = RunsOf(Encoding.UTF8.GetBytes(name ?? ""));
    private readonly bool _isCode = IsCode(Encoding.UTF8.GetBytes(name ?? ""), mustMix: true);
    private int _sameShape;
    private int _sameRuns;
    private int _codes;
    private int _given;

    /// <summary>See <see cref="PlainValue"/>.</summary>
    public int Values { get; private set; }

    public int Texts { get; private set; }

    public int Quoted { get; private set; }

    /// <summary>Quoted fields with a quote inside, which must have been doubled or escaped.</summary>
    public int Doubled { get; private set; }

    /// <summary>Texts without quotes.</summary>
    public int BareTexts { get; private set; }

    public int SameAsName { get; private set; }

    public int NullMatcher { get; private set; }

    /// <summary>Fields with characters that cannot be printed, or beyond ASCII.</summary>
    public int Controls { get; private set; }

    public int Numbers { get; private set; }

    public int Words { get; private set; }

    /// <summary>Whether nine of ten fields are values.</summary>
    public bool HoldsValues => Values > 0 && Values >= 9 * Texts;

    /// <summary>Whether the name has digits and signs in the same places as all texts, such as a colour or an article number.</summary>
    public bool IsOfItsShape => _shape is not null && _sameShape >= MinForShape && _sameShape == Texts;

    /// <summary>Whether all fields are built like the name, of capitals, small letters, digits and signs in the same order, such as R+9
    /// below R+27; or are codes of as many capitals and digits, such as D10 and 100 below ND2.</summary>
    public bool IsMadeLikeIt => _given >= MinAlike && ((_runs is not null && _sameRuns == _given) || (_isCode && _codes == _given));

    public bool Equals(ColumnTally? other) => other is not null && _name.AsSpan().SequenceEqual(other._name) && Counts.Equals(other.Counts);

    public override bool Equals(object? obj) => Equals(obj as ColumnTally);

    public override int GetHashCode() => Counts.GetHashCode();

    private (int, int, int, int, int, int, int, int, int, int, int, int, int, int) Counts => (_sameShape, _sameRuns, _codes, _given, Values,
        Texts, Quoted, Doubled, BareTexts, SameAsName, NullMatcher, Controls, Numbers, Words);

    public void Add(FieldKind kind, ReadOnlySpan<byte> value, byte? quote)
    {
        Quoted += kind == FieldKind.Quoted ? 1 : 0;
        Doubled += kind == FieldKind.Quoted && quote is { } one && value.Contains(one) ? 1 : 0;
        if (value.IsEmpty)
        {
            return;
        }

        NullMatcher += (kind == FieldKind.Bare || quote is null) && value.SequenceEqual("NULL"u8) ? 1 : 0;
        var hasControls = value.IndexOfAnyExceptInRange((byte)' ', (byte)'~') >= 0;
        var isNumber = value.IndexOfAnyExcept(OfNumbers) < 0;
        Controls += hasControls ? 1 : 0;
        Numbers += isNumber ? 1 : 0;
        Words += hasControls || isNumber ? 0 : 1;
        var isValue = PlainValue.Is(value);
        Values += isValue ? 1 : 0;
        Texts += isValue ? 0 : 1;
        BareTexts += isValue || kind == FieldKind.Quoted ? 0 : 1;
        _sameShape += _shape is not null && HasShape(value) ? 1 : 0;
        if (!value.SequenceEqual(@"\N"u8))
        {
            _given++;
            _sameRuns += _runs is not null && HasRuns(value) ? 1 : 0;
            _codes += _isCode && value.Length == _name.Length && IsCode(value, mustMix: false) ? 1 : 0;
        }

        SameAsName += value.SequenceEqual(_name) ? 1 : 0;
    }

    /// <summary>The places of signs. Null: no digit or no sign, as in most names.</summary>
    private static byte[]? ShapeOf(byte[] name)
    {
        var shape = new byte[name.Length];
        for (var i = 0; i < name.Length; i++)
        {
            shape[i] = ClassOf(name[i]);
        }

        return name.AsSpan().IndexOfAnyInRange((byte)'0', (byte)'9') >= 0
            && shape.Any(one => one is not ((byte)'x' or (byte)'_' or (byte)' ')) ? shape : null;
    }

    private bool HasShape(ReadOnlySpan<byte> value)
    {
        if (value.Length != _shape!.Length)
        {
            return false;
        }

        for (var i = 0; i < value.Length; i++)
        {
            if (ClassOf(value[i]) != _shape[i])
            {
                return false;
            }
        }

        return true;
    }

    private static byte ClassOf(byte value) => char.IsAsciiLetterOrDigit((char)value) || value >= 0x80 ? (byte)'x' : value;

    /// <summary>Whether a text has only capitals and digits; <c>mustMix</c>: some of both.</summary>
    private static bool IsCode(ReadOnlySpan<byte> text, bool mustMix)
    {
        var (capitals, digits) = (0, 0);
        foreach (var one in text)
        {
            capitals += char.IsAsciiLetterUpper((char)one) ? 1 : 0;
            digits += char.IsAsciiDigit((char)one) ? 1 : 0;
        }

        return capitals + digits == text.Length && text.Length >= 2 && (!mustMix || (capitals > 0 && digits > 0));
    }

    /// <summary>Null: no digit, or nothing but small letters, digits, blanks and _, as in many names.</summary>
    private static byte[]? RunsOf(ReadOnlySpan<byte> name)
    {
        if (name.IndexOfAnyInRange((byte)'0', (byte)'9') < 0)
        {
            return null;
        }

        var runs = new List<byte>();
        foreach (var one in name)
        {
            AddRun(runs, one);
        }

        return runs.Exists(run => run is not ((byte)'a' or (byte)'0' or (byte)' ' or (byte)'_')) ? [.. runs] : null;
    }

    private static void AddRun(List<byte> runs, byte value)
    {
        var run = RunOf(value);
        if (runs.Count == 0 || runs[^1] != run || run is not ((byte)'A' or (byte)'a' or (byte)'0'))
        {
            runs.Add(run);
        }
    }

    private bool HasRuns(ReadOnlySpan<byte> value)
    {
        var at = -1;
        foreach (var one in value)
        {
            var run = RunOf(one);
            if (at >= 0 && _runs![at] == run && run is (byte)'A' or (byte)'a' or (byte)'0')
            {
                continue;
            }

            if (++at == _runs!.Length || _runs[at] != run)
            {
                return false;
            }
        }

        return at == _runs!.Length - 1;
    }

    private static byte RunOf(byte value) => value >= 0x80 || char.IsAsciiLetterLower((char)value) ? (byte)'a'
        : char.IsAsciiLetterUpper((char)value) ? (byte)'A' : char.IsAsciiDigit((char)value) ? (byte)'0' : value;
}
