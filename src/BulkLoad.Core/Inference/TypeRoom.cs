using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>Widens a type for larger values in the next file. Pure.</summary>
internal static class TypeRoom
{
    private const int MoreDigits = 2;
    private const int FinestFraction = 6;

    /// <summary>The first one above the longest value.</summary>
    private static readonly int[] Lengths = [16, 32, 64, 100, 255, 500, 1000, 2000, 4000, 8000, 16_000];

    /// <summary><paramref name="canBeExact"/>: an option gives the narrowest type.</summary>
    public static InferredColumn Widen(InferredColumn column, bool canBeExact = true)
    {
        if (column.Given is not null)
        {
            return column;
        }

        var narrow = column.Column;
        var wide = narrow.Kind switch
        {
            ColumnKind.Integer when narrow is { IsBoolean: false, IntegerBytes: < sizeof(int) } => ColumnTypes.Integer(0, int.MaxValue),
            ColumnKind.Decimal => WidenDecimal(narrow),
            ColumnKind.DateTime when narrow.Scale > 0 => ColumnTypes.DateTime(FinestFraction),
            ColumnKind.Time when narrow.Scale > 0 => ColumnTypes.Time(FinestFraction),
            ColumnKind.Varchar when column.Characters > 0
                && Array.Find(Lengths, length => length > column.Characters) is > 0 and var length => ColumnTypes.Varchar(length),
            _ => narrow,
        };
        return wide.TypeText == narrow.TypeText
            ? column
            : column with
            {
                Column = wide with { Name = narrow.Name, IsNullable = narrow.IsNullable, Default = narrow.Default },
                Reason = $"{column.Reason}; {narrow.TypeText} would do, and this has room for larger "
                    + $"values{(canBeExact ? $" (--create=exact makes it {narrow.TypeText})" : "")}",
            };
    }

    /// <summary>Two more digits on either side of the point.</summary>
    private static TableColumn WidenDecimal(TableColumn narrow)
    {
        var scale = narrow.Scale == 0 ? 0 : Math.Min(NumberEvidence.MostScale, narrow.Scale + MoreDigits);
        return ColumnTypes.Decimal(Math.Min(ColumnTypes.MostPrecision, narrow.Precision - narrow.Scale + MoreDigits + scale), scale);
    }
}
