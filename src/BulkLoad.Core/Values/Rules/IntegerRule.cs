using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>TINYINT to BIGINT, signed and unsigned, and BIT(n) as the number of its bits (MySQL manual, "Integer Types", "Bit-Value Type"):
/// the same number in range, whatever its notation (<c>+7</c>, <c>007</c>, <c>7.0</c>, <c>7e0</c>), or rounded if the user asks for it.
/// TINYINT(1) takes the true/false words too.</summary>
internal sealed class IntegerRule : ValueRule
{
    /// <summary>A text of so many bytes is within a long.</summary>
    private const int MaxShort = 18;

    private readonly bool _isBoolean;
    private readonly bool _rounds;
    private readonly long _least;
    private readonly ulong _most;
    private readonly ValueFault _outOfRange;
    private readonly ValueFault _notAnInteger;

    public IntegerRule(TableColumn column, RuleOptions options)
    {
        _rounds = options.Rounds;
        var bits = column.Kind == ColumnKind.Bit ? column.Precision : column.IntegerBytes * 8;
        var isUnsigned = column.Kind is ColumnKind.UnsignedInteger or ColumnKind.Bit;
        _isBoolean = column.IsBoolean;
        _least = isUnsigned ? 0 : -1L << (bits - 1);
        _most = isUnsigned ? ulong.MaxValue >> (64 - bits) : (1UL << (bits - 1)) - 1;
        _outOfRange = new ValueFault("out-of-range", $"is outside {_least} to {_most}");
        _notAnInteger = new ValueFault("not-an-integer", _isBoolean ? "is not an integer and not true or false" : "is not an integer");
    }

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (IsPlain(text) && TryParse(text, out var value))
        {
            if (value < _least || (value > 0 && (ulong)value > _most))
            {
                return _outOfRange;
            }

            block.AddValue(text);
            return null;
        }

        return AddOther(text, block);
    }

    /// <summary>Whether the digits are as they would be printed: no plus, no leading zeros, no negative zero.</summary>
    private static bool IsPlain(ReadOnlySpan<byte> text)
    {
        var digits = text.Length > 1 && text[0] == '-' ? text[1..] : text;
        return digits.Length > 0 && (digits[0] is >= (byte)'1' and <= (byte)'9' || text is [(byte)'0']);
    }

    private static bool TryParse(ReadOnlySpan<byte> text, out long value)
    {
        if (text.Length > MaxShort)
        {
            return Utf8Parser.TryParse(text, out value, out var used) && used == text.Length;
        }

        value = 0;
        var start = text[0] == '-' ? 1 : 0;
        foreach (var sign in text[start..])
        {
            var digit = (uint)sign - '0';
            if (digit > 9)
            {
                return false;
            }

            value = (value * 10) + digit;
        }

        value = start == 1 ? -value : value;
        return true;
    }

    private ValueFault? AddOther(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_isBoolean && TruthText.TryParse(text, out var truth))
        {
            block.AddValue(truth ? "1"u8 : "0"u8);
            return null;
        }

        if (!NumberText.TryParse(text, out var number) || (number.FractionDigits > 0 && !_rounds))
        {
            return _notAnInteger;
        }

        if (number.WholeDigits > 20)
        {
            return _outOfRange;
        }

        var room = block.Reserve(32);
        var length = number.FractionDigits > 0 ? number.WriteRounded(0, room, out _) : number.Write(room);
        var digits = room[0] == '-' ? room[1..length] : room[..length];
        if (!Utf8Parser.TryParse(digits, out ulong magnitude, out _)
            || (digits.Length == length ? magnitude > _most : magnitude > (ulong)-(_least + 1) + 1 || _least == 0))
        {
            return _outOfRange;
        }

        block.Take(length);
        return null;
    }
}

/// <summary>YEAR (MySQL manual, "The YEAR Type"): four digits, 1901 to 2155, or 0000.</summary>
internal sealed class YearRule : ValueRule
{
    private static readonly ValueFault NotAYear = new("not-a-year", "is not a year of four digits from 1901 to 2155");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (text.Length != 4 || text.IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0)
        {
            return NotAYear;
        }

        var year = ((text[0] - '0') * 1000) + ((text[1] - '0') * 100) + ((text[2] - '0') * 10) + (text[3] - '0');
        if (year is not (0 or (>= 1901 and <= 2155)))
        {
            return NotAYear;
        }

        block.AddValue(text);
        return null;
    }
}
