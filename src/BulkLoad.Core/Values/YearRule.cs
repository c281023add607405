using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Values;

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
