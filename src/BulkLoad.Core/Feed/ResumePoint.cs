namespace BulkLoad.Core.Feed;

/// <summary>Up to where the inputs are passed over, since this start has committed it.</summary>
/// <param name="Source">number of the last committed record's input</param>
/// <param name="Record">its 1-based number in there; 0: nothing of that input</param>
/// <param name="Rejects">refused records among what is passed over</param>
internal readonly record struct ResumePoint(int Source, long Record, long Rejects)
{
    public bool Has(int source, long record) => source < Source || (source == Source && record <= Record);
}
