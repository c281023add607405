using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>What is in the open transaction.</summary>
internal struct OpenChunk
{
    /// <summary>Batches that the server took.</summary>
    public long Batches { get; private set; }

    /// <summary>Rows of them.</summary>
    public RowCounts Taken { get; private set; }

    /// <summary>The last record whose outcome is known, taken or refused.</summary>
    public (string Source, long Record) Last { get; private set; }

    /// <summary>Whether no record belongs to it.</summary>
    public readonly bool IsEmpty => Last.Record == 0;

    /// <summary>A batch was taken.</summary>
    public void Add(string source, long lastRecord, RowCounts taken)
    {
        Batches++;
        Taken += taken;
        Last = (source, lastRecord);
    }

    /// <summary>Records of the batch that was taken last.</summary>
    public void Add(RowCounts taken) => Taken += taken;

    /// <summary>A record was refused; it may stand before rows that were taken.</summary>
    public void Add(string source, long record) => Last = (source, Last.Source == source ? Math.Max(Last.Record, record) : record);
}
