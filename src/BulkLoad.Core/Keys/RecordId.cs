namespace BulkLoad.Core.Keys;

/// <summary>One number for a record of all inputs, in their order.</summary>
internal static class RecordId
{
    private const int RecordBits = 40;

    /// <param name="source">0-based number of the input</param>
    /// <param name="record">1-based number in it</param>
    public static long Of(int source, long record) => ((long)source << RecordBits) | record;
}
