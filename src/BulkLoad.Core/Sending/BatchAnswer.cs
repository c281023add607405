using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>What the server said to a batch.</summary>
/// <param name="Block">holds its rows</param>
/// <param name="From">0-based first one of them</param>
/// <param name="Rows">how many; 0: the block has none, and nothing was sent</param>
/// <param name="Outcome">what became of them</param>
internal readonly record struct BatchAnswer(RowBlock Block, int From, int Rows, BatchOutcome Outcome)
{
    /// <summary>Behind the last row.</summary>
    public int To => From + Rows;
}
