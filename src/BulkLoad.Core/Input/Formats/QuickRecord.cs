namespace BulkLoad.Core.Input.Formats;

/// <summary>A record that was found without our own scanner.</summary>
/// <param name="Start">of its first byte in the buffer</param>
/// <param name="Length">without its line end</param>
/// <param name="LineNumber">1-based line on which it starts</param>
/// <param name="FieldCount">its fields</param>
/// <param name="IsMalformed">whether a quote stands where none may</param>
internal readonly record struct QuickRecord(int Start, int Length, long LineNumber, int FieldCount, bool IsMalformed);
