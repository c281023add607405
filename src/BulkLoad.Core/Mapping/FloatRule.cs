using System.Buffers.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Mapping;

/// <summary>FLOAT and DOUBLE (MySQL manual, "Floating-Point Types"): the nearest binary value; beyond the largest is a fault.</summary>
internal sealed class FloatRule(TableColumn column) : ValueRule
{
    private static readonly ValueFault NotANumber = new("not-a-number", "is not a number");
    private static readonly ValueFault OutOfRange = new("out-of-range", "is beyond the largest value of the type");
    private static readonly ValueFault Negative = new("out-of-range", "is negative, and the column is UNSIGNED");

    private readonly bool _isFloat = column.Kind == ColumnKind.Float;
    private readonly bool _isUnsigned = column.IsUnsigned;

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!Utf8Parser.TryParse(text, out double value, out var used) || used != text.Length || double.IsNaN(value))
        {
            return NotANumber;
        }

        // The parser also takes the words for infinity, which no column holds.
        if (text[^1] is not ((>= (byte)'0' and <= (byte)'9') or (byte)'.'))
        {
            return NotANumber;
        }

        if (value < 0 && _isUnsigned)
        {
            return Negative;
        }

        if (_isFloat)
        {
            return AddFloat(text, value, block);
        }

        if (double.IsInfinity(value))
        {
            return OutOfRange;
        }

        block.AddValue(text);
        return null;
    }

    /// <summary>
    /// Servers round a FLOAT's text twice, first to a double. Where that ends elsewhere, they get the nearest FLOAT's own digits.
    /// </summary>
    private static ValueFault? AddFloat(ReadOnlySpan<byte> text, double value, RowBlock block)
    {
        if (!Utf8Parser.TryParse(text, out float nearest, out _) || float.IsInfinity(nearest))
        {
            return OutOfRange;
        }

        if ((float)value == nearest && Math.Abs(value) <= float.MaxValue)
        {
            block.AddValue(text);
            return null;
        }

        Utf8Formatter.TryFormat((double)nearest, block.Reserve(32), out var length);
        block.Take(length);
        return null;
    }
}
