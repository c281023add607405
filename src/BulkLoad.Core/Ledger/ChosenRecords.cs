using BulkLoad.Core.Feed;

namespace BulkLoad.Core.Ledger;

/// <summary>Lets only the records through that a job has committed, and requires that they are the same. A pass asks for each record in
/// order.</summary>
internal sealed class ChosenRecords : ICommittedRecords
{
    private readonly string _job;
    private readonly IReadOnlyList<string> _names;
    private readonly ChunkHash _hash = new();
    private readonly Dictionary<int, long> _first = [];
    private readonly IEnumerator<LedgerChunk> _chunks;
    private LedgerChunk? _next;

    /// <param name="chunks">in the order in which the records were sent</param>
    /// <param name="names">of the inputs</param>
    public ChosenRecords(string job, ChunkList chunks, IReadOnlyList<string> names)
    {
        (_job, _names, _chunks) = (job, names, chunks.GetEnumerator());
        foreach (var chunk in chunks)
        {
            _first.TryAdd(chunk.Source, chunk.FirstRecord);
            _first.TryAdd(chunk.LastSource, 1);
        }

        Move();
    }

    public long Rejects => 0;

    public long LastPlace => 0;

    /// <summary>Number of records that were not let through.</summary>
    public long Skipped { get; private set; }

    /// <summary>Number of an input's records before the first one that the job has committed: another job had loaded them.</summary>
    public long FindSkippedBefore(int source) => _first.GetValueOrDefault(source, 1) - 1;

    /// <returns>false: the job has committed it</returns>
    public bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes)
    {
        if (_next is not { } chunk || (source, record).CompareTo((chunk.Source, chunk.FirstRecord)) < 0)
        {
            Skipped++;
            return true;
        }

        _hash.Add(offset, bytes);
        var order = (source, record).CompareTo((chunk.LastSource, chunk.LastRecord));
        if (order > 0 || (order == 0 && _hash.Finish() != chunk.Content))
        {
            throw Changed(chunk);
        }

        if (order == 0)
        {
            Move();
        }

        return false;
    }

    public void EndSource(int source)
    {
        if (_next is { } chunk && chunk.LastSource <= source)
        {
            throw Changed(chunk);
        }
    }

    private void Move() => _next = _chunks.MoveNext() ? _chunks.Current : null;

    private PlanException Changed(LedgerChunk chunk) => new(
        $"{Plural.Names([.. _names.Skip(chunk.Source).Take(chunk.LastSource - chunk.Source + 1)])}: is not what job {_job} has loaded: "
            + $"records {chunk.FirstRecord:N0}-{chunk.LastRecord:N0} differ");
}
