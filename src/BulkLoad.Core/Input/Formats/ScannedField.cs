namespace BulkLoad.Core.Input.Formats;

/// <summary>A field within a record.</summary>
/// <param name="Start">from the record's first byte; behind the opening quote</param>
/// <param name="Length">without quotes</param>
/// <param name="IsQuoted">whether it began with a quote</param>
/// <param name="HasEscapes">whether its bytes are not its value yet</param>
internal readonly record struct ScannedField(int Start, int Length, bool IsQuoted, bool HasEscapes);
