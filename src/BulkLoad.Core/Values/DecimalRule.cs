using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>DECIMAL(p,s) (MySQL manual, "Fixed-Point Types"): the same number with no digit lost on either side of the point, unless it may
/// be rounded.</summary>
internal sealed class DecimalRule(TableColumn column, RuleOptions options) : ValueRule
{
    private readonly int _wholeDigits = column.Precision - column.Scale;
    private readonly int _scale = column.Scale;
    private readonly bool _rounds = options.Rounds;
    private readonly bool _isUnsigned = column.IsUnsigned;

    private readonly ValueFault _tooLarge = ValueFault.TooManyDigits(column);
    private readonly ValueFault _tooFine = ValueFault.TooManyDecimals(column);

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!NumberText.TryParse(text, out var number))
        {
            return ValueFault.NotANumber;
        }

        if (number.WholeDigits > _wholeDigits)
        {
            return number.IsNegative && _isUnsigned ? ValueFault.Negative : _tooLarge;
        }

        if (number.FractionDigits > _scale)
        {
            return _rounds ? AddRounded(number, block) : _tooFine;
        }

        if (number.IsNegative && !number.IsZero && _isUnsigned)
        {
            return ValueFault.Negative;
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
            return ValueFault.Negative;
        }

        block.Take(length);
        return null;
    }
}
