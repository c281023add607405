namespace BulkLoad.Bench.Oltp;

internal enum OltpStatement
{
    /// <summary>By id.</summary>
    SelectPoint,

    /// <summary>By a range of ids.</summary>
    SelectRange,

    /// <summary>Over a range of ids.</summary>
    SelectSum,

    /// <summary>A sorted range.</summary>
    SelectOrdered,

    /// <summary>Distinct values of a range, sorted.</summary>
    SelectDistinct,

    /// <summary>A column with an index.</summary>
    UpdateIndexed,

    /// <summary>A column without an index.</summary>
    UpdateOther,

    /// <summary>By id.</summary>
    Delete,

    /// <summary>The row that was deleted last.</summary>
    Insert,

    /// <summary>With an id from the server.</summary>
    InsertNew,
}
