namespace BulkLoad.Core.Reports;

/// <summary>How far a running job is.</summary>
/// <param name="BytesRead">bytes of input whose records are settled, as stored (compressed), about; of what is only read, the bytes that were</param>
/// <param name="TotalBytes">bytes of all inputs; null where one is a pipe</param>
/// <param name="RecordsSent">records that the server has taken</param>
/// <param name="RecordsCommitted">records that are safe</param>
/// <param name="Held">why nothing is sent at present, for people; null: something is</param>
public readonly record struct LoadProgress(long BytesRead, long? TotalBytes, long RecordsSent, long RecordsCommitted, string? Held = null);
