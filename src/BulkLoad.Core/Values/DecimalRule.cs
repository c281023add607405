using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>DECIMAL(p,s) (MySQL manual, "Fixed-Point Types"): the same number with no digit lost on either side of the point, unless it may
/// be rounded.</summary>
internal sealed class DecimalRule(TableColumn column, RuleOptions options) : ValueRule
{
    private static readonly ValueFault NotANumber = new("not-a-number", "is not a number");
    private static readonly ValueFault Negative = new("out-of-range", "is negative, and the column is UNSIGNED");

    private readonly int _wholeDigits = column.Precision - column.Scale;
    private readonly int _scale = column.Scale;
    private readonly bool _rounds = options.Rounds;
    private readonly bool _isUnsigned = column.IsUnsigned;

    private readonly ValueFault _tooLarge = new("out-of-range", $"has more than {column.Precision - column.Scale} digits before the point");

    private readonly ValueFault _tooFine = new("too-many-decimals", $"has more than {column.Scale} digits after the point");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!NumberText.TryParse(text, out var number))
        {
            return NotANumber;
        }

        if (number.WholeDigits > _wholeDigits)
        {
            return number.IsNegative && _isUnsigned ? Negative : _tooLarge;
        }

        if (number.FractionDigits > _scale)
        {
            return _rounds ? AddRounded(number, block) : _tooFine;
        }

        if (number.IsNegative && !number.IsZero && _isUnsigned)
        {
            return Negative;
        }

        // 65 digits are the most that the type has, so the bounds above keep this small.
        block.Take(number.Write(block.Reserve(80)));
        return null;
    }

    private ValueFault? AddRounded(NumberText number, RowBlock block)
    {
        var room = block.Reserve(80);
        var length = number.WriteRounded(_scale, room, out var wholeDigits);
        if (wholeDigits > _wholeDigits)
        {
            return _tooLarge;
        }

        if (room[0] == '-' && _isUnsigned)
        {
            return Negative;
        }

        block.Take(length);
        return null;
    }
}
