using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Mapping;

/// <summary>ENUM and SET (MySQL manual, "The ENUM Type", "The SET Type"): by label, letter for letter, never by index.</summary>
internal sealed class LabelRule(TableColumn column) : ValueRule
{
    private readonly byte[][] _labels = [.. column.Labels.Select(Encoding.UTF8.GetBytes)];
    private readonly bool _isSet = column.Kind == ColumnKind.Set;

    private readonly ValueFault _unknown = new(
        "unknown-label", $"is not one of {string.Join(", ", column.Labels.Take(10).Select(label => $"'{label}'"))}{(column.Labels.Count > 10 ? ", ..." : "")}");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_isSet ? !AreLabels(text) : !IsLabel(text))
        {
            return _unknown;
        }

        block.AddValue(text);
        return null;
    }

    private bool AreLabels(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty)
        {
            return true;
        }

        foreach (var part in text.Split((byte)','))
        {
            if (!IsLabel(text[part]))
            {
                return false;
            }
        }

        return true;
    }

    private bool IsLabel(ReadOnlySpan<byte> text)
    {
        foreach (var label in _labels)
        {
            if (text.SequenceEqual(label))
            {
                return true;
            }
        }

        return false;
    }
}
