using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows as the parameters of one execution of a prepared INSERT.</summary>
internal abstract class PreparedRows : InsertBatch
{
    /// <summary>Of all the rows.</summary>
    public abstract BinaryParameters Parameters { get; }

    /// <summary>Rows that the statement has placeholders for.</summary>
    public abstract int StatementRows { get; }

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public abstract void Fill(RowBlock block, int from, int rows);
}
