using System.Numerics;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>ENUM and SET (MySQL manual, "The ENUM Type", "The SET Type"): by label, letter for letter, never by index.</summary>
internal sealed class LabelRule(TableColumn column) : ValueRule
{
    private readonly byte[][] _labels = [.. column.Labels.Select(Encoding.UTF8.GetBytes)];
    private readonly bool _isSet = column.Kind == ColumnKind.Set;

    private readonly ValueFault _unknown = new(
        "unknown-label", $"is not one of {string.Join(", ", column.Labels.Take(10).Select(label => $"'{label}'"))}" +
        $"{(column.Labels.Count > 10 ? ", ..." : "")}");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_isSet)
        {
            return AddSet(text, block);
        }

        if (Find(text) < 0)
        {
            return _unknown;
        }

        block.AddValue(text);
        return null;
    }

    /// <summary>A set has no order and no doubles: what is written is what the server gives back, the labels in the column's
    /// order.</summary>
    private ValueFault? AddSet(ReadOnlySpan<byte> text, RowBlock block)
    {
        var members = 0UL;
        foreach (var part in text.IsEmpty ? default : text.Split((byte)','))
        {
            var label = Find(text[part]);
            if (label < 0)
            {
                return _unknown;
            }

            members |= 1UL << label;
        }

        var room = block.Reserve(text.Length);
        var length = 0;
        for (; members != 0; members &= members - 1)
        {
            var label = _labels[BitOperations.TrailingZeroCount(members)];
            if (length > 0)
            {
                room[length++] = (byte)',';
            }

            label.CopyTo(room[length..]);
            length += label.Length;
        }

        block.Take(length);
        return null;
    }

    private int Find(ReadOnlySpan<byte> text)
    {
        for (var i = 0; i < _labels.Length; i++)
        {
            if (text.SequenceEqual(_labels[i]))
            {
                return i;
            }
        }

        return -1;
    }
}
