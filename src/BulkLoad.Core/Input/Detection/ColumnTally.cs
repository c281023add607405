using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>What the fields of one column look like, in the records of a sample.</summary>
internal sealed class ColumnTally(string? name)
{
    /// <summary>Fewer say nothing.</summary>
    private const int LeastOfShape = 3;

    private readonly byte[] _name = Encoding.UTF8.GetBytes(name ?? "");
    private readonly byte[]? _shape = ShapeOf(Encoding.UTF8.GetBytes(name ?? ""));
    private int _sameShape;

    /// <summary>Fields that are plainly values; see <see cref="PlainValue"/>.</summary>
    public int Values { get; private set; }

    public int Texts { get; private set; }

    /// <summary>Of both, fields in quotes.</summary>
    public int Quoted { get; private set; }

    /// <summary>Fields in quotes that hold the quote, which must have been doubled or escaped.</summary>
    public int Doubled { get; private set; }

    /// <summary>Other texts without quotes.</summary>
    public int BareTexts { get; private set; }

    /// <summary>Fields that are the column's name once more.</summary>
    public int SameAsName { get; private set; }

    /// <summary>Whether nine of ten fields that hold anything are plainly values.</summary>
    public bool HoldsValues => Values > 0 && Values >= 9 * Texts;

    /// <summary>Whether the name is written as each of the texts is, with digits and signs in the same places, such as a colour or an
    /// article's number.</summary>
    public bool IsOfItsShape => _shape is not null && _sameShape >= LeastOfShape && _sameShape == Texts;

    /// <summary>Takes one field; an empty one says nothing.</summary>
    public void Add(FieldKind kind, ReadOnlySpan<byte> value, byte? quote)
    {
        Quoted += kind == FieldKind.Quoted ? 1 : 0;
        Doubled += kind == FieldKind.Quoted && quote is { } one && value.Contains(one) ? 1 : 0;
        if (value.IsEmpty)
        {
            return;
        }

        var isValue = PlainValue.Is(value);
        Values += isValue ? 1 : 0;
        Texts += isValue ? 0 : 1;
        BareTexts += isValue || kind == FieldKind.Quoted ? 0 : 1;
        _sameShape += _shape is not null && HasShape(value) ? 1 : 0;
        SameAsName += value.SequenceEqual(_name) ? 1 : 0;
    }

    /// <summary>Where signs are between letters and digits; null: there is no digit or no sign, as in most names.</summary>
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
}
