namespace BulkLoad.Core.Rows;

/// <summary>Where a row's record stands in the inputs.</summary>
/// <param name="Source">0-based number of the input</param>
/// <param name="Record">1-based number in there</param>
/// <param name="Line">1-based line on which it starts</param>
/// <param name="Offset">0-based offset in the undecoded input</param>
internal readonly record struct RowOrigin(int Source, long Record, long Line, long Offset);
