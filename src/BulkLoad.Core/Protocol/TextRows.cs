namespace BulkLoad.Core.Protocol;

/// <summary>The rows of a text result set, in memory. A null string is SQL NULL.</summary>
/// <param name="Columns">column names in order</param>
/// <param name="Rows">each row has as many values as there are columns</param>
internal sealed record TextRows(IReadOnlyList<string> Columns, IReadOnlyList<string?[]> Rows)
{
    /// <summary>The only value of the only row.</summary>
    public string? Scalar => Rows[0][0];
}
