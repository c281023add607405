namespace BulkLoad.Core.Inference;

/// <summary>Where a value stands.</summary>
/// <param name="Source">0-based number of the input</param>
/// <param name="Record">1-based number of the record in it</param>
internal readonly record struct Place(int Source, long Record)
{
    /// <param name="sources">the inputs' names; with only one it is not told</param>
    public string Describe(IReadOnlyList<string> sources) => sources.Count == 1
        ? $"record {Record}"
        : $"record {Record} of {sources[Source]}";
}
