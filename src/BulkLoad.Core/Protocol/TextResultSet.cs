namespace BulkLoad.Core.Protocol;

/// <summary>The rows of a text result set, in memory. A null string is SQL NULL.</summary>
/// <param name="Columns">column names in order</param>
/// <param name="Rows">each row has as many values as there are columns</param>
internal readonly record struct TextResultSet(IReadOnlyList<string> Columns, IReadOnlyList<string?[]> Rows)
{
    /// <summary>The row of a question that always has one.</summary>
    /// <exception cref="ServerException">there is none: a proxy has answered something else</exception>
    public string?[] FirstRow => Rows.Count > 0 ? Rows[0] : throw ProtocolViolation.Of("a question that always has an answer was answered without a row");

    /// <summary>The only value of the only row.</summary>
    /// <exception cref="ServerException">there is no row</exception>
    public string? Scalar => FirstRow[0];
}
