using System.Text;

namespace BulkLoad.Core.Reading;

/// <summary>What the fields of one column look like, in the records of a sample.</summary>
/// <param name="name">the column's name in the header; null: none</param>
internal sealed class ColumnTally(string? name)
{
    private readonly byte[] _name = Encoding.UTF8.GetBytes(name ?? "");

    /// <summary>Fields that are plainly values; see <see cref="PlainValue"/>.</summary>
    public int Values { get; private set; }

    /// <summary>Fields of any other text.</summary>
    public int Texts { get; private set; }

    /// <summary>Of both, fields in quotes.</summary>
    public int Quoted { get; private set; }

    /// <summary>Other texts without quotes.</summary>
    public int BareTexts { get; private set; }

    /// <summary>Fields that are the column's name once more.</summary>
    public int SameAsName { get; private set; }

    /// <summary>Whether nine of ten fields that hold anything are plainly values.</summary>
    public bool HoldsValues => Values > 0 && Values >= 9 * Texts;

    /// <summary>Takes one field; an empty one says nothing.</summary>
    public void Add(FieldKind kind, ReadOnlySpan<byte> value)
    {
        Quoted += kind == FieldKind.Quoted ? 1 : 0;
        if (value.IsEmpty)
        {
            return;
        }

        var isValue = PlainValue.Is(value);
        Values += isValue ? 1 : 0;
        Texts += isValue ? 0 : 1;
        BareTexts += isValue || kind == FieldKind.Quoted ? 0 : 1;
        SameAsName += value.SequenceEqual(_name) ? 1 : 0;
    }
}
