using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>A column that the values of the input decided.</summary>
/// <param name="Column">as the catalogue will describe it, but for the servers' own ways of writing types</param>
/// <param name="Reason">the values behind type and NULL, for people</param>
/// <param name="Characters">of the longest value as text</param>
internal sealed record InferredColumn(TableColumn Column, string Reason, long Characters);
