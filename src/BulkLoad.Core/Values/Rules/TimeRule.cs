using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>TIME (MySQL manual, "The TIME Type"): <c>[-]hh:mm[:ss[.f]]</c>, from -838:59:59 to 838:59:59, no finer than the
/// column.</summary>
internal sealed class TimeRule(TableColumn column, RuleOptions options) : ValueRule
{
    private static readonly ValueFault NotATime = new("not-a-time", "is not a time of the form [-]hh:mm[:ss[.ffffff]]");
    private static readonly ValueFault OutOfRange = new("out-of-range", "is outside -838:59:59 to 838:59:59");

    private readonly int _scale = column.Scale;
    private readonly bool _rounds = options.Rounds;
    private readonly ValueFault _tooFine = ValueFault.TooFineTime(column);

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!TimeText.TryParse(text, out var isNegative, out var ticks, out var fractionDigits))
        {
            return NotATime;
        }

        if (fractionDigits > _scale && _rounds)
        {
            ticks = FractionText.Round(ticks, _scale);
            fractionDigits = _scale;
        }

        if (ticks > TimeText.MaxTicks)
        {
            return OutOfRange;
        }

        if (fractionDigits > _scale)
        {
            return _tooFine;
        }

        block.Take(TimeText.Write(isNegative && ticks > 0, ticks, block.Reserve(20)));
        return null;
    }
}
