namespace BulkLoad.Bench.Oltp;

/// <summary>The statements that transactions are made of.</summary>
internal enum OltpStatement
{
    /// <summary>A row by its id.</summary>
    SelectPoint,

    /// <summary>Rows of a range of ids.</summary>
    SelectRange,

    /// <summary>The sum of a column over a range.</summary>
    SelectSum,

    /// <summary>Rows of a range, sorted.</summary>
    SelectOrdered,

    /// <summary>Different values of a range, sorted.</summary>
    SelectDistinct,

    /// <summary>Of a column with an index.</summary>
    UpdateIndexed,

    /// <summary>Of one without.</summary>
    UpdateOther,

    /// <summary>Of a row by its id.</summary>
    Delete,

    /// <summary>Of the row that was deleted last.</summary>
    Insert,

    /// <summary>Of a row with an id of the server's making.</summary>
    InsertNew,
}
