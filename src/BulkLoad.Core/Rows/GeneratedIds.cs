namespace BulkLoad.Core.Rows;

/// <summary>Consecutive ids that the server has generated for the rows of one INSERT.</summary>
/// <param name="Step">from one to the next</param>
internal readonly record struct GeneratedIds(ulong First, ulong Step, int Count);
