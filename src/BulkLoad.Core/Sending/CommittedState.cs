using BulkLoad.Core.Ledger;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>What is safe in the table.</summary>
internal sealed class CommittedState
{
    private readonly Dictionary<int, long> _ends = [];
    private int _earlier;

    public long Chunks { get; private set; }

    public long Batches { get; private set; }

    /// <summary>Records that the server took, by what became of them.</summary>
    public RowCounts Taken { get; private set; }

    /// <summary>Records that the server took.</summary>
    public long Records => Taken.Count;

    /// <summary>The last committed record's input and number; null before the first.</summary>
    public (string Source, long Record)? Last { get; private set; }

    /// <summary>By what the records are sorted, so that the last one's number is that of its place there; empty: they are not.</summary>
    public string SortedBy { get; init; } = "";

    /// <summary>Whether the session was lost while a chunk was being committed, so that nobody here knows whether it was.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>The last record of a statement of which nobody knows what it took, on an engine that cannot roll back; null: there is
    /// none.</summary>
    public (string Source, long Record)? Unknown { get; set; }

    /// <summary>What is said of the committed records instead, for people, where the server cannot be relied on to have them; null: they
    /// are there.</summary>
    public string? Unproved { get; set; }

    /// <summary>Why that is so, for people.</summary>
    public string UnknownReason { get; set; } = "the statement that carried them did not come to its end";

    public void Add(OpenChunk chunk)
    {
        // One of rejects alone carried no rows.
        Chunks += chunk.Taken.Count > 0 ? 1 : 0;
        Batches += chunk.Batches;
        Taken += chunk.Taken;
        Last = chunk.Last;
    }

    /// <summary>Chunks that a former start of the job has committed.</summary>
    /// <param name="chunks">in the input's order</param>
    public void Add(IReadOnlyList<LedgerChunk> chunks, IReadOnlyList<string> names)
    {
        foreach (var chunk in chunks)
        {
            Add(chunk, names);
        }

        (_earlier, Earlier, EarlierRecords) = (chunks.Count, Chunks, Records);
    }

    /// <summary>These chunks are committed, and no others.</summary>
    /// <param name="chunks">in the input's order</param>
    public void GoBack(IReadOnlyList<LedgerChunk> chunks, IReadOnlyList<string> names)
    {
        (Chunks, Batches, Taken, Last) = (0, 0, default, null);
        Add([.. chunks.Take(_earlier)], names);
        foreach (var chunk in chunks.Skip(_earlier))
        {
            Add(chunk, names);
        }
    }

    /// <summary>Whether the last of these chunks is one that a former start of the job has committed, or there is none.</summary>
    public bool AreEarlier(IReadOnlyList<LedgerChunk> chunks) => chunks.Count <= _earlier;

    /// <summary>An input has ended.</summary>
    /// <param name="record">its last record; 0: it has none</param>
    public void EndSource(int source, long record) => _ends[source] = record;

    /// <summary>The last record of an input that has ended; null: it has not.</summary>
    public long? EndOf(int source) => _ends.TryGetValue(source, out var record) ? record : null;

    private void Add(LedgerChunk chunk, IReadOnlyList<string> names)
    {
        Chunks += chunk.Taken.Count > 0 ? 1 : 0;
        Batches += chunk.Batches;
        Taken += chunk.Taken;
        Last = (names[chunk.LastSource], chunk.LastRecord);
    }

    /// <summary>Chunks among them that a former start of the job has committed.</summary>
    public long Earlier { get; private set; }

    /// <summary>Records in those.</summary>
    public long EarlierRecords { get; private set; }

    /// <summary>For people, to be put into brackets behind what went wrong.</summary>
    /// <param name="isOneSource">whether record numbers need no file name</param>
    /// <param name="hasLedger">whether the next start can tell what is in doubt</param>
    /// <param name="stay">what committed chunks do</param>
    public string Describe(bool isOneSource, bool hasLedger = false, string stay = "stay")
    {
        if (Unproved is not null)
        {
            return Unproved;
        }

        var doubt = IsInDoubt
            ? $"; {DescribeDoubt(hasLedger)}"
            : Unknown is { } unknown
            ? $"; {DescribeUnknown(unknown, isOneSource)}"
            : "";
        if (Chunks == 0 || Last is not { } last)
        {
            // A chunk of rejects alone may have been, which is nothing that anybody could find in the table.
            return IsInDoubt
                ? $"no chunk is known to be committed{doubt}"
                : Unknown is not null
                ? $"no record is known to be in the table{doubt}"
                : "nothing was committed";
        }

        var chunks = Chunks == 1 ? "chunk 1" : $"chunks 1-{Chunks}";
        if (SortedBy.Length > 0)
        {
            return $"{chunks}, the first {(last.Record == 1 ? "record" : $"{last.Record} records")} by {SortedBy}, {stay} committed{doubt}";
        }

        return isOneSource
            ? $"{chunks}, records 1-{last.Record}, {stay} committed{doubt}"
            : $"{chunks}, everything up to record {last.Record} of {last.Source}, {stay} committed{doubt}";
    }

    /// <summary>For people, of <see cref="Unknown"/>.</summary>
    private string DescribeUnknown((string Source, long Record) last, bool isOneSource) =>
        $"any other up to record {last.Record}{(isOneSource ? "" : $" of {last.Source}")} may be, since {UnknownReason}";

    /// <summary>For people, where <see cref="IsInDoubt"/>.</summary>
    /// <param name="hasLedger">whether the next start can tell</param>
    public string DescribeDoubt(bool hasLedger = false) =>
        $"whether chunk {Chunks + 1} was committed is not known, since the session was lost at that moment: "
            + $"{(hasLedger ? "the ledger knows it, and the next run asks it" : "look at the table before you continue")}";
}
