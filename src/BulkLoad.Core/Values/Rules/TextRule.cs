using System.Numerics;
using System.Text.Unicode;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>CHAR, VARCHAR and the TEXT types (MySQL manual, "String Data Types"): the same characters, so valid UTF-8, not too long, all in
/// the column's character set, and no blanks at the end of a CHAR, which the server would cut off.</summary>
internal sealed class TextRule(TableColumn column) : ValueRule
{
    private static readonly ValueFault TrailingBlanks = new("trailing-blanks", "ends with blanks, which a CHAR column does not keep");

    private const int MaxBytesPerCharacter = 4;

    private readonly bool _isChar = column.Kind == ColumnKind.Char;
    private readonly long _maxCharacters = column.MaxCharacters;
    private readonly long _maxBytes = column.MaxBytes;
    private readonly ColumnCharset _charset = ColumnCharset.Named(column.Charset ?? "utf8mb4");

    private readonly ValueFault _tooLong = new(
        "too-long",
        column.MaxCharacters > 0
            ? $"is longer than {column.MaxCharacters} {Plural.For(column.MaxCharacters, "character")}"
            : $"is longer than {column.MaxBytes} {Plural.For(column.MaxBytes, "byte")}");

    private readonly ValueFault _notInCharset = new("not-in-charset", $"has a character that {column.Charset} does not have");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        var isAscii = Ascii.IsValid(text);
        if (!isAscii && !Utf8.IsValid(text))
        {
            return ValueFault.InvalidText;
        }

        if (!(isAscii && _charset.HasAscii) && !_charset.HasAll(text))
        {
            return _notInCharset;
        }

        if (IsTooLong(text))
        {
            return _tooLong;
        }

        if (_isChar && text.Length > 0 && text[^1] == ' ')
        {
            return TrailingBlanks;
        }

        block.AddValue(text);
        return null;
    }

    private bool IsTooLong(ReadOnlySpan<byte> text) => _maxCharacters > 0
        ? text.Length > _maxCharacters && ColumnCharset.CountCharacters(text) > _maxCharacters
        : text.Length > _maxBytes / MaxBytesPerCharacter && _charset.CountBytes(text) > _maxBytes;
}

/// <summary>ENUM and SET (MySQL manual, "The ENUM Type", "The SET Type"): by label, letter for letter, never by index.</summary>
internal sealed class LabelRule(TableColumn column) : ValueRule
{
    private readonly byte[][] _labels = [.. column.Labels.Select(Encoding.UTF8.GetBytes)];
    private readonly bool _isSet = column.Kind == ColumnKind.Set;

    /// <summary>By label: the fault of a text that is nearly the label; created when needed.</summary>
    private readonly ValueFault?[] _nearly = new ValueFault?[column.Labels.Count];

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
            return FaultOf(text);
        }

        block.AddValue(text);
        return null;
    }

    /// <summary>A set has no order and no duplicates: writes what the server gives back, the labels in the column's order.</summary>
    private ValueFault? AddSet(ReadOnlySpan<byte> text, RowBlock block)
    {
        var members = 0UL;
        foreach (var part in text.IsEmpty ? default : text.Split((byte)','))
        {
            var label = Find(text[part]);
            if (label < 0)
            {
                return FaultOf(text[part]);
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

    /// <summary>A server would accept other letters by the column's collation: the message says so, but the rule is the same
    /// everywhere.</summary>
    private ValueFault FaultOf(ReadOnlySpan<byte> text)
    {
        var written = Encoding.UTF8.GetString(text);
        for (var i = 0; i < _labels.Length; i++)
        {
            if (written.Equals(column.Labels[i], StringComparison.OrdinalIgnoreCase))
            {
                return _nearly[i] ??= _unknown with
                {
                    Message = $"{_unknown.Message}; {(_isSet ? "one of its labels" : "it")} differs from '{column.Labels[i]}' in letter "
                        + "case only",
                };
            }
        }

        return _unknown;
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
