using BulkLoad.Core.Feed;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Sending;

/// <summary>A row that has been read and encoded, as a reject: where its record stands in the input, and its bytes there.</summary>
internal static class RejectedRow
{
    /// <param name="sources">that the rows were read from</param>
    /// <param name="block">holds the row</param>
    /// <param name="row">of the block</param>
    /// <param name="code">the stable reason code</param>
    /// <param name="message">for people</param>
    public static Reject At(IReadOnlyList<LoadSource> sources, RowBlock block, int row, string code, string message)
    {
        var origin = block.Origin(row);
        return new Reject
        {
            Source = sources[origin.Source].Look.Name,
            Record = origin.Record,
            Line = origin.Line,
            Offset = origin.Offset,
            SortedPlace = block.IsSorted ? (block.Record(row), block.Offset(row)) : null,
            Code = code,
            Message = message,
            Text = block.Original(row).ToArray(),
        };
    }
}
