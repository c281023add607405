namespace BulkLoad.Core.Protocol;

/// <summary>
/// Any number of rows of parameters of one prepared statement: an execution with these runs the statement for each row, in one packet
/// and with one answer (MariaDB protocol, "COM_STMT_BULK_EXECUTE"). Filled row after row, reused without allocating; never sent empty.
/// </summary>
/// <remarks>
/// A row that fails ends it (MariaDB 10.11): an INSERT or REPLACE is undone whole; of an UPDATE or DELETE the rows before it stay, and
/// the message says row 1 whichever it was.
/// </remarks>
/// <param name="types">one type a placeholder, in order</param>
internal sealed class BulkParameters(ReadOnlySpan<ParameterType> types) : BinaryParameters(types, hasIndicators: true)
{
    /// <summary>A value follows.</summary>
    internal const byte Value = 0;

    /// <summary>NULL; error 1048 for a column that does not take it, whatever the session's mode.</summary>
    internal const byte Null = 1;

    private const byte Default = 2;

    /// <summary>Whole rows.</summary>
    public int RowCount => Count == 0 ? 0 : Filled / Count;

    /// <summary>At least one row, all of them whole.</summary>
    public override bool IsComplete => RowCount > 0 && Filled % Count == 0;

    /// <summary>The default of the column that the placeholder alone is the value of.</summary>
    public void AddDefault() => AddIndicator(Default);
}
