namespace BulkLoad.Core.Feed;

/// <summary>Records that former starts of the job have committed: the pass over the inputs gives them to nobody.</summary>
internal interface ICommittedRecords
{
    /// <summary>Refused records among them.</summary>
    long Rejects { get; }

    /// <summary>The last record's 1-based number where the inputs go as one, sorted; 0: there is none.</summary>
    long LastPlace { get; }

    /// <summary>Whether the record is committed. Asked for each record, in the order in which they are sent.</summary>
    /// <param name="source">0-based number of its input</param>
    /// <param name="record">1-based number in there</param>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    /// <exception cref="PlanException">the input is not what it was up to the last committed record</exception>
    bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes);

    /// <summary>An input has no more records.</summary>
    /// <exception cref="PlanException">there were more</exception>
    void EndSource(int source);
}

/// <summary>Up to where the inputs are skipped, since this start has committed it.</summary>
/// <param name="Record">its 1-based number in there; 0: nothing of that input</param>
internal readonly record struct ResumePoint(int Source, long Record, long Rejects)
{
    public bool Has(int source, long record) => source < Source || (source == Source && record <= Record);
}
