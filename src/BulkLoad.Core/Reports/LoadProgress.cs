namespace BulkLoad;

/// <summary>How far a job is.</summary>
/// <param name="BytesRead">estimate of the input's bytes whose records are settled, as stored (compressed); while records are only read, of
/// the bytes that were read</param>
/// <param name="TotalBytes">of all inputs; null: one is a pipe</param>
/// <param name="RecordsSent">records that the server has accepted</param>
/// <param name="RecordsCommitted">committed records</param>
/// <param name="Held">why nothing is sent at present, for people; null: something is</param>
public readonly record struct LoadProgress(
    long BytesRead, long? TotalBytes, long RecordsSent, long RecordsCommitted, string? Held = null);
