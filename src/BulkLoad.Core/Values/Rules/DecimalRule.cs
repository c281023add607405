using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Rules;

/// <summary>DECIMAL(p,s) (MySQL manual, "Fixed-Point Types"): the same number with no digit lost on either side of the point, unless it may
/// be rounded.</summary>
/// <param name="notation">null: values are written as the server writes them</param>
internal sealed class DecimalRule(TableColumn column, RuleOptions options, NumberNotation? notation = null) : ValueRule
{
    /// <summary>The type has at most 65 digits.</summary>
    private const int MaxBytes = 80;

    private readonly PlainNumber? _plain = notation is null ? PlainNumber.Standard : notation.Plain;
    private readonly byte[] _rewritten = new byte[notation is null ? 0 : ValueNotation.MaxBytes];
    private readonly int _wholeDigits = column.Precision - column.Scale;
    private readonly int _scale = column.Scale;
    private readonly bool _rounds = options.Rounds;
    private readonly bool _isUnsigned = column.IsUnsigned;

    private readonly ValueFault _tooLarge = ValueFault.TooManyDigits(column);
    private readonly ValueFault _tooFine = ValueFault.TooManyDecimals(column);

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_plain is { } plain
            && plain.Write(text, _wholeDigits, _scale, takesMinus: !_isUnsigned, block.Reserve(MaxBytes)) is > 0 and var length)
        {
            block.Take(length);
            return null;
        }

        if (notation is not null && !notation.TryRewrite(text, _rewritten, out text))
        {
            return notation.Fault;
        }

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

        block.Take(number.Write(block.Reserve(MaxBytes)));
        return null;
    }

    private ValueFault? AddRounded(NumberText number, RowBlock block)
    {
        var room = block.Reserve(MaxBytes);
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
