using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>What a column's values pass through on their way in, where they do not go in as they are.</summary>
internal static class ValueSql
{
    /// <summary>A placeholder or literal as a value of the column: what stands before and behind it.</summary>
    public static (string Before, string Behind) Around(TableColumn column) => column.Kind == ColumnKind.Geometry
        ? ("ST_GeomFromText(", $",{column.Srid})")
        : ("", "");

    /// <summary>A placeholder as a value of the column.</summary>
    public static string Placeholder(TableColumn column) => string.Join('?', Around(column).Before, Around(column).Behind);

    /// <summary>A value of the column from text in a variable; null where the text itself will do.</summary>
    public static string? FromText(TableColumn column, string variable) => column.Kind switch
    {
        ColumnKind.Bit => $"CAST({variable} AS UNSIGNED)",
        ColumnKind.Binary or ColumnKind.Blob => $"UNHEX({variable})",
        ColumnKind.Geometry => string.Join(variable, Around(column).Before, Around(column).Behind),
        _ => null,
    };
}
