namespace BulkLoad.Core.Facts;

/// <summary>What the beginning of the inputs tells about the order of their records, and whether there is room to sort them.</summary>
/// <param name="Records">that were looked at</param>
/// <param name="Late">those of them, in the second half of an input's beginning, whose key is below one of the first half</param>
/// <param name="Room">bytes that are free in the folder for temporary files; 0 where it cannot be used</param>
internal sealed record KeyOrderInfo(int Records, int Late, long Room);
