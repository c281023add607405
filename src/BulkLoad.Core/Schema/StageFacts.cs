namespace BulkLoad.Core.Schema;

/// <summary>Whether rows can be put into a temporary table, and how.</summary>
/// <param name="Refusal">why not, for people; null: they can</param>
/// <param name="MemoryBytes">what a table in memory may grow to; 0: there can be none</param>
internal sealed record StageFacts(string? Refusal, long MemoryBytes)
{
    /// <summary>A row's number, its place in the key's index and in the table, and what rows are rounded up by.</summary>
    private const long RowOverhead = 56;

    /// <summary>InnoDB's limit with small pages, and below those of other engines (MySQL manual, "InnoDB Limits").</summary>
    private const long MostIndexBytes = 768;

    /// <summary>Whether so many rows fit into a table in memory, in which a value takes the room of the longest.</summary>
    public bool FitsMemory(IReadOnlyList<TableColumn> columns, long rows)
    {
        var bytes = RowOverhead;
        foreach (var column in columns)
        {
            if (WidthOf(column) is not { } width)
            {
                return false;
            }

            bytes += width;
        }

        return rows * bytes <= MemoryBytes;
    }

    /// <summary>Whether a temporary table of either engine can have an index over all of these values.</summary>
    public static bool CanBeIndexed(IReadOnlyList<TableColumn> columns) =>
        columns.Sum(column => WidthOf(column) ?? MostIndexBytes) < MostIndexBytes;

    /// <summary>Bytes; null: the server does not keep such values in memory.</summary>
    private static long? WidthOf(TableColumn column) => column.Kind switch
    {
        ColumnKind.Text or ColumnKind.Json or ColumnKind.Geometry => null,
        ColumnKind.Blob when !column.TypeText.StartsWith("varbinary", StringComparison.OrdinalIgnoreCase) => null,
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Binary or ColumnKind.Blob => column.MaxBytes + sizeof(int),
        ColumnKind.Decimal => column.Precision,
        _ => 16,
    };
}
