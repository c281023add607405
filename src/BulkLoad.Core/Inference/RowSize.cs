using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>What a row may take at most: 65,535 bytes for all columns together, TEXT and JSON counting only what points at them (MySQL
/// manual, "Limits on Table Column Count and Row Size"; "Data Type Storage Requirements").</summary>
internal static class RowSize
{
    private const int MostBytes = 65_535;
    private const int BytesPerCharacter = 4;
    private const int PointerBytes = 12;

    /// <summary>Makes TEXT of the longest VARCHAR columns until a row fits; those of <paramref name="key"/> stay as they are.</summary>
    public static IReadOnlyList<InferredColumn> Fit(IReadOnlyList<InferredColumn> columns, IReadOnlyList<string> key)
    {
        var fitted = columns.ToArray();
        var bytes = fitted.Sum(column => BytesOf(column.Column)) + ((columns.Count + 7) / 8);
        while (bytes > MostBytes)
        {
            var longest = fitted
                .Where(column => column.Column.Kind == ColumnKind.Varchar && BytesOf(column.Column) > PointerBytes
                    && !key.Contains(column.Column.Name))
                .MaxBy(column => column.Column.MaxCharacters);
            if (longest is null)
            {
                break;
            }

            var text = ColumnTypes.LongText(longest.Column.MaxCharacters * BytesPerCharacter);
            bytes += PointerBytes - BytesOf(longest.Column);
            fitted[Array.IndexOf(fitted, longest)] = longest with
            {
                Column = longest.Column with { TypeText = text.TypeText, Kind = text.Kind, MaxBytes = text.MaxBytes, MaxCharacters = 0 },
                Reason = $"{longest.Reason}; {longest.Column.TypeText} would make the row too large",
            };
        }

        return fitted;
    }

    /// <summary>Bytes of a column in a row or key at most.</summary>
    public static int BytesOf(TableColumn column) => column.Kind switch
    {
        ColumnKind.Integer or ColumnKind.UnsignedInteger => column.IntegerBytes,
        ColumnKind.Decimal => DecimalBytes(column.Precision - column.Scale) + DecimalBytes(column.Scale),
        ColumnKind.Double => 8,
        ColumnKind.Date => 3,
        ColumnKind.Time => 3 + ((column.Scale + 1) / 2),
        ColumnKind.DateTime => 5 + ((column.Scale + 1) / 2),
        ColumnKind.Varchar => ((int)column.MaxCharacters * BytesPerCharacter) + 2,
        _ => PointerBytes,
    };

    /// <summary>Nine digits take four bytes, the rest of them one to four.</summary>
    private static int DecimalBytes(int digits) => (digits / 9 * 4) + ((digits % 9 + 1) / 2);
}
